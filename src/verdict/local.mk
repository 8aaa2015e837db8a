# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libverdict.la
src_verdict_libverdict_la_SOURCES = \
	%D%/away.c \
	%D%/bounds.c \
	%D%/by-stacks.c \
	%D%/compile.c \
	%D%/completions.c %D%/completions.h \
	%D%/creation.c \
	%D%/demands.c %D%/demands.h \
	%D%/device.c \
	%D%/device-sync.c \
	%D%/draft.c \
	%D%/drift.c %D%/drift.h \
	%D%/dumps.c \
	%D%/early.c \
	%D%/graphs.c \
	%D%/handling.c \
	%D%/healthy.c \
	%D%/hidden-ops.c %D%/hidden-ops.h \
	%D%/host-stall.c \
	%D%/inquiry.c %D%/inquiry.h \
	%D%/judge.c %D%/judge.h \
	%D%/later.c \
	%D%/left-behind.c \
	%D%/limits.c %D%/limits.h \
	%D%/lost-hosts.c \
	%D%/order.c \
	%D%/outside.c %D%/outside.h \
	%D%/parked.c %D%/parked.h \
	%D%/polls.c %D%/polls.h \
	%D%/quiet.c \
	%D%/rank-death.c \
	%D%/rank-list.c \
	%D%/rule.h \
	%D%/sayings.c \
	%D%/settings.c \
	%D%/sinks.c %D%/sinks.h \
	%D%/sinks-doubts.c \
	%D%/slow.c \
	%D%/stack-facts.c \
	%D%/stage.c \
	%D%/start.c \
	%D%/store-address.c \
	%D%/unhooked.c \
	%D%/unknown.c \
	%D%/unmet.c %D%/unmet.h \
	%D%/verdict.h \
	%D%/verdict-names.c \
	%D%/victims.c \
	%D%/activities/activities.c %D%/activities/activities.h \
	%D%/activities/activities-table.c \
	%D%/activities/activities-told.c \
	%D%/activities/activity-apart.c %D%/activities/activity-apart.h \
	%D%/activities/activity-hidden.c %D%/activities/activity-hidden.h \
	%D%/activities/activity-line.h \
	%D%/activities/activity-locks.c %D%/activities/activity-locks.h \
	%D%/activities/activity-names.c %D%/activities/activity-names.h \
	%D%/activities/activity-read.c %D%/activities/activity-read.h \
	%D%/activities/activity-runner.c %D%/activities/activity-runner.h \
	%D%/activities/activity-thread.c %D%/activities/activity-thread.h \
	%D%/backends/backend.h \
	%D%/backends/backend-c10d.c \
	%D%/backends/backend-gloo.c \
	%D%/backends/backend-mpi.c \
	%D%/backends/backend-nccl.c \
	%D%/backends/backends-all.c \
	%D%/circles/callers.c %D%/circles/callers.h \
	%D%/circles/circle.c %D%/circles/circle.h \
	%D%/circles/circle-apart.c \
	%D%/circles/circle-likes.c \
	%D%/circles/circle-told.c \
	%D%/circles/own-seats.c %D%/circles/own-seats.h \
	%D%/circles/pairs.c %D%/circles/pairs.h \
	%D%/forks/counterparts.c %D%/forks/counterparts.h \
	%D%/forks/fork-kinds.c \
	%D%/forks/fork-sites.c \
	%D%/forks/forked.c \
	%D%/forks/strays.c %D%/forks/strays.h \
	%D%/looks/looks.c %D%/looks/looks.h \
	%D%/looks/looks-ends.c %D%/looks/looks-ends.h \
	%D%/profiles/death-place.c %D%/profiles/death-place.h \
	%D%/profiles/earlier.c %D%/profiles/earlier.h \
	%D%/profiles/last-words.c %D%/profiles/last-words.h \
	%D%/profiles/memory-deaths.c %D%/profiles/memory-deaths.h \
	%D%/profiles/profile.c %D%/profiles/profile.h \
	%D%/profiles/profile-deaths.c \
	%D%/profiles/stopped.c %D%/profiles/stopped.h \
	%D%/profiles/told.c %D%/profiles/told.h \
	%D%/profiles/undecided.c %D%/profiles/undecided.h \
	%D%/profiles/unnumbered.c %D%/profiles/unnumbered.h \
	%D%/shards/parts.c %D%/shards/uneven-pairs.c %D%/shards/uneven-pairs.h \
	%D%/shards/shard-rules.c \
	%D%/shards/shards.c %D%/shards/shards.h

FACTS = tests/unit/facts.c tests/unit/facts-calls.c tests/unit/facts-clocks.c \
	tests/unit/facts-expect.c tests/unit/facts-job.c tests/unit/facts-stacks.c

