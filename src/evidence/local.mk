# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libevidence.la
src_evidence_libevidence_la_SOURCES =
src_evidence_libevidence_la_CPPFLAGS = $(AM_CPPFLAGS) $(MSGPACK_CFLAGS) $(ZSTD_CFLAGS)
