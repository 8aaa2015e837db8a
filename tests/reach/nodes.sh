# SPDX-License-Identifier: Apache-2.0
#
# Nodes m1 to m4 as namespaces of this machine: each has its own processes, mounts, name and IPC.
# Their /dev/shm is one, since the stand-in for NCCL has no other network; what inquest keeps is in
# /mnt, which is each node's own. `ssh' and `kubectl' are stand-ins that run a command in them.
# Source it.

. "$srcdir/tests/cli/cli.sh"

skip() {
	echo "skipped: $*"
	exit 77
}
command -v nsenter >/dev/null || skip "no nsenter here"
unshare --mount --pid --fork --uts --ipc --mount-proc --propagation private true 2>/dev/null ||
	skip "no namespaces here"

unset RANK LOCAL_RANK WORLD_SIZE GROUP_RANK MASTER_ADDR MASTER_PORT TORCHELASTIC_RUN_ID \
	SLURM_JOB_ID SLURM_STEP_ID SLURM_PROCID OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK INQUEST_DIR
scenarios=$top_builddir/fixtures/scenarios
LD_LIBRARY_PATH=$("$INQUEST" demo --standin-dir)
export LD_LIBRARY_PATH

# The job's name, another one in each test that runs at the same time: the host sees all of them.
night=night-$$

mkdir "$scratch/shm"

# Who waits for a node (unshare) heeds no signal: its first process ends, and all of it does.
end_nodes() {
	for file in "$scratch"/pid.*; do
		[ ! -s "$file" ] || kill -9 "$(cat "$file")" 2>/dev/null
	done
	clean_up
}
trap end_nodes EXIT

# The first process of a node says that its mounts are made by the file it is named in.
cat >"$scratch/boot" <<'END'
mount --bind "$2/shm" /dev/shm && mount -t tmpfs -o size=64m tmpfs /mnt || exit 1
hostname "$1" || exit 1
touch "$2/up.$1"
while :; do sleep 1000 & wait; done
END

# node NAME...: each is up, and $scratch/pid.NAME has the pid of its first process as we see it.
node() {
	for name; do
		unshare --mount --pid --fork --uts --ipc --mount-proc --kill-child \
			--propagation private sh "$scratch/boot" "$name" "$scratch" \
			>/dev/null 2>"$scratch/boot.$name" </dev/null &
		started="$started $!"
		until_true "node $name is up" test -e "$scratch/up.$name"
		pgrep -P "$!" >"$scratch/pid.$name"
	done
}

# on NODE COMMAND...: runs it there. (A shell's trap of ours is no process of the node.)
on() {
	to=$1
	shift
	nsenter --target "$(cat "$scratch/pid.$to")" --mount --uts --ipc --pid -- "$@"
}

mkdir "$scratch/bin"
cat >"$scratch/bin/ssh" <<END
#!/bin/sh
# A stand-in for ssh: execs in the namespaces of a node. Words become one text, as ssh has it.
while [ "\${1#-}" != "\$1" ]; do
	[ "\$1" = -o ] && shift
	shift
done
node=\$1
shift
[ -e $scratch/pid.\$node ] || {
	echo "ssh: Could not resolve hostname \$node: Name or service not known" >&2
	exit 255
}
[ ! -e $scratch/hangs.\$node ] || exec sleep 600.$$ # which no other test has
[ ! -e $scratch/greets.\$node ] || echo "Welcome to \$node"
exec nsenter --target "\$(cat $scratch/pid.\$node)" --mount --uts --ipc --pid -- sh -c "\$*"
END
cat >"$scratch/bin/kubectl" <<END
#!/bin/sh
# A stand-in for kubectl exec: execs in the namespaces of a pod, argv as it is. (No Kubernetes.)
[ "\$1 \$2" = "exec -i" ] || exit 9
shift 2
while [ "\$1" != -- ]; do
	case \$1 in
	-n | -c) shift ;;
	*) pod=\$1 ;;
	esac
	shift
done
shift
exec nsenter --target "\$(cat $scratch/pid.\$pod)" --mount --uts --ipc --pid -- "\$@"
END
chmod +x "$scratch/bin/ssh" "$scratch/bin/kubectl"
PATH=$scratch/bin:$PATH

# draw SCENARIO: what eight ranks are to meet; it is not rank 0 that meets it.
draw() {
	culprit=0
	while [ "$culprit" = 0 ]; do
		rm -rf "$scratch/job"
		mkdir "$scratch/job" || exit 99
		"$scenarios/draw" --ranks 8 "$1" "$scratch/job" >/dev/null || exit 99
		culprit=$(sed -n 's/^who *//p' "$scratch/job/job.conf")
	done
	program=$(sed -n 's/^program *//p' "$scratch/job/job.conf")
}

# rank R NODE [COMMAND...]: one rank of the drawn job, there, under that command. Its log is log.R.
rank() {
	r=$1 where=$2
	shift 2
	on "$where" env INQUEST_DIR=/mnt/jobs INQUEST_OUT="$scratch/out" RANK="$r" \
		 LOCAL_RANK=$((r % 2)) WORLD_SIZE=8 MASTER_ADDR=m1 \
		MASTER_PORT=29511 TORCHELASTIC_RUN_ID=$night \
		"$@" "$scenarios/$program" "$scratch/job/job.conf" \
		</dev/null >"$scratch/log.$r" 2>&1 &
	started="$started $!"
}

# wrapped: all eight, two a node, each under an `inquest run' of its own.
wrapped() {
	for number in 0 1 2 3 4 5 6 7; do
		rank $number m$((number / 2 + 1)) "$INQUEST" run --hang-after 3 --
	done
}

# bare: the same under nothing.
bare() {
	for number in 0 1 2 3 4 5 6 7; do
		rank $number m$((number / 2 + 1))
	done
}

# milliseconds COMMAND...: how long it takes; its output is lost, and its status does not count.
milliseconds() {
	begun=$(date +%s%N)
	"$@" >/dev/null 2>&1 </dev/null
	echo $((($(date +%s%N) - begun) / 1000000))
}
