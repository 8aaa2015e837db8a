# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests here: a scratch folder with a job's folder in it, and small words.
#
#	probed CMD...		runs it with the probe, in this job
#	ranks N WORD...		N ranks on the stand-in with the probe, in the background
#	done_by N		waits until N ranks have done all their words
#	shown [FILE...]		the job's census and rings (or these files) as lines
#	has PATTERN, hasnt PATTERN	of what was last kept in $scratch/shown
set -u
: "${srcdir:?}" "${top_builddir:?}"
. "$srcdir/tests/scratch.sh"

probe=$top_builddir/.libs/libinquest-probe.so
here=$top_builddir/tests/probe
standin=$top_builddir/fixtures/standin/.libs
scratch=$(mktemp -d) || exit 99
cd "$scratch" || exit 99	# where the cores of those who die belong
job=$scratch/inquest/job
children=

ended() {
	for child in $children; do
		kill -KILL "$child" 2>/dev/null
	done
	wait 2>/dev/null
	remove_scratch
}
trap ended EXIT
trap 'exit 99' INT TERM

new_job() {
	wait 2>/dev/null
	rm -rf --one-file-system "$scratch/inquest" "$scratch/meet"
	mkdir -p -m 700 "$scratch/inquest" "$job" "$scratch/meet" || exit 99
}
new_job
unset RANK LOCAL_RANK WORLD_SIZE TORCHELASTIC_RESTART_COUNT INQUEST_COMPLETION
export INQUEST_DIR="$scratch/inquest" INQUEST_JOB_DIR="$job"

fail() {
	echo "FAIL: $*"
	[ ! -f "$scratch/shown" ] || cut -c1-200 "$scratch/shown"
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

probed() {
	env LD_PRELOAD="$probe" "$@"
}

ranks() {
	size=$1
	shift
	for rank in $(seq 0 $((size - 1))); do
		env RANK="$rank" LOCAL_RANK="$rank" WORLD_SIZE="$size" LD_LIBRARY_PATH="$standin" \
			LD_PRELOAD="$probe" "$here/ranks" "$scratch/meet" "$@" &
		children="$children $!"
	done
}

# Generous: the machine may be busy.
until_true() {
	for _ in $(seq 600); do
		if eval "$1"; then
			return 0
		fi
		sleep 0.1
	done
	fail "in vain waited for: $1"
}

done_by() {
	until_true "[ \$(ls '$scratch/meet' | grep -c '^done') -eq $1 ]"
}

shown() {
	[ $# -gt 0 ] || set -- $(ls "$job"/census "$job"/*.ring 2>/dev/null)
	"$here/show" "$@" >"$scratch/shown" || fail "a file cannot be read: $*"
}

# 1 if the job shows it now; rings that are just being made do not count.
shows() {
	"$here/show" "$job"/*.ring >"$scratch/shown" 2>/dev/null
	grep -Eq -- "$1" "$scratch/shown"
}

has() {
	grep -Eq -- "$1" "$scratch/shown" || fail "nowhere: $1"
}

hasnt() {
	! grep -Eq -- "$1" "$scratch/shown" || fail "unexpected: $1"
}

# How many lines match.
count() {
	grep -Ec -- "$1" "$scratch/shown"
}
