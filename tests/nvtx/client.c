/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c: a rank that takes NCCL's functions by dlopen and dlsym, as ctypes does (vLLM), so that
 * no preloaded wrapper ever stands before them.
 *
 *	RANK=n WORLD_SIZE=n client LIBRARY DIR [WORD...]
 *
 * With NCCL_NAMES=torchcomms_ it takes those whose names begin so. LIBRARY "-" takes those that are
 * loaded already, the first first: that is the preloaded wrappers.
 * Ranks meet through the file DIR/id. Words are done in order. A word "R:word" is done by rank R
 * only, "!R:word" by all but R. At the end a rank creates DIR/done.RANK.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <nccl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probes/inquest.h"
#include "tests/nvtx/word.h"
#include "tests/tools/meet.h"

#define ELEMENTS 4096
#define MANY	 1000000

/* clang-format off */
#define FUNCTIONS(X) \
	X(ncclGetUniqueId) X(ncclCommInitRank) X(ncclCommInitRankConfig) X(ncclCommSplit) \
	X(ncclCommFinalize) X(ncclCommDestroy) X(ncclCommAbort) X(ncclGroupStart) X(ncclGroupEnd) \
	X(ncclAllReduce) X(ncclAllGather) X(ncclReduceScatter) X(ncclBroadcast) X(ncclReduce) \
	X(ncclAlltoAll) X(ncclSend) X(ncclRecv)
/* clang-format on */

static struct {
#define X(name) __typeof__(name) *name;
	FUNCTIONS(X)
#undef X
} nccl;

static struct {
	const char *dir;
	int rank, size;
	ncclComm_t comm, child;
	cudaStream_t stream;
	float *a, *b;
} me;

static void fail(const char *what)
{
	fprintf(stderr, "rank %d: %s\n", me.rank, what);
	exit(9);
}

