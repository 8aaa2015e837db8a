# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libdecode.la
src_decode_libdecode_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
src_decode_libdecode_la_SOURCES = \
	%D%/agent.c \
	%D%/agree.c \
	%D%/blocked.c \
	%D%/census.c \
	%D%/cgroup.c \
	%D%/context.c %D%/context.h \
	%D%/decode.c %D%/decode.h \
	%D%/demangle.c %D%/demangle.h \
	%D%/errorfile.c \
	%D%/finish.c \
	%D%/flight-dump.c %D%/flight-dump.h \
	%D%/flight-entry.c %D%/flight-entry.h \
	%D%/flight.c %D%/flight.h \
	%D%/flight-facts.c \
	%D%/flight-groups.c \
	%D%/flight-lives.c \
	%D%/flight-names.c \
	%D%/flight-pairs.c \
	%D%/flight-plain.c \
	%D%/flight-runs.c \
	%D%/flight-seats.c \
	%D%/frames.c %D%/frames.h \
	%D%/gather.c \
	%D%/history.c \
	%D%/hostlist.c %D%/hostlist.h \
	%D%/identity.c \
	%D%/json-get.c %D%/json-get.h \
	%D%/json-tree.c %D%/json-tree.h \
	%D%/kin.c %D%/kin.h \
	%D%/kinds.h \
	%D%/liveness.c \
	%D%/log-marks.c %D%/log-marks.h \
	%D%/locks.c \
	%D%/logs.c %D%/logs.h \
	%D%/modules.c \
	%D%/pickle.c %D%/pickle.h \
	%D%/proc.c \
	%D%/receipt.c \
	%D%/ring-deaths.c \
	%D%/ring-tracebacks.c \
	%D%/ring-calls.c \
	%D%/ring-groups.c \
	%D%/ring-lanes.c \
	%D%/ring-marks.c \
	%D%/ring-source.h \
	%D%/rings.c \
	%D%/samples.c %D%/samples.h \
	%D%/shortname.c %D%/shortname.h \
	%D%/stacks.c %D%/stacks.h \
	%D%/syscalls.def \
	%D%/value.c %D%/value.h \
	%D%/walking.c %D%/walking.h

UNIT_TESTS += tests/unit/locks_test
tests_unit_locks_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/blocked_test
tests_unit_blocked_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/logs_test
tests_unit_logs_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/hostlist_test
tests_unit_hostlist_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode_test tests/unit/decode_ring_test tests/unit/identity_test
EXTRA_DIST += tests/decode/forge.h
UNIT_TESTS += tests/unit/decode_numbers_test
tests_unit_decode_numbers_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_decode_numbers_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_ring_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/decode_calls_test
tests_unit_decode_calls_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_identity_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/fatal_stack_test
tests_unit_fatal_stack_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/demangle_test tests/unit/shortname_test tests/unit/decode_stacks_test
tests_unit_shortname_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_demangle_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
tests_unit_decode_stacks_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)

# Pickles, and dumps of PyTorch's Flight Recorder, as their writers write them.
PICKLE_EMIT = tests/unit/pickle-emit.c tests/unit/pickle-emit.h
FLIGHT_EMIT = tests/unit/flight-emit.c tests/unit/flight-emit.h $(PICKLE_EMIT)
UNIT_TESTS += tests/unit/pickle_test
tests_unit_pickle_test_SOURCES = tests/unit/pickle_test.c $(PICKLE_EMIT)
tests_unit_pickle_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/flight_dump_test
tests_unit_flight_dump_test_SOURCES = tests/unit/flight_dump_test.c $(FLIGHT_EMIT)
tests_unit_flight_dump_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/flight_redact_test
tests_unit_flight_redact_test_SOURCES = tests/unit/flight_redact_test.c $(FLIGHT_EMIT)
tests_unit_flight_redact_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/flight_damage_test
tests_unit_flight_damage_test_SOURCES = tests/unit/flight_damage_test.c $(FLIGHT_EMIT)
tests_unit_flight_damage_test_LDADD = $(DECODE_FLOORS) $(CMOCKA_LIBS)
