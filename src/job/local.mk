# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libjob.la
src_job_libjob_la_SOURCES = \
	%D%/align.c %D%/align.h \
	%D%/attempts.c %D%/attempts.h \
	%D%/backends.c %D%/backends.h \
	%D%/by-rank.c %D%/by-rank.h \
	%D%/seal/build.c %D%/seal/build.h \
	%D%/calls.c %D%/calls.h \
	%D%/caches.c %D%/caches.h \
	%D%/clocks.c %D%/clocks.h \
	%D%/compiles.c %D%/compiles.h \
	%D%/firsts.c %D%/firsts.h \
	%D%/forks.c %D%/forks.h \
	%D%/habit.c %D%/habit.h \
	%D%/job.h \
	%D%/launch.c %D%/launch.h \
	%D%/seal/build-launch.c \
	%D%/seal/seal-launches.c \
	%D%/known.h \
	%D%/lock-holders.c %D%/lock-holders.h \
	%D%/message-index.c %D%/message-index.h \
	%D%/messages.c %D%/messages.h \
	%D%/names.c %D%/names.h \
	%D%/rank-row.c %D%/rank-row.h \
	%D%/ranks.c %D%/ranks.h \
	%D%/job-receipt.c %D%/job-receipt.h \
	%D%/job-stack.h \
	%D%/seal/raw.h \
	%D%/seal/anew.c %D%/seal/anew.h \
	%D%/seal/holdings.c %D%/seal/holdings.h \
	%D%/rollcall.c %D%/rollcall.h \
	%D%/seal/seal.c %D%/seal/seal.h \
	%D%/seal/seal-calls.c \
	%D%/seal/seal-clashes.c \
	%D%/seal/fact-order.def %D%/seal/seal-facts.c \
	%D%/seal/seal-alias.c \
	%D%/seal/seal-behind.c %D%/seal/seal-behind.h \
	%D%/seal/seal-past.c %D%/seal/seal-past.h \
	%D%/seal/seal-renumbered.c \
	%D%/seal/seal-coverage.c \
	%D%/seal/seal-creations.c \
	%D%/seal/seal-groups.c \
	%D%/seal/seal-names.c \
	%D%/seal/seal-numbers.c \
	%D%/seal/seal-ops.c \
	%D%/seal/seal-people.c \
	%D%/seal/seal-ranks.c \
	%D%/seal/seal-runs.c \
	%D%/seal/seal-stacks.c \
	%D%/stacktree/stackfacts.c %D%/stacktree/stackfacts.h \
	%D%/stacktree/stacktree-make.h \
	%D%/stacktree/stacktree-paths.c \
	%D%/stacktree/stacktree-sets.c \
	%D%/stacktree/stacktree.c %D%/stacktree/stacktree.h \
	%D%/shapes.c %D%/shapes.h \
	%D%/spans.c %D%/spans.h \
	%D%/step-told.c %D%/step-told.h \
	%D%/pace.c %D%/pace.h \
	%D%/waitfor/waitfor-callers.c \
	%D%/waitfor/waitfor-earlier.c %D%/waitfor/waitfor-earlier.h \
	%D%/waitfor/waitfor-launches.c %D%/waitfor/waitfor-make.h \
	%D%/waitfor/waitfor-missing.c \
	%D%/waitfor/waitfor-parts.c %D%/waitfor/waitfor-parts.h \
	%D%/waitfor/waitfor-store.c \
	%D%/waitfor/waitfor-told.c \
	%D%/waitfor/waitfor.c %D%/waitfor/waitfor.h \
	%D%/usual.c %D%/usual.h \
	%D%/waitfor/wait-names.c %D%/waitfor/waits-begun.c %D%/waitfor/waits-exchange.c \
	%D%/waitfor/waits-meant.c \
	%D%/waitfor/waits-place.c \
	%D%/waitfor/waits-threads.c \
	%D%/waitfor/waits.c %D%/waitfor/waits.h

UNIT_TESTS += tests/unit/job/job_seal_test tests/unit/job/job_numbers_test \
	tests/unit/job/job_anew_test tests/unit/job/job_mixed_test tests/unit/job/job_past_test
tests_unit_job_job_numbers_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
tests_unit_job_job_anew_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
tests_unit_job_job_past_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
tests_unit_job_job_mixed_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
tests_unit_job_job_seal_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/job/stacktree_test tests/unit/job/job_stacks_test
tests_unit_job_stacktree_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
tests_unit_job_job_stacks_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/job/spans_test
tests_unit_job_spans_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