#define DO(call)                                                                                   \
	do {                                                                                       \
		if (call)                                                                          \
			fail(#call);                                                               \
	} while (0)

static void *function_of(void *lib, const char *name)
{
	const char *prefix = getenv("NCCL_NAMES");
	char whole[128];

	snprintf(whole, sizeof(whole), "%s%s", prefix ? prefix : "", name);
	return dlsym(lib, whole);
}

static void load(const char *path)
{
	void *lib = strcmp(path, "-") ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;

	if (!lib && strcmp(path, "-") != 0)
		fail(dlerror());
#define X(name)                                                                                    \
	nccl.name = (__typeof__(name) *)function_of(lib, #name);                                   \
	if (!nccl.name)                                                                            \
		fail("no " #name);
	FUNCTIONS(X)
#undef X
}

static ncclUniqueId meet(void)
{
	char path[512];
	ncclUniqueId id;

	snprintf(path, sizeof(path), "%s/id", me.dir);
	if (!me.rank)
		DO(nccl.ncclGetUniqueId(&id));
	if (!meet_by(path, me.rank, &id, sizeof(id)))
		fail("the id cannot be shared");
	return id;
}

static void do_init(void)
{
	DO(nccl.ncclCommInitRank(&me.comm, me.size, meet(), me.rank));
}

static void do_init_in_group(void)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;

	DO(nccl.ncclGroupStart());
	DO(nccl.ncclCommInitRankConfig(&me.comm, me.size, meet(), me.rank, &config));
	DO(nccl.ncclGroupEnd());
}

static void do_reduce(void)
{
	DO(nccl.ncclAllReduce(me.a, me.b, 1024, ncclFloat, ncclSum, me.comm, me.stream));
}

static void do_more(void)
{
	DO(nccl.ncclAllReduce(me.a, me.b, 1040, ncclFloat, ncclSum, me.comm, me.stream));
}

static void do_gather(void)
{
	DO(nccl.ncclAllGather(me.a, me.b, 16, ncclFloat, me.comm, me.stream));
}

static void do_zero(void)
{
	DO(nccl.ncclAllGather(me.a, me.b, 0, ncclFloat, me.comm, me.stream));
}

static void do_others(void)
{
	DO(nccl.ncclReduceScatter(me.a, me.b, 8, ncclInt, ncclMax, me.comm, me.stream));
	DO(nccl.ncclBroadcast(me.a, me.b, 32, ncclFloat, 1, me.comm, me.stream));
	DO(nccl.ncclReduce(me.a, me.b, 48, ncclFloat, ncclMin, 1, me.comm, me.stream));
	DO(nccl.ncclAlltoAll(me.a, me.b, 4, ncclDouble, me.comm, me.stream));
}

static void do_group(void)
{
	int next = (me.rank + 1) % me.size, last = (me.rank + me.size - 1) % me.size;

	DO(nccl.ncclGroupStart());
	DO(nccl.ncclSend(me.a, 16, ncclFloat, next, me.comm, me.stream));
	DO(nccl.ncclRecv(me.b, 16, ncclFloat, last, me.comm, me.stream));
	DO(nccl.ncclGroupStart());
	DO(nccl.ncclAllReduce(me.a, me.b, 32, ncclFloat, ncclMax, me.comm, me.stream));
	DO(nccl.ncclGroupEnd());
	DO(nccl.ncclGroupEnd());
}

/* Two children by the parity of the rank, both made before either is used. */
static void do_split(void)
{
	DO(nccl.ncclCommSplit(me.comm, me.rank % 2, me.rank, &me.child, NULL));
	DO(nccl.ncclAllReduce(me.a, me.b, 64, ncclFloat, ncclSum, me.child, me.stream));
}

static void do_child(void)
{
	DO(nccl.ncclAllReduce(me.a, me.b, 64, ncclFloat, ncclSum, me.child, me.stream));
}

static void do_sync(void)
{
	DO(cudaStreamSynchronize(me.stream));
}

static void do_end(void)
{
	DO(nccl.ncclCommFinalize(me.comm));
	DO(nccl.ncclCommDestroy(me.comm));
}

static void do_abort(void)
{
	DO(nccl.ncclCommAbort(me.comm));
}

/* A million ranges; the memory that the process has then may not have grown by them. */
static void do_many(void)
{
	struct rusage before, after;

	for (int i = 0; i < MANY / 10; i++)
		DO(nccl.ncclAllGather(me.a, me.b, 0, ncclFloat, me.comm, me.stream));
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < MANY; i++)
		DO(nccl.ncclAllGather(me.a, me.b, 0, ncclFloat, me.comm, me.stream));
	getrusage(RUSAGE_SELF, &after);
	printf("grown %ld KiB\n", after.ru_maxrss - before.ru_maxrss);
	fflush(stdout);
}

/* Two members of one group in this process, a thread each. */
static ncclUniqueId threads_id;

static void *do_thread(void *arg)
{
	ncclComm_t comm;
	cudaStream_t stream;

	DO(cudaStreamCreate(&stream));
	DO(nccl.ncclCommInitRank(&comm, 2, threads_id, arg != NULL));
	for (int i = 0; i < 3; i++)
		DO(nccl.ncclAllReduce(me.a, me.b, 8, ncclFloat, ncclSum, comm, stream));
	DO(cudaStreamSynchronize(stream));
	return NULL;
}

static void do_threads(void)
{
	pthread_t other;

	DO(nccl.ncclGetUniqueId(&threads_id));
	DO(pthread_create(&other, NULL, do_thread, &me));
	do_thread(NULL);
	DO(pthread_join(other, NULL));
}

/* A compiler that never ends, and works. */
static void do_compile(void)
{
	inquest_span_begin(INQUEST_COMPILE, "codegen", "graph 0");
	for (;;)
		__asm__ volatile("");
}

static void do_stay(void)
{
	for (;;)
		pause();
}

static void do_leave(void)
{
	exit(0);
}

static const struct word words[] = {
	{"init", do_init},
	{"init-in-group", do_init_in_group},
	{"reduce", do_reduce},
	{"more", do_more},
	{"gather", do_gather},
	{"zero", do_zero},
	{"others", do_others},
	{"group", do_group},
	{"split", do_split},
	{"child", do_child},
	{"sync", do_sync},
	{"end", do_end},
	{"abort", do_abort},
	{"many", do_many},
	{"threads", do_threads},
	{"compile", do_compile},
	{"stay", do_stay},
	{"leave", do_leave},
	{0},
};

int main(int argc, char **argv)
{
	char done[512];

	if (argc < 3)
		return 2;
	me.rank = getenv("RANK") ? atoi(getenv("RANK")) : 0;
	me.size = getenv("WORLD_SIZE") ? atoi(getenv("WORLD_SIZE")) : 1;
	me.dir = argv[2];
	load(argv[1]);
	DO(cudaStreamCreate(&me.stream));
	DO(cudaMalloc((void **)&me.a, ELEMENTS * sizeof(float)));
	DO(cudaMalloc((void **)&me.b, ELEMENTS * sizeof(float)));
	for (int i = 3; i < argc; i++)
		if (!word_act(words, me.rank, argv[i]))
			fail(argv[i]);
	snprintf(done, sizeof(done), "%s/done.%d", me.dir, me.rank);
	close(open(done, O_CREAT | O_WRONLY, 0600));
	return 0;
}
