# SPDX-License-Identifier: Apache-2.0
# Files that want to hurt who reads them: bombs, holes, links, pipes.
check_PROGRAMS += %D%/make-bomb
tests_hurt_make_bomb_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS)
tests_hurt_make_bomb_LDADD = $(EVIDENCE_FLOORS)
SH_TESTS += %D%/bombs.test %D%/painted.test
EXTRA_DIST += %D%/taken.py
