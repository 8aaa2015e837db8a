# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += %D%/client
%C%_client_CPPFLAGS = $(RANK_INCLUDES)
%C%_client_CFLAGS = $(PLAIN_CFLAGS)
%C%_client_LDFLAGS = $(RANK_LINK)
%C%_client_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_%C%_client_DEPENDENCIES = $(STANDIN_LIBS)

check_PROGRAMS += %D%/plugin
%C%_plugin_CPPFLAGS = $(RANK_INCLUDES)
%C%_plugin_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_plugin_LDFLAGS = $(RANK_LINK)
%C%_plugin_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_%C%_plugin_DEPENDENCIES = $(STANDIN_LIBS)

SH_TESTS += %D%/plugin.test %D%/ranges.test %D%/verdicts.test
EXTRA_DIST += %D%/nvtx.sh %D%/examine.py
