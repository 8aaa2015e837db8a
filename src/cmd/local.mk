# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libcmd.la
src_cmd_libcmd_la_SOURCES = \
	%D%/cmd.h \
	%D%/complain.c \
	%D%/ls.c \
	%D%/outlet.c %D%/outlet.h \
	%D%/ring.c %D%/ring-fields.c %D%/ring-fields.h %D%/ring-json.c %D%/ring-text.c
src_cmd_libcmd_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
