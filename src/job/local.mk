# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libjob.la
src_job_libjob_la_SOURCES = \
	%D%/build.h \
	%D%/job.h \
	%D%/names.c %D%/names.h
