# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libdecode.la
src_decode_libdecode_la_SOURCES =
