# SPDX-License-Identifier: Apache-2.0
#
# Readers of a stranger's bytes, given bytes of chance. A target is one file with a function
# LLVMFuzzerTestOneInput() and a line below; what it begins with is made by fuzz.sh. Here each is
# linked with driver.c, which knows of no coverage: so `check` plays all of them for some seconds.
# `make fuzz` builds them anew in fuzz-build/, with sanitizers that stop, and by clang with
# libFuzzer where that is there; each runs for FUZZ_SECONDS, or FUZZ_TARGETS names some. What they
# found worth keeping, and the ledger, are in FUZZ_CORPORA, or else go with fuzz-build.
FUZZERS = %D%/bundle-fuzz %D%/core-fuzz %D%/elf-fuzz %D%/flight-fuzz %D%/ring-fuzz \
	%D%/text-fuzz %D%/whole-fuzz
check_LTLIBRARIES += %D%/libdriver.la
tests_fuzz_libdriver_la_SOURCES = %D%/driver.c %D%/change.h
check_PROGRAMS += $(FUZZERS) %D%/planted-fuzz %D%/planted-bundle-fuzz %D%/seeds
FUZZ_ENGINE = %D%/libdriver.la $(BASE_FLOORS)
FUZZ_LINK =

tests_fuzz_bundle_fuzz_SOURCES = %D%/bundle-fuzz.c %D%/bundle-change.c
tests_fuzz_bundle_fuzz_LDADD = $(DECODE_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_bundle_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_core_fuzz_LDADD = $(DECODE_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_core_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_elf_fuzz_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_fuzz_elf_fuzz_LDADD = $(PROC_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_elf_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_flight_fuzz_LDADD = $(DECODE_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_flight_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_planted_bundle_fuzz_SOURCES = %D%/planted-bundle-fuzz.c %D%/bundle-change.c
tests_fuzz_planted_bundle_fuzz_LDADD = $(DECODE_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_planted_fuzz_LDADD = $(FUZZ_ENGINE)
tests_fuzz_ring_fuzz_SOURCES = %D%/ring-fuzz.c %D%/parcel-change.c %D%/parcel.c %D%/parcel.h
tests_fuzz_ring_fuzz_LDADD = $(CMD_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_ring_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_text_fuzz_LDADD = $(CMD_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_text_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_whole_fuzz_SOURCES = %D%/whole-fuzz.c %D%/parcel-change.c %D%/parcel.c %D%/parcel.h
tests_fuzz_whole_fuzz_LDADD = $(CMD_FLOORS) $(FUZZ_ENGINE)
tests_fuzz_whole_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_seeds_SOURCES = %D%/seeds.c %D%/parcel.c %D%/parcel.h
tests_fuzz_seeds_LDADD = $(EVIDENCE_FLOORS)

SH_TESTS += %D%/fuzz.test
ASAN_TESTS += %D%/fuzz.test
EXTRA_DIST += %D%/elf-seed.c %D%/fuzz.sh

FUZZ_CC = clang
FUZZ_SECONDS = 60
FUZZ_TARGETS =
FUZZ_CORPORA =
fuzz: $(check_LTLIBRARIES) %D%/seeds
	FUZZ_CC='$(FUZZ_CC)' FUZZ_SECONDS='$(FUZZ_SECONDS)' MAKE='$(MAKE)' \
		FUZZ_CORPORA='$(FUZZ_CORPORA)' \
		srcdir='$(abs_srcdir)' top_builddir='$(abs_builddir)' CC='$(CC)' \
		sh $(srcdir)/%D%/fuzz.sh all $(FUZZ_TARGETS)
clean-local: clean-fuzz
clean-fuzz:
	-rm -rf fuzz-build
.PHONY: fuzz clean-fuzz
