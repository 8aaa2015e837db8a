# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libproc.la
src_proc_libproc_la_SOURCES =
