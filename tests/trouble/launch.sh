#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# launch.sh DIR N WORD...: starts N ranks of `sums`. What each says goes to DIR/R.out and DIR/R.err,
# its pid to DIR/R.pid, its status to DIR/R.status; what two runs must agree on, to DIR/all. Ends
# when all have, with the first status that is not 0.

dir=$1
size=$2
shift 2
mkdir -p "$dir" || exit 99
sums=${SUMS:-$top_builddir/tests/trouble/sums}
trap 'kill $ranks 2>/dev/null' TERM INT
ranks=
for rank in $(seq 0 $((size - 1))); do
	env NCCL_HOSTID="host-$rank" RANK="$rank" LOCAL_RANK="$rank" WORLD_SIZE="$size" \
		"$sums" "$dir" "$@" >"$dir/$rank.out" 2>"$dir/$rank.err" &
	echo $! >"$dir/$rank.pid"
	ranks="$ranks $!"
done
first=0
rank=0
for pid in $ranks; do
	wait "$pid"
	status=$?
	[ $first = 0 ] && first=$status
	{
		echo "--- rank $rank ended with $status"
		cat "$dir/$rank.out" "$dir/$rank.err"
	} >>"$dir/all"
	rank=$((rank + 1))
done
exit $first
