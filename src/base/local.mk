# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libbase.la
src_base_libbase_la_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"' \
	-DSTANDINDIR='"$(standindir)"' -DSCENARIOSDIR='"$(scenariosdir)"'
src_base_libbase_la_SOURCES = \
	%D%/alloc.c %D%/alloc.h \
	%D%/arena.c %D%/arena.h \
	%D%/array.c %D%/array.h \
	%D%/checked.h \
	%D%/clock.c %D%/clock.h \
	%D%/complaint.c %D%/complaint.h \
	%D%/file.c %D%/file.h \
	%D%/meter.c %D%/meter.h \
	%D%/numbers.c %D%/numbers.h \
	%D%/paths.c %D%/paths.h \
	%D%/procstat.c %D%/procstat.h \
	%D%/rank.h \
	%D%/redact.c %D%/redact.h \
	%D%/redact-args.c \
	%D%/redact-names.c %D%/redact-names.h \
	%D%/str.c %D%/str.h

UNIT_TESTS += tests/unit/alloc_test
tests_unit_alloc_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/arena_test
tests_unit_arena_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/array_test
tests_unit_array_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/clock_test
tests_unit_clock_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/complaint_test
tests_unit_complaint_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/file_test
tests_unit_file_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/meter_test
tests_unit_meter_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/paths_test
tests_unit_paths_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/redact_test
tests_unit_redact_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/str_test
tests_unit_str_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/procstat_test
tests_unit_procstat_test_LDADD = $(BASE_FLOORS) $(CMOCKA_LIBS)
