# SPDX-License-Identifier: Apache-2.0
#
# Jobs that have nothing of ours.
check_PROGRAMS += %D%/parked %D%/parked-fp %D%/proctable %D%/table %D%/undumpable

%C%_parked_SOURCES = %D%/parked.c
%C%_parked_CFLAGS = $(PLAIN_CFLAGS)
%C%_parked_fp_SOURCES = %D%/parked.c
%C%_parked_fp_CFLAGS = $(PLAIN_CFLAGS) -O0 -fno-omit-frame-pointer
%C%_proctable_SOURCES = %D%/proctable.c
%C%_proctable_CFLAGS = $(PLAIN_CFLAGS)
%C%_proctable_LDFLAGS = -rdynamic
%C%_undumpable_SOURCES = %D%/undumpable.c
%C%_undumpable_CFLAGS = $(PLAIN_CFLAGS)
%C%_table_SOURCES = %D%/table.c
%C%_table_LDADD = $(PROC_FLOORS)

check_LTLIBRARIES += %D%/libyama.la
%C%_libyama_la_SOURCES = %D%/yama.c
%C%_libyama_la_CFLAGS = $(PLAIN_CFLAGS) -fvisibility=default
%C%_libyama_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
%C%_libyama_la_LIBADD = -ldl

check_LTLIBRARIES += %D%/libmpi-spinning.la
%C%_libmpi_spinning_la_SOURCES = %D%/spinning.c
%C%_libmpi_spinning_la_CFLAGS = $(PLAIN_CFLAGS) -fvisibility=default
%C%_libmpi_spinning_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

EXTRA_DIST += %D%/foreign.sh %D%/mpi-ranks.c %D%/mpi-ranks.py %D%/mpi.sh %D%/pod.sh %D%/scope.sh
SH_TESTS += %D%/access.test %D%/driver.test %D%/found.test %D%/jax.test %D%/loop.test \
	%D%/mpi.test %D%/hidden.test %D%/mpi-python.test %D%/musl.test \
	%D%/numbers.test %D%/parked.test %D%/proctable.test %D%/served.test %D%/slurm.test \
	%D%/spawned.test %D%/spinning.test %D%/strangers.test %D%/yama.test
ASAN_TESTS += %D%/found.test %D%/loop.test %D%/proctable.test %D%/served.test %D%/slurm.test
