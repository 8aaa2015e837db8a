#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How long the whole job takes in one command, over four nodes that are namespaces here, two ranks
# each, by a stand-in for ssh: under inquest, with a node that hangs, and with nothing of inquest in
# it; and gather on a node of eight ranks.

. "$srcdir/tests/reach/nodes.sh"
bench=$top_builddir/bench/attach_bench

is_judged() {
	"$INQUEST" attach --hosts "$nodes" run:$night | grep -q "^RANK $culprit "
}
# whole N WHAT BAR-MS OPTION...: whatever the verdict is.
whole() {
	times=$1 what=$2 bar=$3
	shift 3
	"$bench" time "$times" "$what" "$bar" sh -c '"$0" attach "$@" || :' "$INQUEST" \
		--hosts "$nodes" "$@" run:$night || exit 1
}

echo "== reach"
nodes=m[1-4]
node m1 m2 m3 m4
draw host-stall-cold
wrapped
until_true "it hangs" is_judged
whole 10 "the whole job, four nodes, probed" 1500
touch "$scratch/hangs.m4"
whole 3 "the whole job, one node dead, deadline 2 s" 3000 --deadline 2
rm "$scratch/hangs.m4"
"$bench" time 10 "gather on a node of two ranks" 0 nsenter --target "$(cat "$scratch/pid.m1")" \
	--mount --uts --ipc --pid -- env INQUEST_DIR=/mnt/jobs \
	"$INQUEST" gather --job run:$night -o "$scratch/node.inq" || exit 1
for name in m1 m2 m3 m4; do
	kill -9 "$(cat "$scratch/pid.$name")"
	rm "$scratch/up.$name" "$scratch/pid.$name"
done

node m1 m2 m3 m4
draw host-stall-cold
bare
until_true "it hangs" is_judged
whole 5 "the whole job, four nodes, unprobed" 3000
for name in m1 m2 m3 m4; do
	kill -9 "$(cat "$scratch/pid.$name")"
	rm "$scratch/up.$name" "$scratch/pid.$name"
done

nodes=m1
node m1
draw host-stall-cold
for number in 0 1 2 3 4 5 6 7; do
	rank $number m1 "$INQUEST" run --hang-after 3 --
done
until_true "it hangs" is_judged
"$bench" time 10 "gather on a node of eight ranks" 150 nsenter \
	--target "$(cat "$scratch/pid.m1")" --mount --uts --ipc --pid -- env INQUEST_DIR=/mnt/jobs \
	"$INQUEST" gather --job run:$night -o "$scratch/node.inq" || exit 1
