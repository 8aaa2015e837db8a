/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.c: NCCL's side of a profiler plugin, as much as it takes to say what a rank does: loads
 * NCCL_PROFILER_PLUGIN and makes the calls that NCCL 2.27 (4), 2.28 (5) and 2.29 (6) make, in their
 * order and on their threads, with descriptors of their size.
 *
 *	RANK=n WORLD_SIZE=n plugin VERSION [WORD...]
 *
 *	coll		an ncclAllReduce, launched; its kernel begins and ends
 *	grouped		an explicit group of an ncclAllGather, a send and a receive
 *	stuck		as coll, but its kernel never ends
 *	unbegun		as coll, but its kernel never begins
 *	R:word, !R:word	as in client.c
 *	many		a million ops; says by how much the process has grown
 *	sync		waits in a stream that never ends
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/nvtx/word.h"

#define HASH	 0x5ca1ab1e0ddba11ull
#define CHANNELS 2
#define MANY	 1000000

enum { GROUP = 1, COLL = 2, P2P = 4, KERNEL = 64, GROUP_API = 256, COLL_API = 512, P2P_API = 1024 };
enum { KERNEL_STOP = 22, START_STOP = 23, END_START = 24 };

#define COMMON                                                                                     \
	struct {                                                                                   \
		uint64_t number;                                                                   \
		const char *func;                                                                  \
		const void *send;                                                                  \
		void *recv;                                                                        \
		size_t count;                                                                      \
		int root;                                                                          \
		const char *datatype;                                                              \
		uint8_t channels, warps;                                                           \
		const char *algo, *proto;                                                          \
		TAIL                                                                               \
	} coll;                                                                                    \
	struct {                                                                                   \
		const char *func;                                                                  \
		void *buffer;                                                                      \
		const char *datatype;                                                              \
		size_t count;                                                                      \
		int peer;                                                                          \
		uint8_t channels;                                                                  \
		TAIL                                                                               \
	} p2p;                                                                                     \
	struct {                                                                                   \
		uint8_t channel;                                                                   \
		uint64_t timer;                                                                    \
	} kernel

struct event4 {
	uint8_t type;
	void *parent;
	int rank;
	union {
#define TAIL
		COMMON;
#undef TAIL
	};
};

#define API                                                                                        \
	struct {                                                                                   \
		bool captured;                                                                     \
		int depth;                                                                         \
	} group_api;                                                                               \
	struct {                                                                                   \
		const char *func;                                                                  \
		size_t count;                                                                      \
		const char *datatype;                                                              \
		int root;                                                                          \
		void *stream;                                                                      \
		bool captured;                                                                     \
	} coll_api;                                                                                \
	struct {                                                                                   \
		const char *func;                                                                  \
		size_t count;                                                                      \
		const char *datatype;                                                              \
		void *stream;                                                                      \
		bool captured;                                                                     \
	} p2p_api

struct event5 {
	uint64_t type;
	void *parent;
	int rank;
	union {
		API;
#define TAIL void *parent_group;
		COMMON;
#undef TAIL
	};
};

_Static_assert(sizeof(struct event4) == 104, "NCCL 2.27's");
_Static_assert(sizeof(struct event5) == 112, "NCCL 2.28's");

struct plugin {
	const char *name;
	void *init;
	int (*start)(void *context, void **handle, void *event);
	int (*stop)(void *handle);
	int (*state)(void *handle, int state, void *arguments);
	int (*finalize)(void *context);
};

static struct {
	const struct plugin *plugin;
	int version, rank, size, mask;
	void *context;
	uint64_t number;
} me;

static void fail(const char *what)
{
	fprintf(stderr, "rank %d: %s\n", me.rank, what);
	exit(9);
}

static void load(void)
{
	const char *path = getenv("NCCL_PROFILER_PLUGIN");
	void *lib = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	char name[32];
	int result;

	if (!lib)
		fail(path ? dlerror() : "no plugin");
	snprintf(name, sizeof(name), "ncclProfiler_v%d", me.version);
	me.plugin = dlsym(lib, name);
	if (!me.plugin)
		fail(name);
	me.context = &me; /* NCCL leaves garbage there */
	if (me.version == 4)
		result = ((int (*)(void **, int *, const char *, uint64_t, int, int, int, void *))
				me.plugin->init)(
			&me.context, &me.mask, "world", HASH, 1, me.size, me.rank, NULL);
	else
		result = ((int (*)(void **, uint64_t, int *, const char *, int, int, int, void *))
				me.plugin->init)(
			&me.context, HASH, &me.mask, "world", 1, me.size, me.rank, NULL);
	if (result)
		fail("init refused");
	printf("mask %d\n", me.mask);
	fflush(stdout);
}

static void *start(void *event, int type)
{
	void *handle = NULL;

	if (me.version == 4)
		((struct event4 *)event)->type = (uint8_t)type;
	else
		((struct event5 *)event)->type = (uint64_t)type;
	if (me.plugin->start(me.context, &handle, event))
		fail("an event was refused");
	return handle;
}

static void stop(void *handle)
{
	if (handle)
		me.plugin->stop(handle);
}

/* --- The API's events ------------------------------------------------------------------------- */

static void *begin_group(int depth)
{
	struct event5 e = {.group_api = {false, depth}};

	return me.mask & GROUP_API ? start(&e, GROUP_API) : NULL;
}

