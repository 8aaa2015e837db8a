# SPDX-License-Identifier: Apache-2.0
#
# The demo's jobs, played and examined; see examine.py.
SCENARIO_TESTS = \
	%D%/aligned.test %D%/cascade.test %D%/compile.test %D%/death.test %D%/device.test \
	%D%/empty.test %D%/exit.test %D%/graph.test %D%/host.test %D%/lost.test \
	%D%/mismatch.test %D%/oom.test %D%/order.test %D%/path.test %D%/start.test \
	%D%/uneven.test %D%/well.test
SH_TESTS += %D%/crowd.test %D%/deadline.test %D%/every.test %D%/nodes.test %D%/peek.test \
	$(SCENARIO_TESTS)
EXTRA_DIST += %D%/examine.py %D%/nodes.py %D%/peek.py
# Also the judge and the reports with sanitizers, on evidence of real jobs and parts of it.
ASAN_TESTS += %D%/lost.test %D%/path.test
