# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libdecode.la
src_decode_libdecode_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
src_decode_libdecode_la_SOURCES = \
	%D%/exhibits/decode-agent.c \
	%D%/agree.c \
	%D%/ahead.c %D%/ahead.h \
	%D%/exhibits/decode-blocked.c \
	%D%/exhibits/decode-census.c \
	%D%/exhibits/decode-cgroup.c \
	%D%/context.c %D%/context.h \
	%D%/decode.c %D%/decode.h \
	%D%/set-clocks.c %D%/set-clocks.h \
	%D%/stacks/demangle.c %D%/stacks/demangle.h \
	%D%/exhibits/decode-errorfile.c \
	%D%/exhibits/decode-joblog.c \
	%D%/exhibits/joblog-apart.c %D%/exhibits/joblog-apart.h \
	%D%/exhibits/joblog-attempts.c %D%/exhibits/joblog-attempts.h \
	%D%/exhibits/joblog-ends.c %D%/exhibits/joblog-ends.h \
	%D%/exhibits/joblog-inits.c %D%/exhibits/joblog-inits.h \
	%D%/exhibits/joblog-lines.c %D%/exhibits/joblog-lines.h \
	%D%/exhibits/joblog-spawn.c %D%/exhibits/joblog-spawn.h \
	%D%/exhibits/joblog-locals.c %D%/exhibits/joblog-locals.h \
	%D%/exhibits/joblog-report.c %D%/exhibits/joblog-report.h \
	%D%/exhibits/joblog-sources.c %D%/exhibits/joblog-sources.h \
	%D%/exhibits/joblog-told.c %D%/exhibits/joblog-told.h \
	%D%/exhibits/roster.c %D%/exhibits/roster.h \
	%D%/exhibits/text-compiles.c \
	%D%/exhibits/text-kernel.c \
	%D%/exhibits/text-served.c \
	%D%/exhibits/text-ras.c \
	%D%/exhibits/slurm-end.c %D%/exhibits/slurm-end.h \
	%D%/exhibits/text-slurm.c \
	%D%/exhibits/text-stacks.c \
	%D%/exhibits/texts.c %D%/exhibits/texts.h \
	%D%/finish.c \
	%D%/flight/flight-dump.c %D%/flight/flight-dump.h \
	%D%/flight/flight-entry.c %D%/flight/flight-entry.h \
	%D%/flight/decode-flight.c %D%/flight/decode-flight.h \
	%D%/flight/flight-facts.c \
	%D%/flight/flight-groups.c \
	%D%/flight/flight-lists.c %D%/flight/flight-lists.h \
	%D%/flight/flight-lives.c \
	%D%/flight/flight-names.c %D%/flight/flight-namesakes.c \
	%D%/flight/flight-pairs.c \
	%D%/flight/flight-plain.c \
	%D%/flight/flight-choice.c %D%/flight/flight-clocks.c \
	%D%/flight/flight-runs.c \
	%D%/flight/flight-seats.c \
	%D%/flight/flight-torchcomms.c %D%/flight/flight-unmade.c \
	%D%/stacks/decode-frames.c %D%/stacks/decode-frames.h \
	%D%/stacks/walked.c %D%/stacks/walked.h \
	%D%/exhibits/decode-coverage.c \
	%D%/exhibits/decode-gather.c \
	%D%/exhibits/decode-history.c \
	%D%/exhibits/launch-facts.c %D%/exhibits/launch-facts.h \
	%D%/exhibits/hostlist.c %D%/exhibits/hostlist.h \
	%D%/exhibits/decode-identity.c \
	%D%/decode-receipts.c %D%/decode-receipts.h \
	%D%/json-tree.c %D%/json-tree.h \
	%D%/exhibits/child-kind.c %D%/exhibits/child-kind.h \
	%D%/kinds.h \
	%D%/exhibits/decode-liveness.c \
	%D%/exhibits/decode-locks.c \
	%D%/exhibits/log-plain.c %D%/exhibits/log-plain.h \
	%D%/exhibits/logs.c %D%/exhibits/logs.h \
	%D%/stacks/decode-modules.c \
	%D%/flight/pickle.c %D%/flight/pickle.h \
	%D%/exhibits/decode-proc.c \
	%D%/exhibits/decode-receipt.c \
	%D%/ring/ring-deaths.c \
	%D%/ring/ring-tracebacks.c \
	%D%/ring/ring-calls.c \
	%D%/ring/ring-groups.c \
	%D%/ring/ring-lanes.c \
	%D%/ring/ring-marks.c \
	%D%/ring/ring-source.h \
	%D%/ring/decode-rings.c \
	%D%/exhibits/samples.c %D%/exhibits/samples.h \
	%D%/exhibits/slurm-step.c %D%/exhibits/slurm-step.h \
	%D%/stacks/shortname.c %D%/stacks/shortname.h \
	%D%/stacks/decode-stacks.c %D%/stacks/decode-stacks.h \
	%D%/syscalls.def \
	%D%/flight/value.c %D%/flight/value.h \
	%D%/stacks/walking.c %D%/stacks/walking.h

