#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A call of gloo's process group (on torchlike), recorded, beside the same past the probe.

echo "== c10d route"
[ -x "$top_builddir/bench/c10d_bench" ] || { echo "no C++17 compiler: not measured"; exit 0; }
job=$(mktemp -d) || exit 1
trap 'rm -rf "$job"' EXIT
mkdir "$job/meet" || exit 1
env RANK=0 WORLD_SIZE=1 TMPDIR="$job" INQUEST_JOB_DIR="$job" \
	LD_PRELOAD="$top_builddir/.libs/libinquest-probe.so" \
	LD_LIBRARY_PATH="$top_builddir/fixtures/torchlike:$top_builddir/fixtures/standin/.libs" \
	"$top_builddir/bench/c10d_bench" "$job/meet"
