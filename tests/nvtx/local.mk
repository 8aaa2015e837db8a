# SPDX-License-Identifier: Apache-2.0
#
# NCCL's ranges of NVTX and its profiler plugin: routes of programs that no wrapper sees.
check_PROGRAMS += %D%/caller %D%/client %D%/plugin
check_LTLIBRARIES += %D%/libtool-nvtx.la

%C%_caller_CFLAGS = $(PLAIN_CFLAGS)
%C%_caller_LDADD = -ldl

%C%_client_CPPFLAGS = $(RANK_INCLUDES)
%C%_client_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_client_LDFLAGS = $(RANK_LINK)
%C%_client_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_%C%_client_DEPENDENCIES = $(STANDIN_LIBS)

%C%_plugin_CPPFLAGS = $(RANK_INCLUDES)
%C%_plugin_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_plugin_LDFLAGS = $(RANK_LINK)
%C%_plugin_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_%C%_plugin_DEPENDENCIES = $(STANDIN_LIBS)

%C%_libtool_nvtx_la_SOURCES = %D%/tool.c
%C%_libtool_nvtx_la_CFLAGS = $(PLAIN_CFLAGS) -fvisibility=default
%C%_libtool_nvtx_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
%C%_libtool_nvtx_la_LIBADD = -ldl

SH_TESTS += %D%/routes.test %D%/plugin.test %D%/ranges.test %D%/real.test %D%/verdicts.test
EXTRA_DIST += %D%/nvtx.sh %D%/examine.py %D%/word.h
