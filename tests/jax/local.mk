# SPDX-License-Identifier: Apache-2.0
#
# Jobs of the real JAX, where $INQUEST_JAX (else python3) has it; hangs.test says how to make one.
SH_TESTS += %D%/hangs.test %D%/slurm.test
EXTRA_DIST += %D%/train.py

# Each way to hang, with the table of what is said.
check-jax: all
	INQUEST_JAX_WORDS="late absent ahead apart barrier keyed some sync orbax compiles raises \
		killed stopped mpirun" \
		TEST_TIMEOUT=2000 $(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='%D%/hangs.test %D%/slurm.test'
	@grep -h ': ' %D%/hangs.log %D%/slurm.log
.PHONY: check-jax
