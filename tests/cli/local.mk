# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/cli.sh %D%/fellows.sh
SH_TESTS += \
	%D%/agent.test \
	%D%/cost.test \
	%D%/demo.test \
	%D%/fellows.test \
	%D%/fellows-apart.test %D%/fellows-namesake.test %D%/fellows-shared.test \
	%D%/fellows-changes.test %D%/fellows-full.test \
	%D%/fellows-unmet.test %D%/fellows-question.test \
	%D%/fellows-heir.test %D%/fellows-late.test %D%/fellows-moved.test \
	%D%/rally-memory.test \
	%D%/fellows-end.test \
	%D%/joblog.test %D%/jobs.test %D%/remains.test %D%/remains-jobs.test \
	%D%/remains-runs.test %D%/debug-server.test %D%/debug-tables.test %D%/hang-detector.test \
	%D%/remains-real.test \
	%D%/many-nodes.test \
	%D%/past.test \
	%D%/quiet.test \
	%D%/raised.test \
	%D%/receipts.test \
	%D%/records.test \
	%D%/shared-log.test \
	%D%/signals.test \
	%D%/status.test \
	%D%/transparent.test %D%/typed.test \
	%D%/completion.test \
	%D%/copied.test \
	%D%/unprobed.test \
	%D%/unreadable.test \
	%D%/usage.test
ASAN_TESTS += \
	%D%/joblog.test %D%/jobs.test %D%/remains.test %D%/remains-jobs.test \
	%D%/remains-runs.test %D%/debug-server.test %D%/debug-tables.test %D%/hang-detector.test \
	%D%/remains-real.test \
	%D%/unreadable.test \
	%D%/usage.test
