# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libverdict.la
src_verdict_libverdict_la_SOURCES =
