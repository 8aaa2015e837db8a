/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One process, all GPUs: communicators by ncclCommInitAll, a thread per device. Takes the number of
 * devices and of the worker whose turn never comes from stdin.
 */

#include <cuda_runtime.h>
#include <nccl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_DEVICES 16
#define N           (1 << 14)
#define UNLUCKY     20 /* the iteration at which one waits for a turn that nobody gives it */

#define CHECK(call)                                                                                \
	do {                                                                                       \
		int result_ = (int)(call);                                                         \
		if (result_) {                                                                     \
			printf("%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, result_);         \
			exit(EXIT_FAILURE);                                                        \
		}                                                                                  \
	} while (0)

static ncclComm_t comms[MAX_DEVICES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int unlucky;

static void wait_for_turn(void)
{
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&turn, &mutex);
}

static void *worker(void *arg)
{
	int device = *(int *)arg;
	float *send, *recv;
	cudaStream_t s;

	CHECK(cudaSetDevice(device));
	CHECK(cudaMalloc((void **)&send, N * sizeof(float)));
	CHECK(cudaMalloc((void **)&recv, N * sizeof(float)));
	CHECK(cudaStreamCreate(&s));
	for (int i = 0;; i++) {
		if (i == UNLUCKY && device == unlucky)
			wait_for_turn();
		CHECK(ncclAllReduce(send, recv, N, ncclFloat, ncclSum, comms[device], s));
		CHECK(cudaStreamSynchronize(s));
		usleep(20000);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[MAX_DEVICES];
	int devices[MAX_DEVICES], n;

	if (scanf("%d %d", &n, &unlucky) != 2 || n > MAX_DEVICES)
		return EXIT_FAILURE;
	for (int i = 0; i < n; i++)
		devices[i] = i;
	CHECK(ncclCommInitAll(comms, n, devices));
	for (int i = 0; i < n; i++)
		CHECK(pthread_create(&threads[i], NULL, worker, &devices[i]));
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return EXIT_SUCCESS;
}
