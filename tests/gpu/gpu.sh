# SPDX-License-Identifier: Apache-2.0
#
# What the tests on a real GPU share: eight ranks of tests/trouble/sums.c on one GPU with the real
# libnccl.so.2, built against the real headers. Without a GPU they skip, and say why.
#
# NCCL refuses two ranks on one GPU of one host; so each rank says that it is a host of its own
# (NCCL_HOSTID) and they talk by sockets. All the rest keeps it small: eight contexts share one GPU
# by time slices, an operation may take a fifth of a second.
#
# INQUEST_GPU_REHEARSAL=1 plays the same on the stand-in: it tests the tests, not NCCL.

. "$srcdir/tests/trouble/trouble.sh"

size=${INQUEST_GPU_RANKS:-8}

# The first of these folders that holds this file.
holds() {
	file=$1
	shift
	for folder in "$@"; do
		if [ -e "$folder/$file" ]; then
			echo "$folder"
			return
		fi
	done
}

if [ -n "${INQUEST_GPU_REHEARSAL:-}" ]; then
	headers=$srcdir/fixtures/standin/include
	libraries=$LD_LIBRARY_PATH
	ours=-Wl,-rpath-link,$libraries
else
	unset LD_LIBRARY_PATH
	ours=
	cuda=${CUDA_HOME:-/usr/local/cuda}
	reason=$("$top_builddir/tests/gpu/gpu-there") || skip "$reason"
	headers=$(holds nccl.h "$cuda/include" /usr/include)
	[ -n "$headers" ] || skip "no nccl.h here"
	headers="$headers -I$cuda/include"
	libraries=$(holds libnccl.so "$cuda/lib64" /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib)
	[ -n "$libraries" ] || skip "no libnccl.so to link with here"
	libraries=$libraries:$cuda/lib64
	export LD_LIBRARY_PATH="$libraries"
fi

linked=-L$(echo "$libraries" | sed "s/:/ -L/g")
SUMS=$scratch/sums
export SUMS
${CC:-cc} -D_GNU_SOURCE -O2 -pthread -I"$srcdir" -I$headers -o "$SUMS" \
	"$srcdir/tests/trouble/sums.c" $linked $ours \
	-lnccl -lcudart -ldl >"$scratch/cc" 2>&1 || fail "does not build: $(cat "$scratch/cc")"

export NCCL_NET=Socket NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=lo NCCL_P2P_DISABLE=1 \
	NCCL_SHM_DISABLE=1 NCCL_NVLS_ENABLE=0 NCCL_MNNVL_ENABLE=0 NCCL_COLLNET_ENABLE=0 \
	NCCL_MIN_NCHANNELS=1 NCCL_MAX_NCHANNELS=1 NCCL_MAX_P2P_NCHANNELS=1 NCCL_ALGO=Ring \
	NCCL_PROTO=Simple NCCL_BUFFSIZE=1048576 NCCL_SOCKET_NTHREADS=1 NCCL_NSOCKS_PERTHREAD=1 \
	NCCL_CGA_CLUSTER_SIZE=0 NCCL_RAS_ENABLE=0 CUDA_VISIBLE_DEVICES=0
