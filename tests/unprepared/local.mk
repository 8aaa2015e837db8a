# SPDX-License-Identifier: Apache-2.0
#
# Programs written against nccl.h in other styles than ours, and examined all the same. They use no
# part of this house but the stand-in's headers and libraries.
UNPREPARED = %D%/async %D%/bare %D%/exchange %D%/forked %D%/stages %D%/threads
check_PROGRAMS += $(UNPREPARED)
SH_TESTS += %D%/several.test %D%/started.test
EXTRA_DIST += %D%/examine.py

%C%_async_SOURCES = %D%/async.c
%C%_async_CPPFLAGS = $(RANK_INCLUDES)
%C%_async_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_async_LDFLAGS = $(RANK_LINK)
%C%_async_LDADD = $(STANDIN_LIBS)
EXTRA_%C%_async_DEPENDENCIES = $(STANDIN_LIBS)

%C%_bare_SOURCES = %D%/bare.c
%C%_bare_CPPFLAGS = $(RANK_INCLUDES)
%C%_bare_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_bare_LDFLAGS = $(RANK_LINK)
%C%_bare_LDADD = $(STANDIN_LIBS)
EXTRA_%C%_bare_DEPENDENCIES = $(STANDIN_LIBS)

%C%_exchange_SOURCES = %D%/exchange.c
%C%_exchange_CPPFLAGS = $(RANK_INCLUDES)
%C%_exchange_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_exchange_LDFLAGS = $(RANK_LINK)
%C%_exchange_LDADD = $(STANDIN_LIBS)
EXTRA_%C%_exchange_DEPENDENCIES = $(STANDIN_LIBS)

%C%_forked_SOURCES = %D%/forked.c
%C%_forked_CPPFLAGS = $(RANK_INCLUDES)
%C%_forked_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_forked_LDFLAGS = $(RANK_LINK)
%C%_forked_LDADD = $(STANDIN_LIBS)
EXTRA_%C%_forked_DEPENDENCIES = $(STANDIN_LIBS)

%C%_stages_SOURCES = %D%/stages.c
%C%_stages_CPPFLAGS = $(RANK_INCLUDES)
%C%_stages_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_stages_LDFLAGS = $(RANK_LINK)
%C%_stages_LDADD = $(STANDIN_LIBS)
EXTRA_%C%_stages_DEPENDENCIES = $(STANDIN_LIBS)

%C%_threads_SOURCES = %D%/threads.c
%C%_threads_CPPFLAGS = $(RANK_INCLUDES)
%C%_threads_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_threads_LDFLAGS = $(RANK_LINK)
%C%_threads_LDADD = $(STANDIN_LIBS)
EXTRA_%C%_threads_DEPENDENCIES = $(STANDIN_LIBS)
