# SPDX-License-Identifier: Apache-2.0
"""A rank in Python that dies 30 frames deep; with `read`, how long its traceback took."""

import ctypes
import json
import sys


class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def rank():
    ctypes.CDLL("libnccl.so.2", mode=ctypes.RTLD_GLOBAL)
    mine, id, comm = ctypes.CDLL(None), Id(), ctypes.c_void_p()
    mine.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, Id, ctypes.c_int]
    mine.ncclGetUniqueId(ctypes.byref(id))
    mine.ncclCommInitRank(ctypes.byref(comm), 1, id, 0)


def deeper(n):
    return deeper(n - 1) if n else ctypes.string_at(16)


if sys.argv[1:] == ["read"]:
    trace = json.load(sys.stdin)["fatal"][0]["traceback"]
    took = trace["took_ns"] / 1000
    name = "traceback of %d native, %d Python frames" % (
        len(trace["frames"]), len(trace["python_frames"]))
    print("%-40s %9.2f  %-9s %9s  <= 300.00  %s" % (
        name, took, "us", "", "ok" if took <= 300 else "OVER"))
else:
    rank()
    deeper(27)
