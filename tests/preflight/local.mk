# SPDX-License-Identifier: Apache-2.0
SH_TESTS += %D%/preflight.test
SH_TESTS += %D%/machine.test
