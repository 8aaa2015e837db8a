# SPDX-License-Identifier: Apache-2.0
#
# `make check-one-file`, in the build of `./quickstart static`: the tests of the verbs with the
# static program, and what only it does; `make old-root' before it brings another root to try it
# in. Elsewhere its own tests skip. What is not here: preflight.test, since no library of NVIDIA's
# can be loaded by a static program, and hostile.test, which wants one that cannot be sent along.
SH_TESTS += %D%/onefile.test %D%/elsewhere.test %D%/wheel.test
ONE_FILE_TESTS = %D%/onefile.test %D%/elsewhere.test %D%/wheel.test \
	tests/cli/agent.test tests/cli/completion.test tests/cli/demo.test tests/cli/jobs.test \
	tests/cli/joblog.test tests/cli/many-nodes.test tests/cli/past.test \
	tests/cli/quiet.test tests/cli/receipts.test tests/cli/records.test \
	tests/cli/signals.test tests/cli/status.test tests/cli/transparent.test \
	tests/cli/unprobed.test tests/cli/unreadable.test tests/cli/usage.test \
	tests/flight/verdicts.test tests/foreign/found.test tests/foreign/parked.test \
	tests/ring/dump.test tests/stack/tree.test tests/reach/hosts.test tests/reach/pods.test \
	tests/reach/bare.test tests/reach/streamed.test \
	tests/trouble/roots.test tests/trouble/stops.test \
	tests/trouble/users.test tests/viewer/screens.test tests/viewer/terminal.test \
	tests/viewer/view.test tests/viewer/documents.test
# The root of the oldest Debian that its mirrors have (glibc 2.31), as root, 250 MiB.
OLD_ROOT = $(abs_top_srcdir)/build/roots/bullseye
old-root:
	test -x $(OLD_ROOT)/bin/sleep || debootstrap --variant=minbase bullseye $(OLD_ROOT) \
		http://deb.debian.org/debian
check-one-file:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(ONE_FILE_TESTS)'
.PHONY: check-one-file old-root
