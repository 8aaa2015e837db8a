#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A death's record and traceback: a C program with 60 frames, and Python with 30.

echo "== Fatal tracebacks"
job=$(mktemp -d) || exit 1
trap 'rm -rf "$job"' EXIT
ulimit -c 0
export INQUEST_JOB_DIR="$job" LD_LIBRARY_PATH="$top_builddir/fixtures/standin/.libs"
probe="$top_builddir/.libs/libinquest-probe.so"
"$top_builddir/bench/fatal_bench" bare || exit 1
RANK=0 WORLD_SIZE=1 LD_PRELOAD="$probe" "$top_builddir/bench/fatal_bench" "a rank" || exit 1

told=$(mktemp -d) || exit 1
trap 'rm -rf "$job" "$told"' EXIT
for i in 1 2 3 4 5; do
	rm -f "$job"/*
	RANK=0 WORLD_SIZE=1 LD_PRELOAD="$probe" \
		python3 "$srcdir/bench/fatal_bench.py" 2>/dev/null
	"$top_builddir/inquest" ring --json "$job"/*.ring >"$told/$i"
done
python3 "$srcdir/bench/fatal_bench.py" read "$told"/*
