/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A C program that makes its own ranks by fork, the last first, and hands the unique id round by
 * pipes. Nothing in the environment. Sharded optimizer: reduce-scatter, then all-gather. Takes from
 * stdin how many there are and who rounds its share down.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_runtime.h"
#include "nccl.h"

enum { MAX = 16, SHARE = 1001, FROM = 15 };

static void must(int bad, const char *what)
{
	if (bad) {
		fprintf(stderr, "failed: %s\n", what);
		exit(1);
	}
}

static void be_rank(int me, int n, int odd, const ncclUniqueId *id)
{
	double *full, *share;
	ncclComm_t world;
	cudaStream_t stream;

	must(cudaSetDevice(me % 8), "device");
	must(cudaMalloc((void **)&full, sizeof(double) * SHARE * (size_t)n), "full");
	must(cudaMalloc((void **)&share, sizeof(double) * SHARE), "share");
	must(cudaStreamCreate(&stream), "stream");
	must(ncclCommInitRank(&world, n, *id, me), "init");
	for (int round = 0;; round++) {
		size_t mine = round >= FROM && me == odd ? SHARE / 2 * 2 : SHARE;

		must(ncclReduceScatter(full, share, mine, ncclDouble, ncclSum, world, stream),
			"reduce-scatter");
		must(ncclAllGather(share, full, mine, ncclDouble, world, stream), "all-gather");
		must(cudaStreamSynchronize(stream), "synchronize");
		usleep(25000);
	}
}

int main(void)
{
	int pipes[MAX][2], n = 0, odd = 0;
	ncclUniqueId id;

	must(scanf("%d %d", &n, &odd) != 2 || n > MAX, "input");
	for (int rank = n - 1; rank >= 0; rank--) {
		must(pipe(pipes[rank]), "pipe");
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			must(read(pipes[rank][0], &id, sizeof(id)) != (ssize_t)sizeof(id), "read");
			be_rank(rank, n, odd, &id);
		}
	}
	must(ncclGetUniqueId(&id), "id");
	for (int rank = 0; rank < n; rank++)
		must(write(pipes[rank][1], &id, sizeof(id)) != (ssize_t)sizeof(id), "write");
	while (wait(NULL) > 0)
		;
	return 0;
}
