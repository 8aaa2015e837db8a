# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libcmd.la
src_cmd_libcmd_la_SOURCES =
src_cmd_libcmd_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
