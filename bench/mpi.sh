#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A call of MPI, recorded, beside the library's own: of each library that is here.

job=$(mktemp -d) || exit 1
trap 'rm -rf "$job"' EXIT
mkdir -m 700 "$job/inquest" "$job/inquest/job" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpi in openmpi mpich; do
	echo "== MPI route, $mpi"
	command -v "mpicc.$mpi" >/dev/null && "mpicc.$mpi" -O2 -w -I"$srcdir" \
		"$srcdir/bench/mpi_bench.c" -o "$job/bench" >/dev/null 2>&1 || {
		echo "not here: not measured"
		continue
	}
	env TMPDIR="$job" INQUEST_DIR="$job/inquest" INQUEST_JOB_DIR="$job/inquest/job" \
		LD_PRELOAD="$top_builddir/.libs/libinquest-probe.so" "$job/bench" || exit 1
done
