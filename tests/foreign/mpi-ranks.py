# SPDX-License-Identifier: Apache-2.0
"""
Ranks of MPI under Python: python3 mpi-ranks.py LIBRARY HOW. The library is called as any is that
has no module of its own. Rank 2 stays away from a barrier, by HOW: it sleeps, or it computes.
"""
import ctypes
import sys
import time

mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000)


def digits(n):
    return sum(len(str(i)) for i in range(n))


def stay_away():
    if sys.argv[2] == "sleep":
        time.sleep(600)
    while True:
        digits(1000)


rank = ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
for _ in range(50):
    mpi.MPI_Barrier(world)
if rank.value == 2:
    stay_away()
mpi.MPI_Barrier(world)
