# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests here, in place of tests/probe/probe.sh, which it sources.
#
#	clients N WORD...	N ranks that take NCCL's functions by dlsym, probed, behind us
. "${srcdir:?}/tests/probe/probe.sh"

nvtx=$top_builddir/tests/nvtx
ranged=$top_builddir/fixtures/nvtxnccl/.libs/libncclnvtx.so
other=$top_builddir/fixtures/nvtxnccl/.libs/libothernvtx.so

clients() {
	size=$1
	shift
	for rank in $(seq 0 $((size - 1))); do
		env RANK="$rank" LOCAL_RANK="$rank" WORLD_SIZE="$size" LD_LIBRARY_PATH="$standin" \
			LD_PRELOAD="$probe" NVTX_INJECTION64_PATH="$probe" \
			"$nvtx/client" "$ranged" "$scratch/meet" "$@" &
		children="$children $!"
	done
}
