# SPDX-License-Identifier: Apache-2.0
#
# A real Slurm of four nodes on this machine, for as long as one test runs:
#
#	. "$srcdir/tests/slurm/bed.sh"
#	bed_enter "$0"
#	. "$srcdir/tests/cli/cli.sh"
#	srun -N4 -n8 ...
#
# bed_enter plays the test again in namespaces of its own (mounts, network, processes, host name,
# IPC) in which a controller, munge and four slurmd run, and so returns only in there. Each node
# has a host name (m1 to m4), processes and a /dev/shm of its own; one kernel and all other files
# are shared. Nothing of the system's configuration is read or written, no port of the machine is
# used, and all is gone with the test. Where that cannot be had the test skips.
#
#	bed_node m2 COMMAND...	runs it on that node, as somebody who has logged in there
#	bed_fell m4		that node's power fails
#
# Ranks of the stand-in meet in a folder that all nodes see, STANDIN_DIR.

bed_nodes="m1 m2 m3 m4"
bed_address=10.15.0.1 # of lo in there; names are looked up only where there is a real one

bed_skip() {
	echo "no Slurm here: $*"
	exit 77
}

# Before: outside. Waits for the test, and removes what Slurm wrote once its namespaces are gone.
bed_enter() {
	PATH=$PATH:/usr/sbin:/sbin
	[ -z "$BED" ] || {
		bed_start
		return
	}
	[ "$(id -u)" = 0 ] || bed_skip "its daemons need root"
	for bed_need in slurmctld slurmd srun sbatch scontrol munged unshare nsenter ip; do
		command -v $bed_need >/dev/null || bed_skip "$bed_need is not installed"
	done
	bed_own="unshare -m -n -p -u -i -f --kill-child --propagation private --mount-proc"
	$bed_own true 2>/dev/null || bed_skip "no namespaces can be had"
	BED=$(mktemp -d) || exit 99
	export BED
	trap 'kill "$bed_pid" 2>/dev/null; wait "$bed_pid"' TERM INT HUP
	$bed_own sh "$1" &
	bed_pid=$!
	wait "$bed_pid"
	bed_status=$?
	rm -rf --one-file-system "$BED"
	exit $bed_status
}

bed_configure() {
	echo "127.0.0.1 localhost" >"$BED/hosts"
	echo "$bed_address bed $bed_nodes" >>"$BED/hosts"
	cat >"$BED/slurm.conf" <<-end
		ClusterName=bed
		SlurmctldHost=bed($bed_address)
		SlurmctldPort=16817
		SlurmUser=root
		AuthType=auth/munge
		AuthInfo=socket=$BED/munge.sock
		CredType=cred/munge
		MpiDefault=none
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SwitchType=switch/none
		MailProg=/bin/true
		StateSaveLocation=$BED/ctl
		SlurmdSpoolDir=$BED/%n
		SlurmctldPidFile=$BED/ctl.pid
		SlurmdPidFile=$BED/%n.pid
		SlurmctldLogFile=$BED/ctl.log
		SlurmdLogFile=$BED/%n.log
		SlurmdParameters=config_overrides
		SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
		ReturnToService=2
		KillWait=2
		CompleteWait=0
		DebugFlags=NO_CONF_HASH
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	end
	bed_port=16820
	for bed_node in $bed_nodes; do
		bed_port=$((bed_port + 1))
		echo "NodeName=$bed_node NodeAddr=$bed_address Port=$bed_port CPUs=8" \
			"RealMemory=2000 State=UNKNOWN"
	done >>"$BED/slurm.conf"
}

bed_munge() {
	head -c 1024 /dev/urandom >"$BED/munge.key" && chmod 400 "$BED/munge.key" &&
		munged --force --key-file="$BED/munge.key" --socket="$BED/munge.sock" \
			--pid-file="$BED/munged.pid" --log-file="$BED/munged.log" \
			--seed-file="$BED/munge.seed" 2>"$BED/munged.err"
}

# Its process 1 is a shell, which reaps what slurmd has lost: a step is over when all of it is gone.
bed_slurmd() {
	mkdir -p "$BED/$1"
	unshare -m -p -u -i -f --kill-child --propagation private --mount-proc sh -c '
		hostname "$1" && mount -t tmpfs none /dev/shm || exit
		slurmd -D -N "$1" & wait' \
		- "$1" >"$BED/$1.out" 2>&1 </dev/null &
	eval "bed_of_$1=$!"
}

bed_is_ready() {
	[ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 4 ]
}

bed_start() {
	hostname bed && mount -t tmpfs none /dev/shm && ip link set lo up &&
		ip addr add "$bed_address/32" dev lo || bed_skip "no network of its own"
	chmod 755 "$BED"
	mkdir -p "$BED/ctl" "$BED/meet"
	chmod 1777 "$BED/meet"
	bed_configure
	mount --bind "$BED/hosts" /etc/hosts || bed_skip "no names of its own"
	bed_munge || bed_skip "munged: $(cat "$BED/munged.err")"
	SLURM_CONF=$BED/slurm.conf STANDIN_DIR=$BED/meet
	export SLURM_CONF STANDIN_DIR
	slurmctld -c -i || bed_skip "slurmctld did not start"
	for bed_node in $bed_nodes; do
		bed_slurmd "$bed_node"
	done
	bed_tries=0
	until bed_is_ready; do
		bed_tries=$((bed_tries + 1))
		[ $bed_tries -le 300 ] ||
			bed_skip "its nodes did not come up: $(tail -n 1 "$BED/ctl.log")"
		sleep 0.1
	done
}

# bed_pid_of NODE: its process 1, as it is seen here.
bed_pid_of() {
	eval "pgrep -P \$bed_of_$1"
}

bed_node() {
	bed_target=$(bed_pid_of "$1")
	shift
	nsenter -t "$bed_target" -m -p -u -i -- "$@"
}

bed_fell() {
	kill -9 "$(bed_pid_of "$1")"
}
