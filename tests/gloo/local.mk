# SPDX-License-Identifier: Apache-2.0
#
# Programs that call gloo itself, with the probe, on the library that is installed; they are built
# by the tests, which skip where there is none.
SH_TESTS += %D%/records.test %D%/hangs.test
EXTRA_DIST += %D%/gloo.sh %D%/ranks.cc
