# SPDX-License-Identifier: Apache-2.0
#
# To add a unit test: tests/unit/NAME_test.c, and in its floor's local.mk
#	UNIT_TESTS += tests/unit/NAME_test
#	tests_unit_NAME_test_LDADD = $(JOB_FLOORS) $(CMOCKA_LIBS)
# To add a command test: an executable tests/AREA/NAME.test (exit 77 with a last line of reason to
# skip), and here or in the local.mk of its folder
#	SH_TESTS += tests/AREA/NAME.test
# To run it in the ASan or TSan build as well (unit tests do run in the ASan one)
#	ASAN_TESTS += tests/AREA/NAME.test
#	TSAN_TESTS += tests/unit/NAME_test
# Helper programs of tests go to check_PROGRAMS, other files of tests to EXTRA_DIST.
# A test finds $srcdir, $top_builddir and $INQUEST (the program), all absolute, in its environment.

SH_TESTS += \
	%D%/floors.test \
	%D%/hacking.test \
	%D%/house.test \
	%D%/backends.test \
	%D%/prose.test \
	%D%/classes.test \
	%D%/examples.test \
	%D%/findings.test \
	%D%/listed.test \
	%D%/raised.test \
	%D%/lists.test \
	%D%/man.test \
	%D%/public.test \
	%D%/built.test \
	%D%/quickstart.test \
	%D%/ranks.test \
	%D%/run-one.test

if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS = $(UNIT_TESTS) $(SH_TESTS)
else
TESTS = $(SH_TESTS)
endif
check_PROGRAMS += %D%/run-one
tests_run_one_CFLAGS = $(PLAIN_CFLAGS)
dist_check_SCRIPTS = $(SH_TESTS)
EXTRA_DIST += %D%/dist.test %D%/examples.py %D%/findings.tsv \
	%D%/interpreters.py %D%/mutations.py %D%/mutations.tsv %D%/scratch.sh \
	%D%/unit/blank_module.h %D%/unit/elf-forge.h %D%/unit/judged.h %D%/unit/launcher.h \
	%D%/unit/made_file.h %D%/unit/process_of.h %D%/unit/stack_object.h %D%/unit/told_log.h \
	%D%/unit/unit.h

# Each test runs under tests/run-one: a deadline, and nothing it started survives it. In the ASan
# build stack frames stay on the stack: Ubuntu 24.04's gcc 13.2 otherwise moves variables of 64-byte
# alignment, as rings have, to places of 32, and UBSan complains of our code.
TEST_EXTENSIONS = .test
LOG_COMPILER = $(abs_top_builddir)/tests/run-one
TEST_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_srcdir)'; top_builddir='$(abs_builddir)'; INQUEST='$(abs_builddir)/inquest'; \
	CC='$(CC)'; ASAN_OPTIONS="detect_stack_use_after_return=0:$$ASAN_OPTIONS"; \
	export srcdir top_builddir INQUEST CC ASAN_OPTIONS;

# What needs no ptrace, no other process's files and no second: a package's builder plays these.
check-units:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS)'
.PHONY: check-units

# The stages of `quickstart check` beside the whole suite, in builds of their own.
check-asan:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS) $(ASAN_TESTS)'
check-tsan:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TSAN_TESTS)'
list-tsan-tests:
	@echo $(TSAN_TESTS)
# The tarball: made, unpacked, built with the other compiler, installed.
check-dist:
	TEST_TIMEOUT=1500 $(MAKE) $(AM_MAKEFLAGS) check TESTS='%D%/dist.test'
.PHONY: check-asan check-dist check-tsan list-tsan-tests

# Each story of findings.tsv fails once what it tells of is back, in a copy of the tree with a build
# of its own; ONLY="truth-4" plays one finding, test or story.
check-mutations:
	python3 $(srcdir)/tests/mutations.py '$(abs_srcdir)' '$(abs_builddir)/tests/mutations' \
		$(ONLY)
.PHONY: check-mutations

# The examples of inquest-verdicts(7), drawn anew.
examples: inquest
	$(AM_TESTS_ENVIRONMENT) python3 $(srcdir)/tests/examples.py --update
.PHONY: examples