UNIT_TESTS += tests/unit/decode/locks_test
tests_unit_decode_locks_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/blocked_test
tests_unit_decode_blocked_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/logs_test
tests_unit_decode_logs_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/hostlist_test
tests_unit_decode_hostlist_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/decode_test tests/unit/decode/decode_asked_test \
	tests/unit/decode/decode_ring_test \
	tests/unit/decode/identity_test
EXTRA_DIST += tests/decode/forge.h
UNIT_TESTS += tests/unit/decode/decode_numbers_test
tests_unit_decode_decode_numbers_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_decode_numbers_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/decode/endings_test
tests_unit_decode_endings_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_endings_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/history_test
tests_unit_decode_history_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_history_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
TSAN_TESTS += tests/unit/decode/history_test
tests_unit_decode_decode_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_decode_asked_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_decode_ring_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/decode_calls_test
tests_unit_decode_decode_calls_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_identity_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/joblog_test
tests_unit_decode_joblog_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_joblog_test_LDADD = src/verdict/libverdict.la $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/joblog_plain_test
tests_unit_decode_joblog_plain_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_joblog_plain_test_LDADD = src/verdict/libverdict.la $(DECODE_FLOORS) \
	$(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/joblog_runs_test
tests_unit_decode_joblog_runs_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_joblog_runs_test_LDADD = src/verdict/libverdict.la $(DECODE_FLOORS) \
	$(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/texts_test
tests_unit_decode_texts_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_texts_test_LDADD = src/verdict/libverdict.la $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/watchdog_test
tests_unit_decode_watchdog_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_watchdog_test_LDADD = src/verdict/libverdict.la $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/fatal_stack_test
tests_unit_decode_fatal_stack_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/demangle_test tests/unit/decode/shortname_test \
	tests/unit/decode/decode_stacks_test
tests_unit_decode_shortname_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_demangle_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_decode_stacks_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)

# Pickles, and dumps of PyTorch's Flight Recorder, as their writers write them.
PICKLE_EMIT = tests/unit/pickle-emit.c tests/unit/pickle-emit.h
FLIGHT_EMIT = tests/unit/flight-emit.c tests/unit/flight-emit.h $(PICKLE_EMIT)
UNIT_TESTS += tests/unit/decode/ahead_test
tests_unit_decode_ahead_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/pickle_test
tests_unit_decode_pickle_test_SOURCES = tests/unit/decode/pickle_test.c $(PICKLE_EMIT)
tests_unit_decode_pickle_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/flight_dump_test
tests_unit_decode_flight_dump_test_SOURCES = tests/unit/decode/flight_dump_test.c $(FLIGHT_EMIT)
tests_unit_decode_flight_dump_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/flight_redact_test
tests_unit_decode_flight_redact_test_SOURCES = tests/unit/decode/flight_redact_test.c $(FLIGHT_EMIT)
tests_unit_decode_flight_redact_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode/flight_damage_test
tests_unit_decode_flight_damage_test_SOURCES = tests/unit/decode/flight_damage_test.c $(FLIGHT_EMIT)
tests_unit_decode_flight_damage_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
