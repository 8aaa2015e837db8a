/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl_bench LABEL: what the probe adds to a collective. Run under the probe, on the stand-in, as
 * the only rank of its world. The bare call is the library's own function, the intercepted one what
 * the program is linked to; they take turns, round by round. Timed by the thread's own clock.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nccl.h>
#include <string.h>

#include "bench/figure.h"
#include "ring/ring-cpu.h"

#define CALLS  2000
#define ROUNDS 41

typedef ncclResult_t reduce_fn(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t,
	ncclComm_t, cudaStream_t);

static ncclComm_t comm;
static cudaStream_t stream;
static float *buffer;

static double time_calls(reduce_fn *reduce, size_t count)
{
	double start = figure_own_ns();
	double spent;

	for (int i = 0; i < CALLS; i++)
		if (reduce(buffer, buffer, count, ncclFloat, ncclSum, comm, stream))
			exit(1);
	spent = figure_own_ns() - start;
	cudaStreamSynchronize(stream);
	return spent / CALLS;
}

static double time_rdtsc(void)
{
	double start = figure_own_ns();
	uint64_t sum = 0;

	for (int i = 0; i < CALLS; i++) {
		sum += ring_now();
		__asm__ volatile("" : : "r"(sum) : "memory");
	}
	return (figure_own_ns() - start) / CALLS;
}

/*
 * Readings of the clock that a call may cost more; to follow its end it calls the driver. Only the
 * calls that bring nothing are held to it: with an element the stand-in has a thread to wake where
 * its queue has run empty, which a caller that is slower by anything at all meets more often.
 */
#define BAR	     20
#define BAR_FOLLOWED 100

static double bar_of(const char *label, size_t count)
{
	if (count)
		return 0;
	return strstr(label, "write") ? BAR_FOLLOWED : BAR;
}

static void print_pair(const char *label, const char *what, reduce_fn *bare, size_t count)
{
	double one[ROUNDS], two[ROUNDS], ratio[ROUNDS], added[ROUNDS], ticks[ROUNDS];
	char name[80];

	for (int i = 0; i < ROUNDS; i++) {
		double clock = time_rdtsc();

		one[i] = time_calls(bare, count);
		two[i] = time_calls(ncclAllReduce, count);
		ratio[i] = two[i] / one[i];
		added[i] = two[i] - one[i];
		ticks[i] = added[i] / clock;
	}
	snprintf(name, sizeof(name), "ncclAllReduce, %s, bare", what);
	figure_print(&(struct figure){name, figure_median(one, ROUNDS), "ns", 0, 0, 0});
	snprintf(name, sizeof(name), "  intercepted%s", label);
	figure_print(&(struct figure){
		name, figure_median(two, ROUNDS), "ns", figure_median(ratio, ROUNDS), 0, 0});
	figure_print(&(struct figure){"  added, in readings of the clock",
		figure_median(added, ROUNDS), "ns", figure_median(ticks, ROUNDS),
		bar_of(label, count), FIGURE_AT_MOST});
}

int main(int argc, char **argv)
{
	const char *label = argc > 1 ? argv[1] : "";
	void *lib = dlopen("libnccl.so.2", RTLD_LAZY | RTLD_NOLOAD);
	reduce_fn *bare = NULL;
	ncclUniqueId id;

	if (lib)
		*(void **)&bare = dlsym(lib, "ncclAllReduce");
	if (!bare || bare == ncclAllReduce) {
		fprintf(stderr, "nccl_bench: not under the probe\n");
		return 1;
	}
	if (cudaStreamCreate(&stream) || cudaMalloc((void **)&buffer, 4096) ||
		ncclGetUniqueId(&id) || ncclCommInitRank(&comm, 1, id, 0))
		return 1;
	print_pair(label, "1 element", bare, 1);
	print_pair(label, "0 elements", bare, 0);
	ncclCommDestroy(comm);
	return 0;
}
