/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Non-blocking communicators, everything polled, as a runtime with an event loop does it. One rank
 * believes that it shall evaluate now, and reduces where the others gather. RANK and WORLD_SIZE
 * from the environment; argv[1] names the id's file, argv[2] a file with the evaluator.
 */

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static void settle(ncclComm_t comm, ncclResult_t result)
{
	while (result == ncclInProgress) {
		usleep(1000);
		if (ncclCommGetAsyncError(comm, &result) != ncclSuccess)
			die("async error");
	}
	if (result != ncclSuccess)
		die(ncclGetErrorString(result));
}

static void wait_for_stream(cudaStream_t stream)
{
	cudaError_t state;

	while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady)
		usleep(2000);
	if (state != cudaSuccess)
		die(cudaGetErrorString(state));
}

static ncclUniqueId exchange_id(const char *path, int rank)
{
	ncclUniqueId id;
	struct stat st;
	int fd;

	if (rank == 0) {
		if (ncclGetUniqueId(&id) != ncclSuccess)
			die("id");
		fd = open(path, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || write(fd, &id, sizeof(id)) != (ssize_t)sizeof(id))
			die(path);
		close(fd);
		return id;
	}
	while (stat(path, &st) || st.st_size < (off_t)sizeof(id))
		usleep(3000);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, &id, sizeof(id)) != (ssize_t)sizeof(id))
		die(path);
	close(fd);
	return id;
}

int main(int argc, char **argv)
{
	int rank = atoi(getenv("RANK")), world = atoi(getenv("WORLD_SIZE")), evaluator = -1;
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclComm_t comm = NULL;
	cudaStream_t stream;
	ncclResult_t result;
	char *x, *y;
	FILE *f;

	if (argc != 3 || !(f = fopen(argv[2], "r")) || fscanf(f, "%d", &evaluator) != 1)
		return 2;
	config.blocking = 0;
	if (cudaSetDevice(rank % 8) || cudaStreamCreate(&stream) ||
		cudaMalloc((void **)&x, 1 << 16) || cudaMalloc((void **)&y, (size_t)world << 16))
		die("cuda");
	result = ncclCommInitRankConfig(&comm, world, exchange_id(argv[1], rank), rank, &config);
	settle(comm, result);
	for (int step = 0;; step++) {
		if (step >= 30 && rank == evaluator)
			result = ncclAllReduce(x, y, 1 << 14, ncclInt32, ncclMax, comm, stream);
		else
			result = ncclAllGather(x, y, 1 << 14, ncclInt32, comm, stream);
		settle(comm, result);
		wait_for_stream(stream);
		usleep(20000);
	}
}
