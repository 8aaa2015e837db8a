# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libcmd.la
src_cmd_libcmd_la_SOURCES = \
	%D%/agent/agent.c %D%/agent/agent.h \
	%D%/agent/agent-cards.c %D%/agent/agent-cards.h \
	%D%/agent/agent-fellows.c %D%/agent/agent-fellows.h \
	%D%/agent/agent-keep.c %D%/agent/agent-keep.h \
	%D%/agent/agent-last.c %D%/agent/agent-last.h \
	%D%/agent/agent-pace.c %D%/agent/agent-pace.h \
	%D%/agent/agent-parts.c %D%/agent/agent-parts.h \
	%D%/agent/agent-people.c %D%/agent/agent-people.h \
	%D%/agent/agent-process.c %D%/agent/agent-process.h \
	%D%/agent/agent-past.c %D%/agent/agent-past.h \
	%D%/agent/agent-packages.c %D%/agent/agent-packages.h \
	%D%/agent/agent-receipt.c %D%/agent/agent-receipt.h \
	%D%/compare.c %D%/receipt.c \
	%D%/receipts.c %D%/receipts.h \
	%D%/agent/agent-quiet.c %D%/agent/agent-quiet.h \
	%D%/agent/agent-rally.c %D%/agent/agent-rally.h \
	%D%/agent/agent-unprobed.c %D%/agent/agent-unprobed.h \
	%D%/agent/agent-stacks.c %D%/agent/agent-stacks.h \
	%D%/attach.c \
	%D%/budget.c %D%/budget.h \
	%D%/job-pick.c %D%/job-pick.h \
	%D%/job-words.c %D%/job-words.h \
	%D%/cmd.h \
	%D%/complain.c \
	%D%/demo/demo.c \
	%D%/diagnose.c \
	%D%/run/embedded.c %D%/run/embedded.h \
	%D%/run/exits.c %D%/run/exits.h \
	%D%/foreign-job.c %D%/foreign-job.h \
	%D%/gather.c %D%/gather-files.c %D%/gather-files.h \
	%D%/run/gatherer.c %D%/run/gatherer.h \
	%D%/run/jobdir.c %D%/run/jobdir.h \
	%D%/live-options.c %D%/live-options.h \
	%D%/look.c %D%/look.h \
	%D%/ls.c \
	%D%/outlet.c %D%/outlet.h \
	%D%/owner.c %D%/owner.h \
	%D%/preflight.c %D%/preflight-page.c %D%/preflight-page.h \
	%D%/ring/ring.c %D%/ring/ring-contents.c %D%/ring/ring-record.c \
	%D%/ring/ring-fields.c %D%/ring/ring-fields.h \
	%D%/ring/ring-json.c %D%/ring/ring-text.c \
	%D%/run/run.c \
	%D%/run/save.c %D%/run/save.h \
	%D%/run/saver.c %D%/run/saver.h \
	%D%/reach/allocation.c %D%/reach/allocation.h \
	%D%/reach/answers.c %D%/reach/answers.h \
	%D%/reach/collect.c %D%/reach/collect.h \
	%D%/reach/collect-words.c %D%/reach/collect-words.h \
	%D%/reach/frame.c %D%/reach/frame.h \
	%D%/reach/here.c %D%/reach/here.h \
	%D%/reach/key.c %D%/reach/key.h \
	%D%/reach/nodes.c %D%/reach/nodes.h \
	%D%/reach/reach.c %D%/reach/reach.h \
	%D%/reach/reason.c %D%/reach/reason.h \
	%D%/reach/script.c %D%/reach/script.h \
	%D%/reach/squeue.c %D%/reach/squeue.h \
	%D%/say.c %D%/say.h \
	%D%/seeing.c %D%/seeing.h \
	%D%/seen-folders.c %D%/seen-folders.h \
	%D%/bundle-files.c %D%/bundle-files.h \
	%D%/dump-files.c %D%/dump-files.h \
	%D%/bundle-groups.c %D%/bundle-groups.h \
	%D%/bundle-part.c %D%/bundle-part.h \
	%D%/demo/demo-stage.c %D%/demo/demo-stage.h \
	%D%/run/announce.c %D%/run/announce.h \
	%D%/run/sweep.c %D%/run/sweep.h \
	%D%/demo/expected.c %D%/demo/expected.h \
	%D%/view.c \
	%D%/viewing.c %D%/viewing.h \
	%D%/viewing-options.c \
	%D%/run/wrap.c %D%/run/wrap.h
src_cmd_libcmd_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)

# The probe, to be embedded, without what only debuggers read.
if ONE_FILE
nodist_src_cmd_libcmd_la_SOURCES = %D%/run/probe-bytes.c
%D%/run/probe-bytes.c: libinquest-probe.la %D%/run/probe-bytes.awk
	$(AM_V_GEN)$(MKDIR_P) %D%/run && \
	$(OBJCOPY) --strip-unneeded .libs/libinquest-probe.so %D%/run/probe.bin && \
	$(AWK) -v file=%D%/run/probe.bin -f $(srcdir)/%D%/run/probe-bytes.awk >$@-t && mv $@-t $@
CLEANFILES += %D%/run/probe-bytes.c %D%/run/probe.bin
endif
EXTRA_DIST += %D%/run/probe-bytes.awk

UNIT_TESTS += tests/unit/cmd/announce_test
tests_unit_cmd_announce_test_SOURCES = tests/unit/cmd/announce_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_cmd_announce_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_cmd_announce_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/cmd/quiet_test
tests_unit_cmd_quiet_test_SOURCES = tests/unit/cmd/quiet_test.c $(FACTS)
tests_unit_cmd_quiet_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_cmd_quiet_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)

# Read by several threads.
UNIT_TESTS += tests/unit/cmd/bundle_files_test
tests_unit_cmd_bundle_files_test_SOURCES = tests/unit/cmd/bundle_files_test.c tests/unit/unit.h
tests_unit_cmd_bundle_files_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_cmd_bundle_files_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/cmd/dump_files_test
tests_unit_cmd_dump_files_test_SOURCES = tests/unit/cmd/dump_files_test.c tests/unit/unit.h
tests_unit_cmd_dump_files_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_cmd_dump_files_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)
TSAN_TESTS += tests/unit/cmd/bundle_files_test tests/unit/cmd/dump_files_test

UNIT_TESTS += tests/unit/cmd/bundle_groups_test
tests_unit_cmd_bundle_groups_test_SOURCES = tests/unit/cmd/bundle_groups_test.c tests/unit/unit.h
tests_unit_cmd_bundle_groups_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_cmd_bundle_groups_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/cmd/cards_test
tests_unit_cmd_cards_test_SOURCES = tests/unit/cmd/cards_test.c tests/unit/unit.h
tests_unit_cmd_cards_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_cmd_cards_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/cmd/reach_test
tests_unit_cmd_reach_test_SOURCES = tests/unit/cmd/reach_test.c tests/unit/unit.h
tests_unit_cmd_reach_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_cmd_reach_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)
