# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libcmd.la
src_cmd_libcmd_la_SOURCES = \
	%D%/agent.c %D%/agent.h \
	%D%/agent-fellows.c %D%/agent-fellows.h \
	%D%/agent-keep.c %D%/agent-keep.h \
	%D%/agent-pace.c %D%/agent-pace.h \
	%D%/agent-people.c %D%/agent-people.h \
	%D%/agent-process.c %D%/agent-process.h \
	%D%/agent-past.c %D%/agent-past.h \
	%D%/agent-quiet.c %D%/agent-quiet.h \
	%D%/agent-unprobed.c %D%/agent-unprobed.h \
	%D%/agent-stacks.c %D%/agent-stacks.h \
	%D%/attach.c \
	%D%/budget.c %D%/budget.h \
	%D%/choose.c %D%/choose.h \
	%D%/cmd.h \
	%D%/complain.c \
	%D%/demo.c \
	%D%/diagnose.c \
	%D%/exits.c %D%/exits.h \
	%D%/fds.c %D%/fds.h \
	%D%/foreign.c %D%/foreign.h \
	%D%/harvest.c %D%/harvest.h \
	%D%/helper.c %D%/helper.h \
	%D%/jobdir.c %D%/jobdir.h \
	%D%/look.c %D%/look.h \
	%D%/ls.c \
	%D%/outlet.c %D%/outlet.h \
	%D%/ring.c %D%/ring-fields.c %D%/ring-fields.h %D%/ring-json.c %D%/ring-text.c \
	%D%/run.c \
	%D%/save.c %D%/save.h \
	%D%/saver.c %D%/saver.h \
	%D%/say.c %D%/say.h \
	%D%/sift.c %D%/sift.h \
	%D%/stage.c %D%/stage.h \
	%D%/stand.c %D%/stand.h \
	%D%/sweep.c %D%/sweep.h \
	%D%/truth.c %D%/truth.h \
	%D%/view.c \
	%D%/viewing.c %D%/viewing.h \
	%D%/viewing-options.c \
	%D%/wrap.c %D%/wrap.h
src_cmd_libcmd_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)

UNIT_TESTS += tests/unit/stand_test
tests_unit_stand_test_SOURCES = tests/unit/stand_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_stand_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_stand_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/sift_test
tests_unit_sift_test_SOURCES = tests/unit/sift_test.c tests/unit/unit.h
tests_unit_sift_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_sift_test_LDADD = $(CMD_FLOORS) $(CMOCKA_LIBS)
