# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libenvrules.la
src_envrules_libenvrules_la_SOURCES = \
	%D%/envrules.c %D%/envrules.h \
	%D%/envrules-lists.h \
	%D%/envrules-cuda.c \
	%D%/envrules-launch.c \
	%D%/envrules-nccl.c \
	%D%/envrules-torch.c

UNIT_TESTS += tests/unit/envrules/envrules_test
tests_unit_envrules_envrules_test_LDADD = src/envrules/libenvrules.la $(BASE_FLOORS) $(CMOCKA_LIBS)
