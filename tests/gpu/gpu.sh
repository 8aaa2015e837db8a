# SPDX-License-Identifier: Apache-2.0
#
# What the tests on a real GPU share: eight ranks of tests/trouble/sums.c on one GPU with the real
# libnccl.so.2, built against the real headers. Without a GPU they skip, and say why.
#
# How eight ranks come to share one GPU is in small.sh.
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

. "$srcdir/tests/gpu/small.sh"
