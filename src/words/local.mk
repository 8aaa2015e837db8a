# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libwords.la
src_words_libwords_la_SOURCES = \
	%D%/attempts.c %D%/attempts.h \
	%D%/branches.c %D%/branches.h \
	%D%/disturbed.c %D%/disturbed.h \
	%D%/doing.c %D%/doing.h \
	%D%/escape.c %D%/escape.h \
	%D%/first.c %D%/first.h \
	%D%/frames.c %D%/frames.h \
	%D%/headline.c %D%/headline.h \
	%D%/lastwords.c %D%/lastwords.h \
	%D%/losses.c %D%/losses.h \
	%D%/merge.c %D%/merge.h \
	%D%/ranks.c %D%/ranks.h \
	%D%/read.c %D%/read.h \
	%D%/wording.c %D%/wording.h
