# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libwords.la
src_words_libwords_la_SOURCES = \
	%D%/branches.c %D%/branches.h \
	%D%/breaks.c %D%/breaks.h \
	%D%/coverage.c %D%/coverage.h \
	%D%/doing.c %D%/doing.h \
	%D%/escape.c %D%/escape.h \
	%D%/evidence-lines.c %D%/evidence-lines.h \
	%D%/everywhere.c %D%/everywhere.h \
	%D%/frames.c %D%/frames.h \
	%D%/headline.c %D%/headline.h \
	%D%/last-quotes.c %D%/last-quotes.h \
	%D%/next.c %D%/next.h \
	%D%/page.c %D%/page.h \
	%D%/phrases.c %D%/phrases.h \
	%D%/preset.c %D%/preset.h \
	%D%/rank-names.c %D%/rank-names.h \
	%D%/drift-words.c %D%/drift-words.h \
	%D%/receipt-table.c %D%/receipt-table.h \
	%D%/receipt-words.c %D%/receipt-words.h \
	%D%/source-places.c %D%/source-places.h \
	%D%/steps.c %D%/steps.h \
	%D%/summary.c %D%/summary.h \
	%D%/tense.c %D%/tense.h \
	%D%/things.c %D%/things.h \
	%D%/wording.c %D%/wording.h

UNIT_TESTS += tests/unit/words/breaks_test
tests_unit_words_breaks_test_SOURCES = tests/unit/words/breaks_test.c tests/unit/unit.h
tests_unit_words_breaks_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_words_breaks_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/words/preset_test
tests_unit_words_preset_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_words_preset_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/words/source_places_test
tests_unit_words_source_places_test_SOURCES = tests/unit/words/source_places_test.c \
	tests/unit/unit.h
tests_unit_words_source_places_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_unit_words_source_places_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/words/next_test
tests_unit_words_next_test_SOURCES = tests/unit/words/next_test.c \
	tests/unit/report_job.c tests/unit/report_job.h tests/unit/unit.h
tests_unit_words_next_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(JSON_CFLAGS)
tests_unit_words_next_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)
