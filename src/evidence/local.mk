# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libevidence.la
src_evidence_libevidence_la_SOURCES = \
	%D%/agentfiles.c %D%/agentfiles.h \
	%D%/bundle.c %D%/bundle.h \
	%D%/bundle-folder.c %D%/bundle-frame.h \
	%D%/bundle-write.c \
	%D%/caches.c %D%/caches.h \
	%D%/command.c %D%/command.h \
	%D%/core.c \
	%D%/crew.c %D%/crew.h \
	%D%/exhibit.c %D%/exhibit.h \
	%D%/fellow.c %D%/fellow.h \
	%D%/fellows.c %D%/fellows.h \
	%D%/fields.c %D%/fields.h \
	%D%/flight.c %D%/flight.h %D%/flight-words.h %D%/pickle-ops.h \
	%D%/flight-redact.c %D%/flight-redact.h \
	%D%/flight-redact-json.c %D%/flight-redact-pickle.c \
	%D%/folder.c %D%/folder.h \
	%D%/foreign.c %D%/foreign.h \
	%D%/history.c %D%/history.h \
	%D%/identity.c %D%/identity.h \
	%D%/jobs.c %D%/jobs.h \
	%D%/jobs-worlds.c %D%/jobs-worlds.h \
	%D%/json-scan.c %D%/json-scan.h \
	%D%/json-put.c %D%/json-put.h \
	%D%/fatal-modules.c %D%/fatal-modules.h \
	%D%/live.c %D%/live.h \
	%D%/live-add.c %D%/live-add.h \
	%D%/live-proc.c %D%/live-proc.h \
	%D%/live-source.c \
	%D%/live-stacks.c %D%/live-stacks.h \
	%D%/liveness.c %D%/liveness.h \
	%D%/measure.c %D%/measure.h \
	%D%/own-words.c %D%/own-words.h \
	%D%/pulse.c %D%/pulse.h \
	%D%/receipt.c %D%/receipt.h \
	%D%/receipt-look.c %D%/receipt-look.h \
	%D%/serve.c %D%/serve.h \
	%D%/source.c %D%/source.h \
	%D%/stacks.c %D%/stacks.h \
	%D%/stacks-gather.c %D%/stacks-gather.h \
	%D%/stacks-module.c %D%/stacks-module.h \
	%D%/stacks-names.c \
	%D%/stacks-want.c \
	%D%/ring-redact.c %D%/ring-redact.h \
	%D%/unpack.c %D%/unpack.h \
	%D%/unprobed.c %D%/unprobed.h \
	%D%/worker.c %D%/worker.h
src_evidence_libevidence_la_CPPFLAGS = $(AM_CPPFLAGS) $(MSGPACK_CFLAGS) $(ZSTD_CFLAGS) \
	$(JSON_CFLAGS)

UNIT_TESTS += tests/unit/ring_redact_test
tests_unit_ring_redact_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/bundle_test tests/unit/jobs_test tests/unit/agentfiles_test \
	tests/unit/fellows_test tests/unit/pulse_test \
	tests/unit/stacks_test
tests_unit_bundle_test_CPPFLAGS = $(AM_CPPFLAGS) $(MSGPACK_CFLAGS)
tests_unit_bundle_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_jobs_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_fellows_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_pulse_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_agentfiles_test_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
tests_unit_agentfiles_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_stacks_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
