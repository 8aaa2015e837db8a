# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libpreflight.la
src_preflight_libpreflight_la_SOURCES = \
	%D%/bandwidth.c %D%/bandwidth.h \
	%D%/cache-seed.c %D%/cache-seed.h \
	%D%/check.h \
	%D%/gpus.c %D%/gpus.h \
	%D%/host.c \
	%D%/interpreter.c %D%/interpreter.h \
	%D%/kernel-log.c %D%/kernel-log.h \
	%D%/preflight-launch.c %D%/preflight-launch.h \
	%D%/nics.c %D%/nics.h \
	%D%/nvml.c %D%/nvml.h \
	%D%/preflight-look.c %D%/preflight.h \
	%D%/runtime.c \
	%D%/storage.c %D%/storage.h
src_preflight_libpreflight_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)

UNIT_TESTS += tests/unit/preflight/preflight_parts_test
tests_unit_preflight_preflight_parts_test_LDADD = $(PREFLIGHT_FLOORS) $(CMOCKA_LIBS)
