# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libring.la
src_ring_libring_la_SOURCES = %D%/ring.h %D%/census.h
src_ring_libring_la_SOURCES += %D%/calls.h %D%/calls.def
