#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How long attach takes on ranks that hang, without their stacks and with (three samples, 40 ms
# apart), and how soon the agent speaks: after a death, and after a wait has stood for as long as
# it was told to let it. Jobs of tests/trouble/sums on the stand-in.

. "$srcdir/tests/trouble/trouble.sh"
bench=$top_builddir/bench/attach_bench
rounds=${BENCH_ROUNDS:-5}

is_said() {
	grep -q "^INQUEST_VERDICT.*$1" "$scratch/started.stderr"
}
is_joined() {
	[ "$(grep -l sum "$scratch"/play/*.out 2>/dev/null | wc -l)" = 8 ]
}
minus() {
	awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { printf "%.3f ", a - b - c }'
}

echo "== attach"
hang_after=3
job 8 sum sum stay:5 sum
judged host-stall '[5]'
"$bench" time 100 "attach, 8 ranks that hang" 50 "$INQUEST" attach --no-stacks $name || exit 1
"$bench" time 20 "attach, 8 ranks, their stacks too" 0 "$INQUEST" attach $name || exit 1
"$INQUEST" attach $name -o "$scratch/bench.inq" >/dev/null
"$bench" time 100 "diagnose their bundle" 0 "$INQUEST" diagnose "$scratch/bench.inq" || exit 1
# Without an agent attach itself must look twice, to see who uses the processor.
kill -KILL "$agent"
"$bench" time 100 "attach, 8 ranks, their agent gone" 50 \
	"$INQUEST" attach --no-stacks $name || exit 1
kill $(cat "$scratch"/play/*.pid)
agent=
job 64 sum sum stay:5 sum
judged host-stall '[5]'
"$bench" time 20 "attach, 64 ranks" 0 "$INQUEST" attach --no-stacks $name || exit 1
"$bench" time 20 "attach, 64 ranks, their stacks too" 0 "$INQUEST" attach $name || exit 1
end_job
started=

# Nothing of ours in the job: all sleep, so that two samples suffice; then three, by request.
for rank in 0 1 2 3 4 5 6 7; do
	RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=8 "$top_builddir/tests/foreign/parked" 5 sleep \
		>"$scratch/parked$rank" </dev/null &
	started="$started $!"
	one=$!
done
is_told() {
	"$INQUEST" attach --json "$one" | grep -q '"class":"host-stall".*"culprits":\[5\]'
}
until_true "who is away is told" is_told
sleep 3
"$bench" time 20 "attach, 8 ranks without probe, to the verdict" 500 \
	"$INQUEST" attach "$one" || exit 1
"$bench" time 5 "  the same by three samples" 0 "$INQUEST" attach --samples=3 "$one" || exit 1
kill $started
started=

# The agent's line is the last thing that it writes: the log's time is its time.
deaths=
gaps=
for _ in $(seq "$rounds"); do
	job 8 sum nap:5 nap:5 nap:5 nap:5 nap:5 nap:5 nap:5 nap:5 nap:5 nap:5 stay:5 sum
	until_true "all have joined" is_joined
	killed=$("$bench" kill "$(pid_of 5)") || exit 1
	until_true "the death is said" is_said '"rank-death"'
	deaths="$deaths$(minus "$("$bench" changed "$scratch/started.stderr")" "$killed" 0)"
	end_job
	job 8 sum sum stay:5 sum
	until_true "the hang is said" is_said '"host-stall"'
	began=$("$bench" changed "$scratch/play/0.out")
	gaps="$gaps$(minus "$("$bench" changed "$scratch/started.stderr")" "$began" $hang_after)"
	end_job
done
"$bench" figure "death to verdict" s 1 $deaths
"$bench" figure "gap to verdict, beyond --hang-after" s 5 $gaps
