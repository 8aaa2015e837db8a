# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += %D%/show
tests_probe_show_LDADD = $(RING_FLOORS)

# A rank as anybody would write it: public headers, the stand-in by its sonames.
check_PROGRAMS += %D%/ranks
tests_probe_ranks_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/fixtures/standin/include -I$(srcdir)
tests_probe_ranks_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_ranks_LDFLAGS = $(RANK_LINK)
tests_probe_ranks_LDADD = $(STANDIN_LIBS)
EXTRA_tests_probe_ranks_DEPENDENCIES = $(STANDIN_LIBS)

check_PROGRAMS += %D%/deeds
tests_probe_deeds_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)
tests_probe_deeds_CFLAGS = $(PLAIN_CFLAGS) -pthread

SH_TESTS += %D%/symbols.test %D%/nccl.test
EXTRA_DIST += %D%/probe.sh
SH_TESTS += %D%/signals.test %D%/deaths.test %D%/life.test %D%/marks.test %D%/norun.test \
	%D%/space.test
EXTRA_DIST += %D%/marker.c

SH_TESTS += %D%/refused.test %D%/tools.test %D%/identity.test

check_PROGRAMS += %D%/arguments
tests_probe_arguments_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/fixtures/standin/include
tests_probe_arguments_CFLAGS = $(PLAIN_CFLAGS)
tests_probe_arguments_LDFLAGS = $(RANK_LINK)
tests_probe_arguments_LDADD = $(STANDIN_LIBS)
EXTRA_tests_probe_arguments_DEPENDENCIES = $(STANDIN_LIBS)
SH_TESTS += %D%/real.test
