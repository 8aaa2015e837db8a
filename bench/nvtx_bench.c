/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvtx_bench LISTENED IDLE: what a range costs that the probe records. Both are copies of one
 * library, a stand-in for NCCL with NVTX in it (fixtures/nvtxnccl); in the second nobody listens,
 * as without us. They take turns, round by round. Timed by the thread's own clock.
 */
#include <dlfcn.h>
#include <nccl.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figure.h"

#define CALLS  4000
#define ROUNDS 41
#define BAR    20 /* readings of the clock that a call may cost more */

struct library {
	__typeof__(ncclGetUniqueId) *id;
	__typeof__(ncclCommInitRank) *init;
	__typeof__(ncclAllGather) *gather;
	__typeof__(ncclGroupStart) *start;
	__typeof__(ncclGroupEnd) *end;
	ncclComm_t comm;
};

/* True if anybody listens is decided at its first range. */
static struct library load(const char *path, const char *injection)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct library l;
	ncclUniqueId id;

	if (injection)
		setenv("NVTX_INJECTION64_PATH", injection, 1);
	else
		unsetenv("NVTX_INJECTION64_PATH");
	if (!lib)
		exit(1);
	l.id = (__typeof__(l.id))dlsym(lib, "ncclGetUniqueId");
	l.init = (__typeof__(l.init))dlsym(lib, "ncclCommInitRank");
	l.gather = (__typeof__(l.gather))dlsym(lib, "ncclAllGather");
	l.start = (__typeof__(l.start))dlsym(lib, "ncclGroupStart");
	l.end = (__typeof__(l.end))dlsym(lib, "ncclGroupEnd");
	if (l.id(&id) || l.init(&l.comm, 1, id, 0))
		exit(1);
	return l;
}

static double time_gather(const struct library *l)
{
	double start = figure_own_ns();

	for (int i = 0; i < CALLS; i++)
		if (l->gather(NULL, NULL, 0, ncclFloat, l->comm, NULL))
			exit(1);
	return (figure_own_ns() - start) / CALLS;
}

static double time_pair(const struct library *l)
{
	double start = figure_own_ns();

	for (int i = 0; i < CALLS; i++)
		if (l->start() || l->end())
			exit(1);
	return (figure_own_ns() - start) / CALLS;
}

static void compare(const char *what, double (*timed)(const struct library *),
	const struct library *listened, const struct library *idle)
{
	double one[ROUNDS], two[ROUNDS], added[ROUNDS], ticks[ROUNDS];
	char name[80];

	for (int i = 0; i < ROUNDS; i++) {
		one[i] = timed(idle);
		two[i] = timed(listened);
		added[i] = two[i] - one[i];
		ticks[i] = added[i] / figure_rdtsc_ns();
	}
	snprintf(name, sizeof(name), "%s, nobody listens", what);
	figure_print(&(struct figure){name, figure_median(one, ROUNDS), "ns", 0, 0, 0});
	figure_print(&(struct figure){
		"  recorded by its range", figure_median(two, ROUNDS), "ns", 0, 0, 0});
	figure_print(&(struct figure){"  added, in readings of the clock",
		figure_median(added, ROUNDS), "ns", figure_median(ticks, ROUNDS), BAR,
		FIGURE_AT_MOST});
}

int main(int argc, char **argv)
{
	const char *probe = getenv("NVTX_INJECTION64_PATH");
	struct library listened, idle;
	char *kept = probe ? strdup(probe) : NULL;

	if (argc < 3 || !kept)
		return 2;
	idle = load(argv[2], NULL);
	listened = load(argv[1], kept);
	compare("empty ncclAllGather", time_gather, &listened, &idle);
	compare("ncclGroupStart and End", time_pair, &listened, &idle);
	free(kept);
	return 0;
}
