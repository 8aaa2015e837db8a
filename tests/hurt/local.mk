# SPDX-License-Identifier: Apache-2.0
# Files that want to hurt who reads them: bombs, holes, links, pipes.
check_PROGRAMS += %D%/make-bomb
tests_hurt_make_bomb_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS)
tests_hurt_make_bomb_LDADD = $(EVIDENCE_FLOORS)
SH_TESTS += %D%/bombs.test %D%/crowds.test %D%/painted.test
EXTRA_DIST += %D%/taken.py

# Very many of one thing. Any of them grows by one power only.
check_PROGRAMS += %D%/crowds
tests_hurt_crowds_SOURCES = %D%/crowds.c %D%/crowds.h %D%/crowds-exhibits.c %D%/crowds-facts.c \
	$(FLIGHT_EMIT)
tests_hurt_crowds_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_hurt_crowds_LDADD = src/report/libreport.la src/words/libwords.la src/verdict/libverdict.la \
	$(DECODE_FLOORS) $(JSON_LIBS) -lm
