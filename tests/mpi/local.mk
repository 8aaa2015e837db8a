# SPDX-License-Identifier: Apache-2.0
#
# Ranks of real MPI with the probe: Open MPI and MPICH, those that are here. What records they
# leave, each way to hang and to end, and jobs that are well. And of a stand-in: very many, and many
# threads at once, in the TSan build with the probe sanitized (tests/probe/local.mk).
SH_TESTS += %D%/records.test %D%/fortran.test %D%/hangs.test \
	%D%/hangs-mpich.test %D%/ends.test %D%/well.test \
	%D%/many.test %D%/races.test %D%/sized.test
TSAN_TESTS += %D%/races.test
EXTRA_DIST += %D%/mpi.sh %D%/hangs.sh %D%/ranks.c %D%/old.f %D%/new.f90 \
	%D%/mpilike.c %D%/mpilike.h %D%/splits.c %D%/races.c %D%/sized.c

# Each way to hang, on both.
check-mpi: all
	INQUEST_MPI_ALL=1 TEST_TIMEOUT=1200 $(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='%D%/hangs.test %D%/hangs-mpich.test'
.PHONY: check-mpi
