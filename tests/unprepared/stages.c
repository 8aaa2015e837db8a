/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two pipeline stages, each of several replicas: communicators split from the world by stage (for
 * gradients) and by replica (for activations, grouped sends and receives). Started by a shell with
 * RANK and WORLD_SIZE; the id goes by a file named in argv[1]. argv[2] names a file with the rank
 * whose assertion does not hold.
 */

#include <assert.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK(x)                                                                                      \
	do {                                                                                       \
		if ((x) != 0) {                                                                    \
			fprintf(stderr, "%s failed\n", #x);                                        \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

struct model {
	int rank, world, stage, replica;
	void *activations, *gradients;
	cudaStream_t compute, side;
	ncclComm_t all, stage_comm, replica_comm;
};

static void share_id(const char *path, int rank, ncclUniqueId *id)
{
	char temporary[512];
	FILE *file;

	if (rank == 0) {
		snprintf(temporary, sizeof(temporary), "%s~", path);
		ncclGetUniqueId(id);
		file = fopen(temporary, "wb");
		fwrite(id, sizeof(*id), 1, file);
		fclose(file);
		rename(temporary, path);
		return;
	}
	for (;; usleep(5000)) {
		file = fopen(path, "rb");
		if (!file)
			continue;
		if (fread(id, sizeof(*id), 1, file) == 1) {
			fclose(file);
			return;
		}
		fclose(file);
	}
}

static int iterate(struct model *m, bool bad)
{
	/* Forward to the second stage and back again. */
	OK(ncclGroupStart());
	if (m->stage == 0) {
		OK(ncclSend(m->activations, 2048, ncclBfloat16, 1, m->replica_comm, m->side));
		OK(ncclRecv(m->gradients, 2048, ncclBfloat16, 1, m->replica_comm, m->side));
	} else {
		OK(ncclRecv(m->activations, 2048, ncclBfloat16, 0, m->replica_comm, m->side));
		OK(ncclSend(m->gradients, 2048, ncclBfloat16, 0, m->replica_comm, m->side));
	}
	OK(ncclGroupEnd());
	OK(cudaStreamSynchronize(m->side));
	assert(!bad);
	OK(ncclAllReduce(m->gradients, m->gradients, 2048, ncclBfloat16, ncclSum, m->stage_comm,
		m->compute));
	OK(cudaStreamSynchronize(m->compute));
	usleep(20000);
	return 0;
}

int main(int argc, char **argv)
{
	struct model m = {.rank = atoi(getenv("RANK")), .world = atoi(getenv("WORLD_SIZE"))};
	ncclUniqueId id;
	int bad = -1;
	FILE *file;

	if (argc != 3 || !(file = fopen(argv[2], "r")) || fscanf(file, "%d", &bad) != 1)
		return 2;
	fclose(file);
	m.stage = m.rank / (m.world / 2);
	m.replica = m.rank % (m.world / 2);
	OK(cudaSetDevice(m.rank % 8));
	OK(cudaMalloc(&m.activations, 8192));
	OK(cudaMalloc(&m.gradients, 8192));
	OK(cudaStreamCreate(&m.compute));
	OK(cudaStreamCreateWithFlags(&m.side, cudaStreamNonBlocking));
	share_id(argv[1], m.rank, &id);
	OK(ncclCommInitRank(&m.all, m.world, id, m.rank));
	OK(ncclCommSplit(m.all, m.stage, m.rank, &m.stage_comm, NULL));
	OK(ncclCommSplit(m.all, m.replica, m.rank, &m.replica_comm, NULL));
	for (int i = 0;; i++)
		OK(iterate(&m, i >= 25 && m.rank == bad));
}
