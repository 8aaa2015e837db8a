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

# Each cell against an oracle; TRUTH_ROUNDS is how many windows of each job (6).
UNIT_TESTS += tests/viewer/truth_test
tests_viewer_truth_test_SOURCES = tests/viewer/truth_test.c tests/viewer/oracle.c \
	tests/viewer/oracle.h $(FACTS)
tests_viewer_truth_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_viewer_truth_test_LDADD = viewer/libviewer.la src/words/libwords.la \
	src/verdict/libverdict.la $(DECODE_FLOORS) $(CMOCKA_LIBS)

# For long, and best with --enable-asan --enable-ubsan; the last seed that it names is the one.
fuzz-view: tests/viewer/fuzz_test
	FUZZ_SEED=$$(date +%s) FUZZ_ROUNDS=1000000000 FUZZ_SECONDS=$(FUZZ_SECONDS) $<
.PHONY: fuzz-view

# Recorded jobs, keys in, text out; `make screens' draws anew what must be seen, `make pictures' the
# README's pictures.
SH_TESTS += tests/viewer/screens.test tests/viewer/pictures.test tests/viewer/view.test \
	tests/viewer/follow.test tests/viewer/locale.test tests/viewer/words.test
ASAN_TESTS += tests/viewer/screens.test tests/viewer/view.test
EXTRA_DIST += tests/viewer/cases tests/viewer/draw-pictures.sh tests/viewer/draw-screens.sh \
	tests/viewer/screens tests/viewer/viewer.sh docs/view-compile.svg docs/view-death.svg \
	docs/view-shard.svg
screens: inquest
	$(AM_TESTS_ENVIRONMENT) sh $(srcdir)/tests/viewer/draw-screens.sh
pictures: inquest
	$(AM_TESTS_ENVIRONMENT) sh $(srcdir)/tests/viewer/draw-pictures.sh $(srcdir)/docs
.PHONY: screens pictures

SH_TESTS += tests/viewer/documents.test tests/viewer/browser.test
ASAN_TESTS += tests/viewer/documents.test
EXTRA_DIST += tests/viewer/documents.py

SH_TESTS += tests/viewer/session.test
ASAN_TESTS += tests/viewer/session.test
