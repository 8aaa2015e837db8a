/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program as anyone would write it for NCCL, knowing nothing of the stand-in: the launcher's
 * environment says who it is, the id comes by a file, and it trains on nothing for a few steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

#define CUDA(call) check((int)(call), #call, cudaGetErrorString(cudaGetLastError()))
#define NCCL(call) check((int)(call), #call, "NCCL failed")

static void check(int result, const char *call, const char *words)
{
	if (result == 0)
		return;
	fprintf(stderr, "%s: %s (%d)\n", call, words, result);
	exit(1);
}

static ncclUniqueId share_id(int rank, const char *path)
{
	ncclUniqueId id;
	char other[4096];
	FILE *file;

	snprintf(other, sizeof(other), "%s.new", path);
	if (rank == 0) {
		NCCL(ncclGetUniqueId(&id));
		file = fopen(other, "w");
		check(!file || fwrite(&id, sizeof(id), 1, file) != 1 || fclose(file), "write",
			path);
		check(rename(other, path), "rename", path);
		return id;
	}
	while (!(file = fopen(path, "r")))
		usleep(1000);
	check(fread(&id, sizeof(id), 1, file) != 1, "read", path);
	fclose(file);
	return id;
}

int main(int argc, char **argv)
{
	int rank = atoi(getenv("RANK")), size = atoi(getenv("WORLD_SIZE"));
	enum { COUNT = 5000, STEPS = 5 };
	static float host[COUNT];
	struct cudaDeviceProp properties;
	cudaStream_t compute, comms;
	cudaEvent_t ready;
	ncclComm_t comm;
	float *gradients;

	if (argc < 2)
		return 2;
	CUDA(cudaSetDevice(rank));
	CUDA(cudaGetDeviceProperties(&properties, rank));
	NCCL(ncclCommInitRank(&comm, size, share_id(rank, argv[1]), rank));
	CUDA(cudaStreamCreate(&compute));
	CUDA(cudaStreamCreateWithFlags(&comms, cudaStreamNonBlocking));
	CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
	CUDA(cudaMalloc((void **)&gradients, sizeof(host)));
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < COUNT; i++)
			host[i] = (float)(rank + step);
		CUDA(cudaMemcpyAsync(gradients, host, sizeof(host), cudaMemcpyHostToDevice,
				     compute));
		CUDA(cudaEventRecord(ready, compute));
		CUDA(cudaStreamWaitEvent(comms, ready, 0));
		NCCL(ncclAllReduce(gradients, gradients, COUNT, ncclFloat, ncclAvg, comm, comms));
		CUDA(cudaStreamSynchronize(comms));
		CUDA(cudaMemcpy(host, gradients, sizeof(host), cudaMemcpyDeviceToHost));
		check(host[COUNT - 1] != (float)(size - 1) / 2 + (float)step, "average", "wrong");
	}
	NCCL(ncclCommDestroy(comm));
	CUDA(cudaFree(gradients));
	CUDA(cudaEventDestroy(ready));
	CUDA(cudaStreamDestroy(comms));
	CUDA(cudaStreamDestroy(compute));
	printf("rank %d of %d on %.8s is done\n", rank, size, properties.name);
	return 0;
}
