# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests here: the words of tests/probe/probe.sh, with ranks on torchlike.
. "${srcdir:?}/tests/probe/probe.sh"

torchlike=$top_builddir/fixtures/torchlike
[ -e "$top_builddir/tests/c10d/ranks" ] || skip "torchlike is not built: no C++17 compiler"
[ "$(uname -m)" = x86_64 ] || skip "the c10d door is on x86-64 only"
export TMPDIR="$scratch"

# ranks N WORD...: N ranks on torchlike with the probe, in the background; $ranks are their pids.
ranks() {
	size=$1
	ranks=
	shift
	for rank in $(seq 0 $((size - 1))); do
		env RANK="$rank" LOCAL_RANK="$rank" WORLD_SIZE="$size" \
			LD_LIBRARY_PATH="$torchlike:$standin" LD_PRELOAD="${preload-$probe}" \
			"$top_builddir/tests/c10d/ranks" "$scratch/meet" "$@" &
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
