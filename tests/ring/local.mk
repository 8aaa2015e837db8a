# SPDX-License-Identifier: Apache-2.0
SH_TESTS += %D%/dump.test %D%/torture.test %D%/races.test %D%/reenter.test
ASAN_TESTS += %D%/dump.test
TSAN_TESTS += %D%/races.test
check_PROGRAMS += %D%/make-ring %D%/torture %D%/races %D%/reenter
EXTRA_DIST += %D%/fixture.h %D%/torture.h tests/RESULTS.md

# Killed writers leak, and signals in the middle of everything upset the sanitizers' own books.
tests_ring_torture_CFLAGS = $(PLAIN_CFLAGS) -pthread
tests_ring_torture_SOURCES = %D%/torture.c %D%/torture-victim.c %D%/torture-inquest.c \
	src/ring/ring-make.c src/ring/ring-read.c src/ring/ring-snapshot.c
tests_ring_reenter_CFLAGS = $(PLAIN_CFLAGS)
tests_ring_reenter_SOURCES = %D%/reenter.c src/ring/ring-make.c src/ring/ring-read.c
tests_ring_make_ring_LDADD = $(RING_FLOORS)
tests_ring_races_CFLAGS = $(AM_CFLAGS) -pthread
tests_ring_races_LDADD = $(RING_FLOORS)

# The long form: 100,000 kills, a million signals; half an hour of an idle machine. tests/RESULTS.md
# has what it found.
TORTURE_KILLS = 100000
torture: tests/ring/torture tests/ring/races tests/ring/reenter
	for test in torture races reenter; do \
		RING_KILLS=$(TORTURE_KILLS) RING_ROUNDS=200000 RING_SIGNALS=90000 \
		top_builddir='$(abs_builddir)' $(srcdir)/tests/ring/$$test.test || exit 1; \
	done
.PHONY: torture
