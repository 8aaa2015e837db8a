# SPDX-License-Identifier: Apache-2.0
#
# What the tests of trouble share, beside tests/cli/cli.sh: jobs of `sums` on the stand-in.
#
#	$launch DIR N WORD...	plays N ranks of sums (launch.sh)
#	inside TEST		goes on with the rest of the test in a mount namespace, as root
#	skip REASON		this machine cannot do it

. "$srcdir/tests/cli/cli.sh"

LD_LIBRARY_PATH=$top_builddir/fixtures/standin/.libs
export LD_LIBRARY_PATH
unset RANK LOCAL_RANK WORLD_SIZE TORCHELASTIC_RESTART_COUNT INQUEST_COMPLETION
probe=$top_builddir/.libs/libinquest-probe.so
refuse=$top_builddir/tests/tools/refuse
launch=$srcdir/tests/trouble/launch.sh

skip() {
	echo "skipped: $*"
	exit 77
}

inside() {
	[ -z "${TROUBLE_INSIDE:-}" ] || return 0
	[ "$(id -u)" = 0 ] || skip "only root can mount"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	TROUBLE_INSIDE=1 unshare -m --propagation private "$1"
	exit $?
}
