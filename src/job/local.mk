# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libjob.la
src_job_libjob_la_SOURCES = \
	%D%/build.c %D%/build.h \
	%D%/job.h \
	%D%/names.c %D%/names.h \
	%D%/raw.h \
	%D%/seal.c %D%/seal.h \
	%D%/seal-facts.c \
	%D%/seal-groups.c \
	%D%/seal-people.c \
	%D%/seal-ranks.c
