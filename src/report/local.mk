# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libreport.la
src_report_libreport_la_SOURCES = \
	%D%/folded.c \
	%D%/json.c \
	%D%/json-line.c %D%/json-line.h \
	%D%/json-coverage.c %D%/json-coverage.h \
	%D%/json-parts.c %D%/json-parts.h \
	%D%/json-stacks.c %D%/json-stacks.h \
	%D%/paint.c %D%/paint.h \
	%D%/compare-json.c %D%/compare-json.h \
	%D%/receipt-text.c %D%/receipt-text.h \
	%D%/receipt-json.c %D%/receipt-json.h \
	%D%/report.h \
	%D%/report-stacks.c \
	%D%/sheet.c %D%/sheet.h \
	%D%/table.c %D%/table.h \
	%D%/text.c
src_report_libreport_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)

UNIT_TESTS += tests/unit/report/report_time_test
tests_unit_report_report_time_test_SOURCES = tests/unit/report/report_time_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_report_report_time_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(JSON_CFLAGS)
tests_unit_report_report_time_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/report/report_test
tests_unit_report_report_test_SOURCES = tests/unit/report/report_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_report_report_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(JSON_CFLAGS)
tests_unit_report_report_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/report/report_stacks_test
tests_unit_report_report_stacks_test_SOURCES = tests/unit/report/report_stacks_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_report_report_stacks_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(JSON_CFLAGS)
tests_unit_report_report_stacks_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/report/page_test
tests_unit_report_page_test_SOURCES = tests/unit/report/page_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_report_page_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(JSON_CFLAGS)
tests_unit_report_page_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/report/words_test
tests_unit_report_words_test_SOURCES = tests/unit/report/words_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_report_words_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(JSON_CFLAGS)
tests_unit_report_words_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/report/report_line_test
tests_unit_report_report_line_test_SOURCES = tests/unit/report/report_line_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_report_report_line_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(JSON_CFLAGS)
tests_unit_report_report_line_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
