/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Experts: all-to-all with uneven counts by grouped sends and receives; ranks by fork, ids by
 * shared memory. What differs between ranks here is as it should be. Takes from stdin how many
 * there are and who believes that it is done; -1: nobody.
 */

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20
#define MOST   64 /* tokens from one rank to another */

static struct board {
	ncclUniqueId id;
	atomic_int ready;
} * board;

static void check(ncclResult_t r, int line)
{
	if (r == ncclSuccess)
		return;
	fprintf(stderr, "line %d: %s\n", line, ncclGetErrorString(r));
	_exit(1);
}
#define CHECK(x) check(x, __LINE__)

/* How many tokens go from one to another in a round: also none. */
static size_t tokens(int from, int to, int round)
{
	return (size_t)(from * 7 + to * 3 + round) % MOST / 8;
}

static void exchange(int me, int n, int round, char *buffer, ncclComm_t comm, cudaStream_t stream)
{
	CHECK(ncclGroupStart());
	for (int peer = 0; peer < n; peer++) {
		CHECK(ncclSend(buffer, tokens(me, peer, round), ncclUint8, peer, comm, stream));
		CHECK(ncclRecv(buffer + MOST * (n + peer), tokens(peer, me, round), ncclUint8, peer,
			comm, stream));
	}
	CHECK(ncclGroupEnd());
}

static int rank_main(int me, int n, int done)
{
	cudaStream_t stream;
	ncclComm_t comm;
	void *buffer;

	while (!atomic_load(&board->ready))
		usleep(1000);
	if (cudaSetDevice(me % 8) || cudaMalloc(&buffer, (size_t)(2 * MOST * n)) ||
		cudaStreamCreate(&stream))
		return 1;
	CHECK(ncclCommInitRank(&comm, n, board->id, me));
	for (int round = 0; me != done || round < ROUNDS; round++) {
		exchange(me, n, round, buffer, comm, stream);
		if (cudaStreamSynchronize(stream))
			return 1;
		usleep(20000);
	}
	return 0;
}

int main(void)
{
	int n, done;

	board = mmap(
		NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scanf("%d %d", &n, &done) != 2 || board == MAP_FAILED)
		return 2;
	for (int rank = 0; rank < n; rank++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			exit(rank_main(rank, n, done));
		}
	CHECK(ncclGetUniqueId(&board->id));
	atomic_store(&board->ready, 1);
	while (wait(NULL) > 0)
		;
	return 0;
}
