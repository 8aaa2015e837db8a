# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests here: the words of tests/probe/probe.sh, with ranks on the MPI libraries that
# this machine has: $found, of those in $only if that is set. Each is tried in turn:
# for mpi in $found.
#
#	ranks N WORD...		N ranks of $mpi with the probe, until they are over
#	job N WORD...		the same under `inquest run --name $name`, in the background
#	verdict PATTERN NAME	waits until `attach` says it, and keeps a bundle that says the same
. "${srcdir:?}/tests/probe/probe.sh"

# Both tell a root to think again; Open MPI counts cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_base_warn_component_unused=0
unset OMPI_CC MPICH_CC OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID MASTER_ADDR
export TMPDIR="$scratch"

# Another test may play at the same time, and jobs are found wherever they are.
name=mpi-$$
agent=
trap 'over; ended' EXIT

found=
for mpi in ${only:-openmpi mpich}; do
	command -v "mpicc.$mpi" >/dev/null && command -v "mpiexec.$mpi" >/dev/null &&
		"mpicc.$mpi" -O1 -g -w "$srcdir/tests/mpi/ranks.c" -o "$scratch/ranks.$mpi" \
			>"$scratch/built" 2>&1 && found="$found $mpi"
done
[ -n "$found" ] || skip "no ${only:-Open MPI or MPICH} to build with here"

# launch N: how N ranks of $mpi are started.
launch() {
	case $mpi in
	openmpi) echo "mpiexec.openmpi --oversubscribe -np $1" ;;
	*) echo "mpiexec.$mpi -n $1" ;;
	esac
}

ranks() {
	launch=$(launch "$1")
	shift
	timeout 120 $launch env LD_PRELOAD="$probe" "$scratch/ranks.$mpi" "$@" \
		>"$scratch/out" 2>&1 </dev/null
}

job() {
	launch=$(launch "$1")
	shift
	unset INQUEST_JOB_DIR
	"$INQUEST" run --name "$name" -o "$scratch/durable" -- $launch "$scratch/ranks.$mpi" "$@" \
		>"$scratch/out" 2>&1 </dev/null &
	agent=$!
	children="$children $agent"
}

# The agent hands it on: who is killed leaves its ranks behind, and they spin.
over() {
	[ -z "$agent" ] || kill -TERM "$agent" 2>/dev/null
	[ -z "$agent" ] || wait "$agent" 2>/dev/null
	agent=
	children=
	rm -rf --one-file-system "$scratch/durable" "$scratch/inquest"
	mkdir -p -m 700 "$scratch/inquest"
}

# keep NAME: the bundle is for `make check-weak', too.
keep() {
	[ -n "${INQUEST_WEAK_BUNDLES:-}" ] || return 0
	mkdir -p "$INQUEST_WEAK_BUNDLES"
	cp "$scratch/bundle.inq" "$INQUEST_WEAK_BUNDLES/$(echo "$mpi $1" | tr ' ' '-').inq"
}

verdict() {
	for _ in $(seq 60); do
		"$INQUEST" attach -o "$scratch/bundle.inq" "$name" \
			>"$scratch/verdict" 2>"$scratch/errors"
		grep -Eq "$1" "$scratch/verdict" && break
		sleep 0.5
	done
	grep -Eq "$1" "$scratch/verdict" ||
		fail "$mpi, $2: no '$1' in: $(cat "$scratch/verdict" "$scratch/errors")"
	"$INQUEST" diagnose "$scratch/bundle.inq" >"$scratch/recorded" 2>&1
	grep -Eq "$1" "$scratch/recorded" ||
		fail "$mpi, $2: the bundle has no '$1': $(cat "$scratch/recorded")"
	keep "$2"
	echo "$mpi, $2: $(head -n 1 "$scratch/verdict")"
}
