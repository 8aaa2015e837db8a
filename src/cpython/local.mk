# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libcpython.la
src_cpython_libcpython_la_SOURCES = %D%/layout.c %D%/layout.h %D%/lines.c %D%/lines.h
