# SPDX-License-Identifier: Apache-2.0
#
# Ranks of real MPI with the probe: Open MPI and MPICH, those that are here. What records they leave
# and each way to hang is in check; all ways of both, and those that last, in check-mpi.
SH_TESTS += %D%/records.test %D%/fortran.test %D%/hangs.test \
	%D%/ends.test %D%/well.test
EXTRA_DIST += %D%/mpi.sh %D%/ranks.c %D%/old.f %D%/new.f90