# Tests of judging stand on jobs made by hand (tests/unit/facts.h).
EXTRA_DIST += tests/unit/facts.h tests/unit/bystacks.h
UNIT_TESTS += tests/unit/verdict/verdict_creation_test
tests_unit_verdict_verdict_creation_test_SOURCES = tests/unit/verdict/verdict_creation_test.c \
	$(FACTS)
tests_unit_verdict_verdict_creation_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_compile_test
tests_unit_verdict_verdict_compile_test_SOURCES = tests/unit/verdict/verdict_compile_test.c $(FACTS)
tests_unit_verdict_verdict_compile_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_clocks_test
tests_unit_verdict_verdict_clocks_test_SOURCES = tests/unit/verdict/verdict_clocks_test.c $(FACTS)
tests_unit_verdict_verdict_clocks_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_nodes_test
tests_unit_verdict_verdict_nodes_test_SOURCES = tests/unit/verdict/verdict_nodes_test.c $(FACTS)
tests_unit_verdict_verdict_nodes_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_ends_test
tests_unit_verdict_verdict_ends_test_SOURCES = tests/unit/verdict/verdict_ends_test.c $(FACTS)
tests_unit_verdict_verdict_ends_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_looks_test
tests_unit_verdict_verdict_looks_test_SOURCES = tests/unit/verdict/verdict_looks_test.c $(FACTS)
tests_unit_verdict_verdict_looks_test_LDADD = $(WORDS_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_seen_test
tests_unit_verdict_verdict_seen_test_SOURCES = tests/unit/verdict/verdict_seen_test.c $(FACTS)
tests_unit_verdict_verdict_seen_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_time_test
tests_unit_verdict_verdict_time_test_SOURCES = tests/unit/verdict/verdict_time_test.c $(FACTS)
tests_unit_verdict_verdict_time_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_death_test
tests_unit_verdict_verdict_death_test_SOURCES = tests/unit/verdict/verdict_death_test.c $(FACTS)
tests_unit_verdict_verdict_death_test_LDADD = $(WORDS_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_frameworks_test
tests_unit_verdict_verdict_frameworks_test_SOURCES = tests/unit/verdict/verdict_frameworks_test.c \
	$(FACTS)
tests_unit_verdict_verdict_frameworks_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_killed_test
tests_unit_verdict_verdict_killed_test_SOURCES = tests/unit/verdict/verdict_killed_test.c $(FACTS)
tests_unit_verdict_verdict_killed_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_device_test
tests_unit_verdict_verdict_device_test_SOURCES = tests/unit/verdict/verdict_device_test.c $(FACTS)
tests_unit_verdict_verdict_device_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_driven_test
tests_unit_verdict_verdict_driven_test_SOURCES = tests/unit/verdict/verdict_driven_test.c $(FACTS)
tests_unit_verdict_verdict_driven_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_threads_test
tests_unit_verdict_verdict_threads_test_SOURCES = tests/unit/verdict/verdict_threads_test.c $(FACTS)
tests_unit_verdict_verdict_threads_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_begun_test
tests_unit_verdict_verdict_begun_test_SOURCES = tests/unit/verdict/verdict_begun_test.c $(FACTS)
tests_unit_verdict_verdict_begun_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_older_test
tests_unit_verdict_verdict_older_test_SOURCES = tests/unit/verdict/verdict_older_test.c $(FACTS)
tests_unit_verdict_verdict_older_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_orders_test
tests_unit_verdict_verdict_orders_test_SOURCES = tests/unit/verdict/verdict_orders_test.c $(FACTS)
tests_unit_verdict_verdict_orders_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_program_test
tests_unit_verdict_verdict_program_test_SOURCES = tests/unit/verdict/verdict_program_test.c $(FACTS)
tests_unit_verdict_verdict_program_test_LDADD = $(WORDS_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_pairs_test
tests_unit_verdict_verdict_pairs_test_SOURCES = tests/unit/verdict/verdict_pairs_test.c $(FACTS)
tests_unit_verdict_verdict_pairs_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_ahead_test
tests_unit_verdict_verdict_ahead_test_SOURCES = tests/unit/verdict/verdict_ahead_test.c $(FACTS)
tests_unit_verdict_verdict_ahead_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/verdict/verdict_tags_test
tests_unit_verdict_verdict_tags_test_SOURCES = tests/unit/verdict/verdict_tags_test.c $(FACTS)
tests_unit_verdict_verdict_tags_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_unseen_test
tests_unit_verdict_verdict_unseen_test_SOURCES = tests/unit/verdict/verdict_unseen_test.c $(FACTS)
tests_unit_verdict_verdict_unseen_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_unsure_test
tests_unit_verdict_verdict_unsure_test_SOURCES = tests/unit/verdict/verdict_unsure_test.c $(FACTS)
tests_unit_verdict_verdict_unsure_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_trouble_test
tests_unit_verdict_verdict_trouble_test_SOURCES = tests/unit/verdict/verdict_trouble_test.c \
	$(FACTS)
tests_unit_verdict_verdict_trouble_test_LDADD = $(WORDS_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_partial_test
tests_unit_verdict_verdict_partial_test_SOURCES = \
	tests/unit/verdict/verdict_partial_test.c $(FACTS)
tests_unit_verdict_verdict_partial_test_LDADD = $(WORDS_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_align_test
tests_unit_verdict_verdict_align_test_SOURCES = tests/unit/verdict/verdict_align_test.c $(FACTS)
tests_unit_verdict_verdict_align_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_address_test
tests_unit_verdict_verdict_address_test_SOURCES = \
	tests/unit/verdict/verdict_address_test.c $(FACTS)
tests_unit_verdict_verdict_address_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_first_test
tests_unit_verdict_verdict_first_test_SOURCES = tests/unit/verdict/verdict_first_test.c $(FACTS)
tests_unit_verdict_verdict_first_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_stall_test
tests_unit_verdict_verdict_stall_test_SOURCES = tests/unit/verdict/verdict_stall_test.c $(FACTS)
tests_unit_verdict_verdict_stall_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_apart_test
tests_unit_verdict_verdict_apart_test_SOURCES = tests/unit/verdict/verdict_apart_test.c $(FACTS)
tests_unit_verdict_verdict_apart_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/verdict/verdict_standstill_test
tests_unit_verdict_verdict_standstill_test_SOURCES = \
	tests/unit/verdict/verdict_standstill_test.c $(FACTS)
tests_unit_verdict_verdict_standstill_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_stacks_test
tests_unit_verdict_verdict_stacks_test_SOURCES = tests/unit/verdict/verdict_stacks_test.c $(FACTS)
tests_unit_verdict_verdict_stacks_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_locks_test
tests_unit_verdict_verdict_locks_test_SOURCES = tests/unit/verdict/verdict_locks_test.c $(FACTS)
tests_unit_verdict_verdict_locks_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_busy_test
tests_unit_verdict_verdict_busy_test_SOURCES = tests/unit/verdict/verdict_busy_test.c $(FACTS)
tests_unit_verdict_verdict_busy_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_told_test
tests_unit_verdict_verdict_told_test_SOURCES = tests/unit/verdict/verdict_told_test.c $(FACTS)
tests_unit_verdict_verdict_told_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_activities_test
tests_unit_verdict_verdict_activities_test_SOURCES = \
	tests/unit/verdict/verdict_activities_test.c $(FACTS)
tests_unit_verdict_verdict_activities_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_parked_test
tests_unit_verdict_verdict_parked_test_SOURCES = \
	tests/unit/verdict/verdict_parked_test.c $(FACTS)
tests_unit_verdict_verdict_parked_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_hidden_test
tests_unit_verdict_verdict_hidden_test_SOURCES = tests/unit/verdict/verdict_hidden_test.c $(FACTS)
tests_unit_verdict_verdict_hidden_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/verdict/verdict_less_test
tests_unit_verdict_verdict_less_test_SOURCES = tests/unit/verdict/verdict_less_test.c $(FACTS)
tests_unit_verdict_verdict_less_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_start_test
tests_unit_verdict_verdict_start_test_SOURCES = tests/unit/verdict/verdict_start_test.c $(FACTS)
tests_unit_verdict_verdict_start_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/rank_list_test
tests_unit_verdict_rank_list_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_echo_test
tests_unit_verdict_verdict_echo_test_SOURCES = tests/unit/verdict/verdict_echo_test.c $(FACTS)
tests_unit_verdict_verdict_echo_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_within_test
tests_unit_verdict_verdict_within_test_SOURCES = tests/unit/verdict/verdict_within_test.c $(FACTS)
tests_unit_verdict_verdict_within_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_handling_test
tests_unit_verdict_verdict_handling_test_SOURCES = tests/unit/verdict/verdict_handling_test.c \
	$(FACTS)
tests_unit_verdict_verdict_handling_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/verdict/verdict_torch_test
tests_unit_verdict_verdict_torch_test_SOURCES = tests/unit/verdict/verdict_torch_test.c $(FACTS)
tests_unit_verdict_verdict_torch_test_LDADD = $(WORDS_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_failed_test
tests_unit_verdict_verdict_failed_test_SOURCES = tests/unit/verdict/verdict_failed_test.c $(FACTS)
tests_unit_verdict_verdict_failed_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_field_test
tests_unit_verdict_verdict_field_test_SOURCES = tests/unit/verdict/verdict_field_test.c $(FACTS)
tests_unit_verdict_verdict_field_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/verdict/verdict_laws_test
tests_unit_verdict_verdict_laws_test_SOURCES = tests/unit/verdict/verdict_laws_test.c $(FACTS)
tests_unit_verdict_verdict_laws_test_LDADD = $(WORDS_FLOORS) $(CMOCKA_LIBS)
