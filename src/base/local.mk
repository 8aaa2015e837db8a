# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libbase.la
src_base_libbase_la_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"' \
	-DSTANDINDIR='"$(standindir)"' -DSCENARIOSDIR='"$(scenariosdir)"'
src_base_libbase_la_SOURCES = \
	%D%/address.c %D%/address.h \
	%D%/alloc.c %D%/alloc.h \
	%D%/ansi.c %D%/ansi.h \
	%D%/arena.c %D%/arena.h \
	%D%/array.c %D%/array.h \
	%D%/base64.c %D%/base64.h \
	%D%/bisect.h \
	%D%/checked.h \
	%D%/clock.c %D%/clock.h \
	%D%/complaint.c %D%/complaint.h \
	%D%/crew.c %D%/crew.h \
	%D%/env.c %D%/env.h \
	%D%/fds.c %D%/fds.h \
	%D%/file.c %D%/file.h \
	%D%/follow.c %D%/follow.h \
	%D%/hash.h \
	%D%/meter.c %D%/meter.h \
	%D%/numbers.c %D%/numbers.h \
	%D%/packed.c %D%/packed.h \
	%D%/paths.c %D%/paths.h \
	%D%/procstat.c %D%/procstat.h \
	%D%/rank.h \
	%D%/redact.c %D%/redact.h \
	%D%/redact-args.c %D%/redact-find.c %D%/redact-through.c \
	%D%/redact-names.c %D%/redact-names.h \
	%D%/sha256.c %D%/sha256.h \
	%D%/str.c %D%/str.h \
	%D%/wordset.c %D%/wordset.h

UNIT_TESTS += tests/unit/base/alloc_test
tests_unit_base_alloc_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/arena_test
tests_unit_base_arena_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/array_test
tests_unit_base_array_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/bisect_test
tests_unit_base_bisect_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/clock_test
tests_unit_base_clock_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/complaint_test
tests_unit_base_complaint_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/crew_test
tests_unit_base_crew_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
TSAN_TESTS += tests/unit/base/crew_test
UNIT_TESTS += tests/unit/base/file_test
tests_unit_base_file_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/meter_test
tests_unit_base_meter_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/paths_test
tests_unit_base_paths_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/redact_test
tests_unit_base_redact_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/str_test
tests_unit_base_str_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/wordset_test
tests_unit_base_wordset_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/base/procstat_test
tests_unit_base_procstat_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
