# SPDX-License-Identifier: Apache-2.0
#
# `make check-gpu`: the real libnccl.so.2 on a real GPU. Elsewhere its tests skip, and say why.
GPU_TESTS = %D%/hangs.test %D%/completion.test %D%/torch.test
check_PROGRAMS += %D%/gpu-there
%C%_gpu_there_CFLAGS = $(PLAIN_CFLAGS)
%C%_gpu_there_LDADD = -ldl
dist_check_SCRIPTS += $(GPU_TESTS)
EXTRA_DIST += %D%/gpu.sh %D%/one-gpu.sh %D%/small.sh
SH_TESTS += %D%/rehearsal.test

check-gpu: all
	TEST_TIMEOUT=6000 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(GPU_TESTS)'
	@for test in $(GPU_TESTS); do echo "== $$test"; cat "$${test%.test}.log"; done
.PHONY: check-gpu
