# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libbase.la
src_base_libbase_la_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"' \
	-DSTANDINDIR='"$(standindir)"' -DSCENARIOSDIR='"$(scenariosdir)"'
src_base_libbase_la_SOURCES = \
	%D%/alloc.c %D%/alloc.h \
	%D%/arena.c %D%/arena.h \
	%D%/array.c %D%/array.h \
	%D%/clock.c %D%/clock.h \
	%D%/complaint.c %D%/complaint.h \
	%D%/file.c %D%/file.h \
	%D%/paths.c %D%/paths.h \
	%D%/str.c %D%/str.h