static void *coll_api(void *group, const char *func, size_t count)
{
	struct event5 e = {.parent = group,
		.coll_api = {func, count, "ncclFloat32", 0, NULL, false}};
	void *handle = me.mask & COLL_API ? start(&e, COLL_API) : NULL;

	stop(handle);
	stop(handle); /* as NCCL does where it forgets to forget it */
	return handle;
}

static void *p2p_api(void *group, const char *func, size_t count)
{
	struct event5 e = {.parent = group, .p2p_api = {func, count, "ncclFloat32", NULL, false}};
	void *handle = me.mask & P2P_API ? start(&e, P2P_API) : NULL;

	stop(handle);
	return handle;
}

static void launch(void *group)
{
	if (!group)
		return;
	me.plugin->state(group, START_STOP, NULL);
	me.plugin->state(group, END_START, NULL);
}

/* --- Behind a launch -------------------------------------------------------------------------- */

static void *coll(void *api, const char *func, size_t count)
{
	struct event4 e4 = {.rank = me.rank,
		.coll = {.func = func, .count = count, .datatype = "ncclFloat32",
			.channels = CHANNELS, .number = me.number, .algo = "RING"}};
	struct event5 e5 = {.parent = api, .rank = me.rank,
		.coll = {.func = func, .count = count, .datatype = "ncclFloat32",
			.channels = CHANNELS, .number = me.number, .algo = "RING"}};
	void *handle;

	me.number++;
	if (!(me.mask & (COLL | KERNEL)))
		return NULL;
	handle = me.version == 4 ? start(&e4, COLL) : start(&e5, COLL);
	stop(handle);
	return handle;
}

static void p2p(void *api, const char *func, size_t count, int peer)
{
	struct event4 e4 = {
		.p2p = {.func = func, .count = count, .datatype = "ncclFloat32", .peer = peer}};
	struct event5 e5 = {.parent = api,
		.p2p = {.func = func, .count = count, .datatype = "ncclFloat32", .peer = peer}};

	if (me.mask & P2P)
		stop(me.version == 4 ? start(&e4, P2P) : start(&e5, P2P));
}

/* What the proxy's thread says of one collective. */
struct kernel {
	void *parent;
	bool ends;
};

static void *kernel(void *arg)
{
	const struct kernel *k = arg;
	void *handles[CHANNELS];

	for (uint8_t i = 0; i < CHANNELS; i++) {
		struct event4 e4 = {.parent = k->parent, .kernel = {i, 1}};
		struct event5 e5 = {.parent = k->parent, .kernel = {i, 1}};

		handles[i] = me.version == 4 ? start(&e4, KERNEL) : start(&e5, KERNEL);
	}
	for (int i = 0; k->ends && i < CHANNELS; i++) {
		if (handles[i])
			me.plugin->state(handles[i], KERNEL_STOP, NULL);
		stop(handles[i]);
	}
	return NULL;
}

static void run_kernel(void *parent, bool ends)
{
	struct kernel k = {parent, ends};
	pthread_t proxy;

	if (!(me.mask & KERNEL))
		return;
	if (pthread_create(&proxy, NULL, kernel, &k) || pthread_join(proxy, NULL))
		fail("no thread");
}

/* --- Words ------------------------------------------------------------------------------------ */

static void *reduce(void)
{
	void *group = begin_group(1), *api = coll_api(group, "AllReduce", 1024), *handle;

	launch(group);
	handle = coll(api, "AllReduce", 1024);
	stop(group);
	return handle;
}

static void do_coll(void)
{
	run_kernel(reduce(), true);
}

static void do_stuck(void)
{
	run_kernel(reduce(), false);
}

static void do_unbegun(void)
{
	reduce();
}

static void do_grouped(void)
{
	int next = (me.rank + 1) % me.size, last = (me.rank + me.size - 1) % me.size;
	void *group = begin_group(1), *gather, *send, *recv;

	gather = coll_api(group, "AllGather", 16);
	send = p2p_api(group, "Send", 32);
	recv = p2p_api(group, "Recv", 32);
	launch(group);
	coll(gather, "AllGather", 64); /* in bytes by then */
	p2p(send, "Send", 32, next);
	p2p(recv, "Recv", 32, last);
	stop(group);
}

static void do_many(void)
{
	struct rusage before, after;

	for (int i = 0; i < MANY / 10; i++)
		reduce();
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < MANY; i++)
		reduce();
	getrusage(RUSAGE_SELF, &after);
	printf("grown %ld KiB\n", after.ru_maxrss - before.ru_maxrss);
	fflush(stdout);
}

static void CUDART_CB never(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

static void do_sync(void)
{
	cudaStream_t stream;

	if (cudaStreamCreate(&stream) || cudaLaunchHostFunc(stream, never, NULL))
		fail("no stream");
	cudaStreamSynchronize(stream);
}

static const struct word words[] = {{"coll", do_coll}, {"stuck", do_stuck}, {"unbegun", do_unbegun},
	{"grouped", do_grouped}, {"many", do_many}, {"sync", do_sync}, {0}};

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	me.version = atoi(argv[1]);
	me.rank = getenv("RANK") ? atoi(getenv("RANK")) : 0;
	me.size = getenv("WORLD_SIZE") ? atoi(getenv("WORLD_SIZE")) : 1;
	load();
	for (int i = 2; i < argc; i++)
		if (!word_act(words, me.rank, argv[i]))
			fail(argv[i]);
	me.plugin->finalize(me.context);
	return 0;
}
