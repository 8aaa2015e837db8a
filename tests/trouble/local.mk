# SPDX-License-Identifier: Apache-2.0
#
# What goes wrong around a job, and must not make it worse.
check_PROGRAMS += %D%/sums tests/tools/refuse %D%/hold-file %D%/manners

%C%_sums_CPPFLAGS = $(RANK_INCLUDES)
%C%_sums_CFLAGS = $(PLAIN_CFLAGS) -pthread
if TSAN
%C%_sums_CFLAGS += $(SANITIZE_CFLAGS)
endif
%C%_sums_LDFLAGS = $(RANK_LINK)
%C%_sums_LDADD = $(STANDIN_LIBS)
EXTRA_%C%_sums_DEPENDENCIES = $(STANDIN_LIBS)
tests_tools_refuse_SOURCES = tests/tools/refuse.c
tests_tools_refuse_CFLAGS = $(PLAIN_CFLAGS)
%C%_hold_file_SOURCES = %D%/hold-file.c
%C%_hold_file_CFLAGS = $(PLAIN_CFLAGS)
%C%_manners_SOURCES = %D%/manners.c
%C%_manners_CFLAGS = $(PLAIN_CFLAGS)
check_LTLIBRARIES += %D%/stuck.la
%C%_stuck_la_SOURCES = %D%/stuck.c
%C%_stuck_la_CFLAGS = $(PLAIN_CFLAGS) -fvisibility=default
%C%_stuck_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
%C%_stuck_la_LIBADD = -ldl
EXTRA_DIST += %D%/Manners.java %D%/bare.py %D%/launch.sh %D%/manners.go %D%/storage.sh \
	%D%/trouble.sh
SH_TESTS += %D%/anew.test %D%/bare.test %D%/built.test \
	%D%/cut.test %D%/frozen.test %D%/killed.test %D%/late.test %D%/living.test %D%/locked.test \
	%D%/outside.test \
	%D%/over.test \
	%D%/racing.test %D%/refused.test %D%/roots.test %D%/savers.test %D%/scratch.test \
	%D%/squatted.test %D%/stalled-meeting.test %D%/starts.test %D%/stops.test \
	%D%/stale-log.test %D%/storage.test %D%/storage-again.test \
	%D%/strange-children.test %D%/swept.test %D%/threads.test %D%/told-early.test \
	%D%/twins.test \
	%D%/told-stale.test \
	%D%/unread.test \
	%D%/room.test %D%/squashed.test %D%/umask.test %D%/unanswering.test \
	%D%/unseen.test %D%/users.test \
	%D%/wrapped.test %D%/wrappers.test %D%/wrecks.test
TSAN_TESTS += %D%/threads.test
ASAN_TESTS += %D%/racing.test %D%/wrecks.test
