# SPDX-License-Identifier: Apache-2.0
#
# `make check-slurm`: jobs in a real Slurm of four nodes, which the tests start and end themselves
# (bed.sh); without Debian's slurm-wlm and munge they skip. The quick ones are a part of check.
EXTRA_DIST += %D%/bed.sh %D%/ranks.sh $(SLURM_LONG_TESTS)
SLURM_TESTS = %D%/attach.test %D%/bed.test %D%/rally.test
SLURM_LONG_TESTS = %D%/ends.test %D%/forms.test %D%/kinds.test %D%/limit.test %D%/requeue.test
SH_TESTS += $(SLURM_TESTS)
check-slurm: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(SLURM_TESTS) $(SLURM_LONG_TESTS)'
.PHONY: check-slurm
