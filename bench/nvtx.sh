#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A call of NCCL's that its NVTX range tells of, against the same where nobody listens.

echo "== NVTX route"
job=$(mktemp -d) || exit 1
trap 'rm -rf "$job"' EXIT
ranged=$top_builddir/fixtures/nvtxnccl/.libs/libncclnvtx.so
cp "$ranged" "$job/libnccl-idle.so" || exit 1
probe=$top_builddir/.libs/libinquest-probe.so
env RANK=0 WORLD_SIZE=1 INQUEST_JOB_DIR="$job" LD_PRELOAD="$probe" \
	LD_LIBRARY_PATH="$top_builddir/fixtures/standin/.libs" NVTX_INJECTION64_PATH="$probe" \
	"$top_builddir/bench/nvtx_bench" "$ranged" "$job/libnccl-idle.so"
