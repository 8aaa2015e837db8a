# SPDX-License-Identifier: Apache-2.0
SH_TESTS += tests/viewer/terminal.test
ASAN_TESTS += tests/viewer/terminal.test

check_PROGRAMS += tests/viewer/screen
tests_viewer_screen_LDADD = $(VIEWER_FLOORS) $(NCURSESW_LIBS)
EXTRA_DIST += tests/viewer/tmux.py
