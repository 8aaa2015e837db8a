# SPDX-License-Identifier: Apache-2.0
#
# Dumps of PyTorch's Flight Recorder.
SH_TESTS += %D%/doors.test %D%/faults.test %D%/gloo.test %D%/many.test %D%/nights.test \
	%D%/parts.test %D%/played.test %D%/spoilt.test %D%/stacks.test %D%/truths.test \
	%D%/untold.test %D%/verdicts.test
TSAN_TESTS += %D%/played.test
EXTRA_DIST += %D%/doors.py %D%/dumps.py %D%/faults.py %D%/nights.py %D%/parts.py \
	%D%/played.py %D%/sets.py %D%/spoilt.py %D%/truth.py %D%/truths.py %D%/untold.py \
	%D%/verdicts.py
