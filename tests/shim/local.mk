# SPDX-License-Identifier: Apache-2.0
#
# What the shim (probes/shim/) tells of PyTorch, Triton and JAX, on fake packages of these names.
SH_TESTS += %D%/told.test
EXTRA_DIST += %D%/fakes.py %D%/job.py %D%/told.py
