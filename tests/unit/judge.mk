# SPDX-License-Identifier: Apache-2.0
#
# Unit tests of jobs and verdicts: all stand on jobs made by hand (facts.h).
JUDGE_TESTS = \
	%D%/verdict_compile_test

UNIT_TESTS += $(JUDGE_TESTS)
EXTRA_DIST += %D%/facts.h
tests_unit_verdict_compile_test_SOURCES = %D%/verdict_compile_test.c %D%/facts.c
tests_unit_verdict_compile_test_LDADD = $(VERDICT_FLOORS) $(CMOCKA_LIBS)
