# SPDX-License-Identifier: Apache-2.0
#
# The stand-in against a scalar reference, and in what it makes ranks wait for. The programs are
# linked against the stand-in as any program is against NCCL.

STANDIN_TEST_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir) -I$(srcdir)/fixtures/standin/include
STANDIN_TEST_LIBS = fixtures/standin/libnccl.la fixtures/standin/libcudart.la \
	fixtures/standin/libcuda.la $(CMOCKA_LIBS)

# Threads of the stand-in against each other. The programs, as any program, are else not sanitized.
TSAN_TESTS += %D%/collective_test %D%/comm_test %D%/cuda_test %D%/waiting_test
STANDIN_TEST_CFLAGS = $(PLAIN_CFLAGS)
if TSAN
STANDIN_TEST_CFLAGS += $(SANITIZE_CFLAGS)
endif

UNIT_TESTS += \
	%D%/collective_test \
	%D%/comm_test \
	%D%/cuda_test \
	%D%/waiting_test

%C%_collective_test_SOURCES = %D%/collective_test.c %D%/ranks.c %D%/ranks.h \
	%D%/scalar.c %D%/scalar.h
%C%_collective_test_CPPFLAGS = $(STANDIN_TEST_CPPFLAGS)
%C%_collective_test_CFLAGS = $(STANDIN_TEST_CFLAGS)
%C%_collective_test_LDADD = $(STANDIN_TEST_LIBS) -lm

%C%_comm_test_SOURCES = %D%/comm_test.c %D%/ranks.c %D%/ranks.h
%C%_comm_test_CPPFLAGS = $(STANDIN_TEST_CPPFLAGS)
%C%_comm_test_CFLAGS = $(STANDIN_TEST_CFLAGS)
%C%_comm_test_LDADD = $(STANDIN_TEST_LIBS)

%C%_cuda_test_SOURCES = %D%/cuda_test.c
%C%_cuda_test_CPPFLAGS = $(STANDIN_TEST_CPPFLAGS)
%C%_cuda_test_CFLAGS = $(STANDIN_TEST_CFLAGS)
%C%_cuda_test_LDADD = $(STANDIN_TEST_LIBS)

%C%_waiting_test_SOURCES = %D%/waiting_test.c %D%/ranks.c %D%/ranks.h
%C%_waiting_test_CPPFLAGS = $(STANDIN_TEST_CPPFLAGS)
%C%_waiting_test_CFLAGS = $(STANDIN_TEST_CFLAGS)
%C%_waiting_test_LDADD = $(STANDIN_TEST_LIBS)

SH_TESTS += %D%/abi.test %D%/foreign.test %D%/symbols.test
EXTRA_DIST += %D%/foreign.c
