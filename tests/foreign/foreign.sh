# SPDX-License-Identifier: Apache-2.0
#
# What the tests of jobs without probe share, beside what tests of verbs do. Other jobs may run on
# this machine: what is said of "all" is said in a pid namespace of our own, where one is to be had.

. "$srcdir/tests/cli/cli.sh"
# Whoever runs us may be a rank himself.
unset RANK LOCAL_RANK WORLD_SIZE GROUP_RANK MASTER_ADDR MASTER_PORT TORCHELASTIC_RUN_ID \
	SLURM_JOB_ID SLURM_STEP_ID SLURM_PROCID OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK

python=
for candidate in "$PYTHON" python3 python; do
	[ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && {
		# Not a shim of it, whose helpers come and go.
		python=$("$candidate" -c "import sys; print(sys.executable)")
		break
	}
done

# hung RANK WORLD [VARIABLE=VALUE...]: one plain Python process that sleeps; its pid is in $!.
hung() {
	rank=$1
	world=$2
	shift 2
	env "$@" RANK="$rank" LOCAL_RANK="$rank" WORLD_SIZE="$world" "$python" -c '
import time
def waits_for_ever():
    time.sleep(1000)
waits_for_ever()' >/dev/null 2>"$scratch/rank$rank.stderr" </dev/null &
	started="$started $!"
}

# Whether we are in a pid namespace of our own: then nobody else's jobs are here.
is_alone() {
	[ -n "$INQUEST_TEST_ALONE" ]
}

# Runs this test again alone, if that is possible, and ends with its status.
go_alone() {
	is_alone && return
	unshare --pid --fork --mount-proc true 2>/dev/null || return
	remove_scratch
	INQUEST_TEST_ALONE=1 exec unshare --pid --fork --mount-proc --kill-child sh "$0"
}
