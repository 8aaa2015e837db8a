# SPDX-License-Identifier: Apache-2.0
#
# `make check-one-file`, in the build of `./quickstart static`: the tests of the verbs with the
# static program, and what only it does. Elsewhere its own test skips.
SH_TESTS += %D%/onefile.test %D%/wheel.test
ONE_FILE_TESTS = %D%/onefile.test %D%/wheel.test \
	tests/cli/agent.test tests/cli/demo.test tests/cli/jobs.test tests/cli/past.test \
	tests/cli/records.test tests/cli/signals.test tests/cli/transparent.test \
	tests/cli/unprobed.test tests/cli/unreadable.test tests/cli/usage.test \
	tests/reach/hosts.test tests/reach/streamed.test \
	tests/trouble/roots.test tests/trouble/stops.test \
	tests/trouble/users.test tests/viewer/screens.test tests/viewer/terminal.test \
	tests/viewer/view.test tests/viewer/documents.test
check-one-file:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(ONE_FILE_TESTS)'
.PHONY: check-one-file
