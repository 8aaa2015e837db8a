# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests here: the words of tests/probe/probe.sh, with ranks on torchlike. A script
# that has ranks of its own sets $rank_program to such a rank, which is told its folder and its
# words.
. "${srcdir:?}/tests/probe/probe.sh"

[ "$(uname -m)" = x86_64 ] || skip "the c10d door is on x86-64 only"
export TMPDIR="$scratch"
torchlike=$top_builddir/fixtures/torchlike
libraries=$torchlike:$standin
if [ -z "${rank_program:-}" ]; then
	rank_program=$top_builddir/tests/c10d/ranks
	[ -e "$rank_program" ] || skip "torchlike is not built: no C++17 compiler"
fi

# ranks N WORD...: N ranks with the probe, in the background; $ranks are their pids.
ranks() {
	size=$1
	ranks=
	shift
	for rank in $(seq 0 $((size - 1))); do
		env RANK="$rank" LOCAL_RANK="$rank" WORLD_SIZE="$size" \
			LD_LIBRARY_PATH="$libraries" LD_PRELOAD="${preload-$probe}" \
			"$rank_program" "$scratch/meet" "$@" &
		children="$children $!"
		ranks="$ranks $!"
	done
}

# All ranks ended well.
all_well() {
	for rank in $ranks; do
		wait "$rank" || fail "a rank ended with $?"
	done
}

# The group of that number has the same key, length and hash in all of its members.
agree_on() {
	facts=$(sed -n "s/^group $1 key=\([0-9a-f]*\) .* ops=\([0-9]*\) .*/\1 \2/p" \
		"$scratch/shown" | sort -u)
	[ "$(echo "$facts" | wc -l)" -eq 1 ] || fail "members differ: $facts"
}

# hangs N PATTERN NAME WORD...: a job of N ranks under `inquest run` that does these words, until
# the verdict of `attach` has the words of the pattern; it is in $scratch/verdict, and .json.
hangs() {
	n=$1 pattern=$2 name=$3
	unset INQUEST_JOB_DIR
	shift 3
	rm -rf "$scratch/meet"
	mkdir "$scratch/meet"
	env LD_LIBRARY_PATH="$libraries" "$INQUEST" run --name "$name" -- \
		sh -c 'n=$1; shift
		trap "kill \$all; kill -CONT \$all; exit" TERM
		for r in $(seq 0 $((n - 1))); do
			RANK=$r LOCAL_RANK=$r WORLD_SIZE=$n "$@" &
			all="$all $!"
		done
		wait' sh "$n" "$rank_program" "$scratch/meet" "$@" \
		>"$scratch/out" 2>&1 &
	child=$!
	children="$children $child"
	for _ in $(seq 200); do
		"$INQUEST" attach "$name" >"$scratch/verdict" 2>/dev/null
		if grep -Eq "$pattern" "$scratch/verdict"; then
			break
		fi
		sleep 0.5
	done
	grep -Eq "$pattern" "$scratch/verdict" ||
		fail "$name: no '$pattern' in: $(cat "$scratch/verdict")"
	"$INQUEST" attach --json "$name" >"$scratch/verdict.json" 2>/dev/null
	"$INQUEST" view --screen 80x24 "$name" >"$scratch/screen"
	kill -TERM "$child"
	wait "$child"
	children=
	echo "$name: $(head -n 1 "$scratch/verdict")"
}
