# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libring.la
src_ring_libring_la_SOURCES = %D%/ring.h %D%/census.h
