/* SPDX-License-Identifier: Apache-2.0 */

/*
 * As small as the example in NCCL's manual: bare ID-FILE SIZE RANK. Reads a number of seconds from
 * stdin that it takes to load its data before it joins.
 */

#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cuda_runtime.h"

int main(int argc, char *argv[])
{
	int size = argc > 3 ? atoi(argv[2]) : 0, rank = argc > 3 ? atoi(argv[3]) : 0, load = 0;
	ncclUniqueId id;
	ncclComm_t comm;
	cudaStream_t s;
	float *buf;
	FILE *f;

	if (size < 1 || scanf("%d", &load) != 1)
		return 2;
	if (rank == 0) {
		ncclGetUniqueId(&id);
		f = fopen("id.new", "w");
		fwrite(&id, sizeof(id), 1, f);
		fclose(f);
		rename("id.new", argv[1]);
	}
	cudaSetDevice(rank);
	cudaMalloc((void **)&buf, 1024 * sizeof(float));
	cudaStreamCreate(&s);
	sleep((unsigned int)load);
	while (!(f = fopen(argv[1], "r")))
		usleep(10000);
	if (fread(&id, sizeof(id), 1, f) != 1)
		return 1;
	fclose(f);
	ncclCommInitRank(&comm, size, id, rank);
	for (;;) {
		ncclAllReduce(buf, buf, 1024, ncclFloat, ncclSum, comm, s);
		cudaStreamSynchronize(s);
		usleep(50000);
	}
}
