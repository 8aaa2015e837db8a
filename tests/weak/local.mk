# SPDX-License-Identifier: Apache-2.0
#
# Law 9: evidence made less, in every way that we know, never says more; see weaken.c.
check_PROGRAMS += %D%/weaken
%C%_weaken_SOURCES = %D%/weaken.c %D%/charge.c %D%/charge.h %D%/clocks.c %D%/clocks.h \
	%D%/heap.c %D%/heap.h %D%/pairs.c %D%/pairs.h %D%/past.c %D%/past.h %D%/plant.c \
	%D%/plant.h %D%/rewind.c %D%/rewind.h %D%/rewind-ops.c %D%/rewind-ops.h %D%/spread.c \
	%D%/spread.h %D%/steps.c %D%/steps.h %D%/ways.c %D%/ways.h %D%/whole.c %D%/whole.h
%C%_weaken_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
%C%_weaken_LDADD = $(CMD_FLOORS)
SH_TESTS += %D%/weaken.test
EXTRA_DIST += %D%/all.sh %D%/truths.sh

# Programs of which the truth is known, made less: see programs_test.c.
UNIT_TESTS += %D%/programs_test
%C%_programs_test_SOURCES = %D%/programs_test.c %D%/programs.c %D%/programs.h \
	%D%/programs-play.c %D%/programs-told.c %D%/programs-told.h $(FACTS)
%C%_programs_test_LDADD = $(REPORT_FLOORS) $(CMOCKA_LIBS)

check-weak: all
	$(MAKE) $(AM_MAKEFLAGS) %D%/weaken fixtures/scenarios/draw
	srcdir='$(abs_srcdir)' top_builddir='$(abs_builddir)' INQUEST='$(abs_builddir)/inquest' \
		'$(srcdir)/%D%/all.sh' '$(abs_builddir)/%D%/jobs'
.PHONY: check-weak
