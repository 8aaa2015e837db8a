# SPDX-License-Identifier: Apache-2.0
#
# Jobs of eight ranks on the four nodes of the bed. Source it behind bed.sh and bed_enter.

. "$srcdir/tests/cli/cli.sh"

scenarios=$(cd "$top_builddir" && pwd)/fixtures/scenarios
case $INQUEST in /*) ;; *) INQUEST=$PWD/$INQUEST ;; esac
LD_LIBRARY_PATH=$("$INQUEST" demo --standin-dir)
export LD_LIBRARY_PATH
unset INQUEST_DIR # each node has its own shared memory
# Bundles go to a folder that all nodes see, as on most clusters.
export INQUEST INQUEST_OUT
hang_after=3

# draw JOB SCENARIO: what its ranks are to meet, into $scratch/JOB; $culprit is on m2, m3 or m4.
draw() {
	culprit=0
	while [ "$culprit" -lt 2 ]; do
		rm -rf "$scratch/$1"
		mkdir "$scratch/$1" || exit 99
		"$scenarios/draw" --ranks 8 "$2" "$scratch/$1" >/dev/null || exit 99
		culprit=$(sed -n 's/^who *//p' "$scratch/$1/job.conf")
		culprit=${culprit:-8}
	done
	program=$(sed -n 's/^program *//p' "$scratch/$1/job.conf")
	# A rank as a task of srun, and as a launcher's child.
	cat >"$scratch/$1/rank" <<-end
		#!/bin/sh
		RANK=\$SLURM_PROCID LOCAL_RANK=\$SLURM_LOCALID WORLD_SIZE=\$SLURM_STEP_NUM_TASKS
		export RANK LOCAL_RANK WORLD_SIZE
		exec $scenarios/$program $scratch/$1/job.conf
	end
	cat >"$scratch/$1/node" <<-end
		#!/bin/sh
		NNODES=\$SLURM_STEP_NUM_TASKS NODE_RANK=\$SLURM_PROCID
		export NNODES NODE_RANK
		exec $scenarios/launch $scratch/$1/job.conf
	end
	chmod +x "$scratch/$1/rank" "$scratch/$1/node"
}

# play JOB COMMAND...: in the background, its words in $scratch/JOB/log.
play() {
	name=$1
	shift
	"$@" >"$scratch/$name/log" 2>&1 </dev/null &
	started="$started $!"
}

# verdicts JOB: how many were said in its log.
verdicts() {
	grep -c '^INQUEST_VERDICT {' "$scratch/$1/log"
}
was_said() {
	[ "$(verdicts "$1")" -ge 1 ]
}
# The last one said: the line behind "verdict in".
says_of() {
	grep -h -A1 '^INQUEST: verdict in' "$scratch/$1/log" | grep -q -e "$2"
}

fail() {
	echo "FAIL: $*"
	cut -c1-300 "$scratch"/*/log | head -n 200
	cat "$scratch/stdout" "$scratch/stderr" 2>/dev/null
	exit 1
}
