#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An intercepted ncclAllReduce on the stand-in against the bare one, with and without completion.

echo "== NCCL route"
job=$(mktemp -d) || exit 1
trap 'rm -rf "$job"' EXIT
export INQUEST_JOB_DIR="$job" LD_LIBRARY_PATH="$top_builddir/fixtures/standin/.libs"
for completion in off write; do
	env RANK=0 WORLD_SIZE=1 INQUEST_COMPLETION=$completion \
		LD_PRELOAD="$top_builddir/.libs/libinquest-probe.so" \
		"$top_builddir/bench/nccl_bench" ", completion $completion" || exit 1
done
