# SPDX-License-Identifier: Apache-2.0
#
# What is private stays where it is (law 11).
check_PROGRAMS += %D%/scrub %D%/rank
%C%_scrub_SOURCES = %D%/scrub.c
%C%_scrub_LDADD = $(EVIDENCE_FLOORS)
%C%_rank_SOURCES = %D%/rank.c
%C%_rank_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)
%C%_rank_CFLAGS = $(PLAIN_CFLAGS)

SH_TESTS += %D%/canary.test %D%/recorded.test
