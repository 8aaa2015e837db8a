# SPDX-License-Identifier: Apache-2.0
#
# What the tests of verbs share: a scratch folder with a place for jobs of its own, and words for
# "this is what happened". Source it; it ends what was started and cleans up.

: "${INQUEST:?is set by make check}"
. "$srcdir/tests/scratch.sh"
scratch=$(mktemp -d) || exit 99
started=
INQUEST_DIR=$scratch/jobs
INQUEST_OUT=$scratch/out
export INQUEST_DIR INQUEST_OUT
unset NO_COLOR LD_PRELOAD INQUEST_JOB_DIR

clean_up() {
	for pid in $started; do
		kill -CONT "$pid" 2>/dev/null
		kill "$pid" 2>/dev/null
	done
	for pid in $started; do
		wait "$pid" 2>/dev/null
	done
	remove_scratch
}

trap clean_up EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	echo "--- stdout"
	cat "$scratch/stdout" 2>/dev/null
	echo "--- stderr"
	cat "$scratch/stderr" 2>/dev/null
	exit 1
}

# gives STATUS COMMAND...: runs it, keeping stdout and stderr; its status must be that one.
gives() {
	expected=$1
	shift
	"$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
	status=$?
	[ "$status" = "$expected" ] || fail "$* gave $status, not $expected"
}

# says PATTERN: the last command's stderr is one line, which has the pattern.
says() {
	[ "$(wc -l <"$scratch/stderr")" = 1 ] || fail "not one line of complaint"
	grep -q -e "$1" "$scratch/stderr" || fail "no word of: $1"
}

# prints PATTERN: some line of the last command's stdout has it.
prints() {
	grep -q -e "$1" "$scratch/stdout" || fail "does not print: $1"
}

# until_true WHAT COMMAND...: tries again and again, for a minute, or $until_tries times.
until_true() {
	what=$1
	shift
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -le "${until_tries:-600}" ] || fail "still not: $what"
		sleep 0.1
	done
}

# start COMMAND...: in the background; its pid is in $!. What the last one said is gone at once: the
# new one may come to that later than who asks.
start() {
	: >"$scratch/started.stdout" >"$scratch/started.stderr"
	"$@" >"$scratch/started.stdout" 2>"$scratch/started.stderr" </dev/null &
	started="$started $!"
}
