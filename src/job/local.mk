# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libjob.la
src_job_libjob_la_SOURCES = \
	%D%/align.c %D%/align.h \
	%D%/attempts.c %D%/attempts.h \
	%D%/build.c %D%/build.h \
	%D%/caches.c %D%/caches.h \
	%D%/clocks.c %D%/clocks.h \
	%D%/compiles.c %D%/compiles.h \
	%D%/firsts.c %D%/firsts.h \
	%D%/frames.c \
	%D%/forks.c %D%/forks.h \
	%D%/habit.c %D%/habit.h \
	%D%/job.h \
	%D%/locks.c %D%/locks.h \
	%D%/names.c %D%/names.h \
	%D%/ranks.c %D%/ranks.h \
	%D%/raw.h \
	%D%/rollcall.c %D%/rollcall.h \
	%D%/seal.c %D%/seal.h \
	%D%/seal-calls.c \
	%D%/seal-clashes.c \
	%D%/seal-facts.c \
	%D%/seal-alias.c \
	%D%/seal-coverage.c \
	%D%/seal-creations.c \
	%D%/seal-groups.c \
	%D%/seal-names.c \
	%D%/seal-numbers.c \
	%D%/seal-ops.c \
	%D%/seal-people.c \
	%D%/seal-ranks.c \
	%D%/seal-runs.c \
	%D%/seal-stacks.c \
	%D%/stackfacts.c %D%/stackfacts.h \
	%D%/stacktree-make.h \
	%D%/stacktree-paths.c \
	%D%/stacktree-sets.c \
	%D%/stacktree.c %D%/stacktree.h \
	%D%/spans.c %D%/spans.h \
	%D%/tempo.c %D%/tempo.h \
	%D%/waitfor-launches.c %D%/waitfor-make.h \
	%D%/waitfor-missing.c \
	%D%/waitfor-parts.c %D%/waitfor-parts.h \
	%D%/waitfor-store.c \
	%D%/waitfor-told.c \
	%D%/waitfor.c %D%/waitfor.h \
	%D%/usual.c %D%/usual.h \
	%D%/waits.c %D%/waits.h

UNIT_TESTS += tests/unit/job_seal_test tests/unit/job_numbers_test
tests_unit_job_numbers_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
tests_unit_job_seal_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/stacktree_test tests/unit/job_stacks_test
tests_unit_stacktree_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
tests_unit_job_stacks_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
