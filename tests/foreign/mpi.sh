# SPDX-License-Identifier: Apache-2.0
#
# What the tests of real MPI without anything of ours share. $found are the libraries of MPI that
# are here, $mpi is the one of which a job is started. Nobody is ever stopped.

. "$srcdir/tests/foreign/foreign.sh"
go_alone
[ "$(uname -m)" = x86_64 ] || {
	echo "no stacks are walked here"
	exit 77
}
# Both tell a root to think again.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset OMPI_CC MPICH_CC
export OF_TEST="$scratch"
found=
for mpi in openmpi mpich; do
	command -v "mpicc.$mpi" >/dev/null && command -v "mpiexec.$mpi" >/dev/null &&
		"mpicc.$mpi" -O2 -g "$srcdir/tests/foreign/mpi-ranks.c" -o "$scratch/$mpi" \
			>/dev/null 2>&1 && found="$found $mpi"
done
[ -n "$found" ] || {
	echo "neither Open MPI nor MPICH to build with here"
	exit 77
}

# job CALL HOW: four ranks; the pid of one of them in $one.
job() {
	program=$scratch/$mpi
	start "$scratch/$mpi" "$@"
}
# A program and what it is called with; $program is what runs then.
start() {
	case $mpi in
	openmpi) set -- --oversubscribe -np 4 "$@" ;;
	*) set -- -n 4 "$@" ;;
	esac
	"mpiexec.$mpi" "$@" >"$scratch/job" 2>&1 </dev/null &
	launcher=$!
	started=$launcher
	until_true "four ranks of $mpi are there: $*" are_there
	one=$(ranks | head -n 1)
}
ranks() {
	for exe in /proc/[0-9]*/exe; do
		[ "$(readlink "$exe" 2>/dev/null)" = "$program" ] || continue
		exe=${exe#/proc/}
		tr '\0' ' ' <"/proc/${exe%/exe}/environ" | grep -q "OF_TEST=$scratch" &&
			echo "${exe%/exe}"
	done
}
are_there() {
	[ "$(ranks | wc -l)" = 4 ]
}
are_gone() {
	[ "$(ranks | wc -l)" = 0 ]
}
end() {
	kill "$launcher" $(ranks) 2>/dev/null
	wait "$launcher" 2>/dev/null
	until_true "the ranks of $mpi are gone" are_gone
	started=
}
attach() {
	"$INQUEST" attach "$one" >"$scratch/stdout" 2>"$scratch/stderr"
	grep -q ' 0 threads stopped' "$scratch/stdout" || fail "somebody was stopped"
}
