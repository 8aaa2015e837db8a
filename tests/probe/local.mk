# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += %D%/show
tests_probe_show_LDADD = $(RING_FLOORS)

# A rank as anybody would write it: public headers, the stand-in by its sonames.
check_PROGRAMS += %D%/ranks
tests_probe_ranks_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/fixtures/standin/include -I$(srcdir)
tests_probe_ranks_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_ranks_LDFLAGS = $(RANK_LINK)
tests_probe_ranks_LDADD = $(STANDIN_LIBS)
EXTRA_tests_probe_ranks_DEPENDENCIES = $(STANDIN_LIBS)

check_PROGRAMS += %D%/deeds
tests_probe_deeds_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)
tests_probe_deeds_CFLAGS = $(PLAIN_CFLAGS) -pthread

SH_TESTS += %D%/symbols.test %D%/untouched.test %D%/older.test %D%/presence.test \
	%D%/nccl.test %D%/private.test
EXTRA_DIST += %D%/probe.sh %D%/asks.c
SH_TESTS += %D%/signals.test %D%/deaths.test %D%/life.test %D%/marks.test %D%/norun.test \
	%D%/links.test \
	%D%/space.test
EXTRA_DIST += %D%/marker.c

# Programs that start others in every way, from little stack, and that give up their system calls.
check_PROGRAMS += %D%/lost %D%/narrow %D%/sealed
tests_probe_narrow_CPPFLAGS = -D_GNU_SOURCE
tests_probe_narrow_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_narrow_LDFLAGS = -pthread
tests_probe_lost_CPPFLAGS = -D_GNU_SOURCE
tests_probe_lost_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_sealed_CPPFLAGS = -D_GNU_SOURCE
tests_probe_sealed_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_sealed_LDFLAGS = -pthread
SH_TESTS += %D%/lost.test %D%/narrow.test %D%/sealed.test

check_PROGRAMS += %D%/brink
tests_probe_brink_CPPFLAGS = -D_GNU_SOURCE
tests_probe_brink_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_brink_LDFLAGS = -pthread
SH_TESTS += %D%/beside.test %D%/brink.test

check_PROGRAMS += %D%/claims
tests_probe_claims_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/src
tests_probe_claims_CFLAGS = $(PLAIN_CFLAGS)
SH_TESTS += %D%/claims.test

SH_TESTS += %D%/refused.test %D%/tools.test %D%/identity.test %D%/sanitized.test
EXTRA_DIST += %D%/sanitized.c

check_PROGRAMS += %D%/arguments
tests_probe_arguments_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/fixtures/standin/include
tests_probe_arguments_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_arguments_LDFLAGS = $(RANK_LINK)
tests_probe_arguments_LDADD = $(STANDIN_LIBS)
EXTRA_tests_probe_arguments_DEPENDENCIES = $(STANDIN_LIBS)
SH_TESTS += %D%/real.test

# Those who die in many ways, a library that dies while it is loaded, and one in C++.
check_PROGRAMS += %D%/crash
tests_probe_crash_CPPFLAGS = $(RANK_INCLUDES)
tests_probe_crash_CFLAGS = $(PLAIN_CFLAGS) -pthread -fno-optimize-sibling-calls \
	-Wno-infinite-recursion
tests_probe_crash_LDFLAGS = $(RANK_LINK)
tests_probe_crash_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_tests_probe_crash_DEPENDENCIES = $(STANDIN_LIBS)
check_LTLIBRARIES += %D%/libcrash.la
tests_probe_libcrash_la_SOURCES = %D%/libcrash.c
tests_probe_libcrash_la_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_libcrash_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
# Those with habits of their own, and a library that takes room for its thread-locals.
check_PROGRAMS += %D%/habits
tests_probe_habits_CPPFLAGS = $(RANK_INCLUDES)
tests_probe_habits_CFLAGS = $(PLAIN_CFLAGS) -pthread -fno-optimize-sibling-calls \
	-Wno-infinite-recursion
tests_probe_habits_LDFLAGS = $(RANK_LINK)
tests_probe_habits_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_tests_probe_habits_DEPENDENCIES = $(STANDIN_LIBS)
check_LTLIBRARIES += %D%/libtls.la
tests_probe_libtls_la_SOURCES = %D%/libtls.c
tests_probe_libtls_la_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_libtls_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
SH_TESTS += %D%/habits.test
# Whose files in the job's folder are cut.
check_PROGRAMS += %D%/cutter
tests_probe_cutter_CPPFLAGS = $(RANK_INCLUDES)
tests_probe_cutter_CFLAGS = $(PLAIN_CFLAGS) -pthread
tests_probe_cutter_LDFLAGS = $(RANK_LINK)
tests_probe_cutter_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_tests_probe_cutter_DEPENDENCIES = $(STANDIN_LIBS)
SH_TESTS += %D%/cutter.test
EXTRA_DIST += %D%/crashxx.cc %D%/crash.sh
if HAVE_CXX
check_DATA += %D%/crashxx
CLEANFILES += %D%/crashxx
%D%/crashxx: %D%/crashxx.cc $(STANDIN_LIBS)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(CXX) -std=c++17 -O1 -pthread -I$(srcdir)/fixtures/standin/include -o $@ \
		$(srcdir)/%D%/crashxx.cc -Lfixtures/standin/.libs -l:libnccl.so.2 \
		$(RANK_LINK)
endif
check_PROGRAMS += %D%/objects
tests_probe_objects_SOURCES = %D%/objects.c probes/dl.c probes/object.c probes/self.c
tests_probe_objects_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)
tests_probe_objects_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_objects_LDADD = -ldl
SH_TESTS += %D%/died-in.test %D%/traceback.test %D%/unwinder.test %D%/pytrace.test

# Many threads at once. In the TSan build the probe itself is sanitized for it, with a reader in it.
check_PROGRAMS += %D%/throng
tests_probe_throng_CPPFLAGS = $(RANK_INCLUDES)
tests_probe_throng_CFLAGS = $(PLAIN_CFLAGS) -pthread
tests_probe_throng_LDFLAGS = $(RANK_LINK)
tests_probe_throng_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_tests_probe_throng_DEPENDENCIES = $(STANDIN_LIBS)
EXTRA_DIST += %D%/inside.c
SH_TESTS += %D%/throng.test
TSAN_TESTS += %D%/throng.test
if TSAN
tests_probe_throng_CFLAGS += $(SANITIZE_CFLAGS)
$(tests_probe_libsanitized_la_OBJECTS): | probes/python-shim.inc
check_LTLIBRARIES += %D%/libsanitized.la
tests_probe_libsanitized_la_SOURCES = $(libinquest_probe_la_SOURCES) %D%/inside.c
nodist_tests_probe_libsanitized_la_SOURCES = $(nodist_libinquest_probe_la_SOURCES)
tests_probe_libsanitized_la_CPPFLAGS = $(libinquest_probe_la_CPPFLAGS) -DPROBE_SANITIZED
tests_probe_libsanitized_la_CFLAGS = $(libinquest_probe_la_CFLAGS) $(SANITIZE_CFLAGS)
tests_probe_libsanitized_la_LDFLAGS = $(libinquest_probe_la_LDFLAGS) -rpath /nowhere
endif
