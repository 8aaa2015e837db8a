/* SPDX-License-Identifier: Apache-2.0 */
/*
 * throng [ROUNDS]: a rank with many threads, which come and go, and do at once all that the probe
 * records: communicators made and ended, operations in groups of their own and in one that all
 * share, waits, spans, shards, notes, forks, words on stderr. Readers look at the ring meanwhile,
 * where it lies, where the probe at hand says so (tests/probe/inside.c). For ThreadSanitizer.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nccl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/inquest.h"

#define THREADS 4
#define LIVES	4 /* of each thread: one after the other */

static int rounds = 200;
static ncclComm_t shared;
static int over;

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "throng: %s\n", what);
	exit(1);
}

#define NCCL(call) must((call) == ncclSuccess, #call)
#define CUDA(call) must((call) == cudaSuccess, #call)

/* --- Deeds ------------------------------------------------------------------------------------ */

struct life {
	ncclComm_t own;
	cudaStream_t stream;
	float *a, *b;
	char name[16];
};

static void do_ops(struct life *me)
{
	NCCL(ncclAllReduce(me->a, me->b, 8, ncclFloat, ncclSum, me->own, me->stream));
	NCCL(ncclAllReduce(me->a, me->b, 8, ncclFloat, ncclSum, shared, me->stream));
	NCCL(ncclGroupStart());
	NCCL(ncclAllReduce(me->a, me->b, 4, ncclFloat, ncclMax, me->own, me->stream));
	NCCL(ncclBroadcast(me->a, me->b, 4, ncclFloat, 0, me->own, me->stream));
	NCCL(ncclGroupEnd());
	CUDA(cudaStreamSynchronize(me->stream));
}

static void do_marks(struct life *me, int n)
{
	const uint64_t dims[] = {4, 2};

	inquest_span_begin(INQUEST_COMPILE, me->name, "one");
	inquest_shard("all", (uint64_t)n, 32, 64);
	inquest_shard_shape("all", (uint64_t)n, 2, dims);
	inquest_shard(me->name, (uint64_t)n, n % 8 ? 3 : 0, 3);
	inquest_step((uint64_t)n);
	inquest_note(me->name);
	inquest_span_end(INQUEST_COMPILE, me->name);
}

static void on_signal(int signo)
{
}

static void do_process(struct life *me, int n)
{
	struct sigaction act = {.sa_handler = on_signal};
	pid_t child;

	sigaction(SIGUSR1, &act, NULL);
	must(write(2, me->name, 1) == 1, "stderr");
	if (n % 64)
		return;
	child = fork();
	if (!child)
		_exit(0);
	must(child > 0 && waitpid(child, NULL, 0) == child, "a child");
}

static void *live(void *arg)
{
	struct life me;

	snprintf(me.name, sizeof(me.name), "%d", (int)(intptr_t)arg);
	CUDA(cudaStreamCreate(&me.stream));
	CUDA(cudaMalloc((void **)&me.a, 64));
	CUDA(cudaMalloc((void **)&me.b, 64));
	NCCL(ncclCommInitAll(&me.own, 1, NULL));
	for (int n = 1; n <= rounds; n++) {
		do_ops(&me);
		do_marks(&me, n);
		if (n % 16 == 0)
			do_process(&me, n);
	}
	NCCL(ncclCommDestroy(me.own));
	CUDA(cudaFree(me.a));
	CUDA(cudaFree(me.b));
	CUDA(cudaStreamDestroy(me.stream));
	return NULL;
}

/* --- Readers ---------------------------------------------------------------------------------- */

typedef uint64_t look_fn(void);

static void *read_on(void *arg)
{
	look_fn *look;
	uint64_t records = 0;

	*(void **)&look = dlsym(RTLD_DEFAULT, "inquest_probe_look");
	while (look && !__atomic_load_n(&over, __ATOMIC_RELAXED))
		records += look();
	printf("%lu records were read\n", (unsigned long)records);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS], reader;

	if (argc > 1)
		rounds = atoi(argv[1]);
	NCCL(ncclCommInitAll(&shared, 1, NULL));
	must(!pthread_create(&reader, NULL, read_on, NULL), "a reader");
	for (int life = 0; life < LIVES; life++) {
		for (intptr_t t = 0; t < THREADS; t++)
			must(!pthread_create(&threads[t], NULL, live, (void *)(t + 1)), "thread");
		for (int t = 0; t < THREADS; t++)
			pthread_join(threads[t], NULL);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	NCCL(ncclCommDestroy(shared));
	return 0;
}
