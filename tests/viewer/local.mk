# SPDX-License-Identifier: Apache-2.0
SH_TESTS += tests/viewer/terminal.test
ASAN_TESTS += tests/viewer/terminal.test

check_PROGRAMS += tests/viewer/screen
tests_viewer_screen_LDADD = $(VIEWER_FLOORS) $(NCURSESW_LIBS)
EXTRA_DIST += tests/viewer/tmux.py

UNIT_TESTS += tests/viewer/fuzz_test
tests_viewer_fuzz_test_SOURCES = tests/viewer/fuzz_test.c tests/viewer/chaos.c tests/viewer/chaos.h
tests_viewer_fuzz_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_viewer_fuzz_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)

# On recorded jobs.
SH_TESTS += tests/viewer/view.test
ASAN_TESTS += tests/viewer/view.test
EXTRA_DIST += tests/viewer/viewer.sh
