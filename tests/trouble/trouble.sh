# SPDX-License-Identifier: Apache-2.0
#
# What the tests of trouble share, beside tests/cli/cli.sh: jobs of `sums` on the stand-in.
#
#	$launch DIR N WORD...	plays N ranks of sums (launch.sh)
#	job N WORD...		the same under an agent ($agent), in the background, as job $name
#	judged CLASS [RANKS]	waits until the verdict on it is that one
#	end_job			tells it to end, and waits until it has
#	pid_of RANK		of the job
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

jobs=0
agent=
job() {
	rm -rf "$scratch/play" "$scratch/out"
	jobs=$((jobs + 1))
	name=job-$jobs-$$ # another test has jobs, too: who ended is sought among all
	start "$INQUEST" run --name $name --hang-after "${hang_after:-5}" -- \
		"$launch" "$scratch/play" "$@"
	agent=$!
}

# The first verdict of JSON on stdin, as class and culprits: "rank-death [3]".
first_verdict() {
	python3 -c '
import json, sys
first = json.load(sys.stdin)["verdicts"][0]
print(first["class"], first["culprits"])' 2>/dev/null
}

is_judged() {
	[ "$($ask_with "$INQUEST" attach --json $name 2>/dev/null | first_verdict)" = "$1" ]
}
ask_with=

judged() {
	until_true "a verdict: $1 ${2:-[]}" is_judged "$1 ${2:-[]}"
}

end_job() {
	[ -n "$agent" ] || return 0
	kill "$agent"
	wait "$agent" 2>/dev/null
	agent=
}

pid_of() {
	cat "$scratch/play/$1.pid"
}
