# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libevidence.la
src_evidence_libevidence_la_SOURCES = \
	%D%/agent/agentfiles.c %D%/agent/agentfiles.h \
	%D%/format/bundle.c %D%/format/bundle.h \
	%D%/format/bundle-folder.c %D%/format/bundle-frame.h \
	%D%/format/bundle-write.c \
	%D%/gather/storage-places.c %D%/gather/storage-places.h \
	%D%/gather/cache-places.c %D%/gather/cache-places.h \
	%D%/gather/command.c %D%/gather/command.h \
	%D%/gather/core-source.c \
	%D%/gather/workers.c %D%/gather/workers.h \
	%D%/format/exhibit.c %D%/format/exhibit.h \
	%D%/agent/fellow.c %D%/agent/fellow.h \
	%D%/agent/rally.c %D%/agent/rally.h \
	%D%/agent/fellows.c %D%/agent/fellows.h \
	%D%/format/fields.c %D%/format/fields.h \
	%D%/format/flight-folder.c %D%/format/flight-folder.h \
	%D%/format/flight-name.c %D%/format/flight-name.h \
	%D%/format/flight-words.h %D%/format/pickle-ops.h \
	%D%/gather/flight-redact.c %D%/gather/flight-redact.h \
	%D%/gather/flight-redact-json.c %D%/gather/flight-redact-pickle.c \
	%D%/format/folder.c %D%/format/folder.h \
	%D%/gather/foreign.c %D%/gather/foreign.h \
	%D%/agent/history.c %D%/agent/history.h \
	%D%/gather/identity.c %D%/gather/identity.h \
	%D%/agent/jobs.c %D%/agent/jobs.h \
	%D%/agent/jobs-find.c \
	%D%/agent/jobs-people.c %D%/agent/jobs-people.h \
	%D%/agent/jobs-worlds.c %D%/agent/jobs-worlds.h \
	%D%/format/json-get.c %D%/format/json-get.h \
	%D%/format/json-scan.c %D%/format/json-scan.h \
	%D%/format/json-put.c %D%/format/json-put.h \
	%D%/gather/fatal-modules.c %D%/gather/fatal-modules.h \
	%D%/gather/live/live.c %D%/gather/live/live.h \
	%D%/gather/live/live-add.c %D%/gather/live/live-add.h \
	%D%/gather/live/live-proc.c %D%/gather/live/live-proc.h \
	%D%/gather/live/live-rings.c %D%/gather/live/live-rings.h \
	%D%/gather/live/live-source.c \
	%D%/gather/live/live-stacks.c %D%/gather/live/live-stacks.h \
	%D%/gather/liveness.c %D%/gather/liveness.h \
	%D%/gather/log-marks.c %D%/gather/log-marks.h \
	%D%/gather/log-times.c %D%/gather/log-times.h \
	%D%/gather/log-sieve.c %D%/gather/log-sieve.h \
	%D%/gather/log-source.c \
	%D%/gather/measure.c %D%/gather/measure.h \
	%D%/gather/packages.c %D%/gather/packages.h \
	%D%/agent/own-words.c %D%/agent/own-words.h \
	%D%/agent/pulse.c %D%/agent/pulse.h \
	%D%/format/worker-folder.c %D%/format/worker-folder.h \
	%D%/gather/remains/remains.c %D%/gather/remains/remains.h \
	%D%/gather/remains/remains-jobs.c %D%/gather/remains/remains-jobs.h \
	%D%/gather/remains/remains-runs.c %D%/gather/remains/remains-runs.h \
	%D%/gather/remains/remains-dumps.c %D%/gather/remains/remains-dumps.h \
	%D%/gather/receipt-gather.c %D%/gather/receipt-gather.h \
	%D%/gather/receipt-look-device.c \
	%D%/gather/receipt-look.c %D%/gather/receipt-look.h \
	%D%/agent/serve.c %D%/agent/serve.h \
	%D%/gather/source.c %D%/gather/source.h \
	%D%/format/stacks.c %D%/format/stacks.h \
	%D%/gather/stacks-gather.c %D%/gather/stacks-gather.h \
	%D%/gather/stacks-module.c %D%/gather/stacks-module.h \
	%D%/gather/stacks-names.c \
	%D%/gather/stacks-want.c \
	%D%/gather/ring-redact.c %D%/gather/ring-redact.h \
	%D%/format/unpack.c %D%/format/unpack.h \
	%D%/gather/twins.c %D%/gather/twins.h \
	%D%/gather/unprobed.c %D%/gather/unprobed.h \
	%D%/agent/worker-env.c %D%/agent/worker-env.h
src_evidence_libevidence_la_CPPFLAGS = $(AM_CPPFLAGS) $(MSGPACK_CFLAGS) $(ZSTD_CFLAGS) \
	$(JSON_CFLAGS)

UNIT_TESTS += tests/unit/evidence/log_sieve_test
tests_unit_evidence_log_sieve_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/evidence/ring_redact_test
tests_unit_evidence_ring_redact_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/evidence/bundle_test tests/unit/evidence/jobs_test \
	tests/unit/evidence/agentfiles_test \
	tests/unit/evidence/fellows_test tests/unit/evidence/pulse_test \
	tests/unit/evidence/rally_test tests/unit/evidence/stacks_test \
	tests/unit/evidence/twins_test
tests_unit_evidence_bundle_test_CPPFLAGS = $(AM_CPPFLAGS) $(MSGPACK_CFLAGS)
tests_unit_evidence_bundle_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_evidence_jobs_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_evidence_fellows_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_evidence_pulse_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_evidence_rally_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_evidence_agentfiles_test_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
tests_unit_evidence_agentfiles_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_evidence_stacks_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
tests_unit_evidence_twins_test_LDADD = $(EVIDENCE_FLOORS) $(CMOCKA_LIBS)
