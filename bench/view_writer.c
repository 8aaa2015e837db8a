/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_writer flat-out|busy FILE N CPU: N ranks, all on one processor, that write collectives into
 * their rings until their parent is gone, and count in FILE what they did, for view_live_bench.py.
 *
 * flat-out: AllReduces of nothing, which no rank waits for: each is a record and its return, and
 * nearly nothing else. busy: a little arithmetic and an AllReduce of 4 KiB, eight of them a step,
 * as a job with many small layers has them; ranks wait for each other.
 */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <nccl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "bench/figure.h"
#include "probes/inquest.h"
#include "ring/ring-cpu.h"
#include "tests/tools/meet.h"

#define RANKS	 64
#define ELEMENTS 1024
#define BATCH	 8   /* AllReduces of a step */
#define FINE	 6   /* bits of a time that are kept: 1.6 % */
#define BUCKETS	 (40 << FINE)
#define FLOPS	 20000

/* One rank's, in FILE; read while it is written. */
struct tally {
	double ticks_per_ns;
	uint64_t ops;
	uint64_t cpu_ns;
	uint64_t times[BUCKETS]; /* of one call, in ticks: see bucket_of() */
};

static struct {
	const char *file;
	int rank, size;
	pid_t parent;
	bool flat_out;
	struct tally *tally;
	ncclComm_t comm;
	cudaStream_t stream;
	float *memory;
} me;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "view_writer: failed: %s\n", what);
	exit(9);
}

#define DO(call) must((call) == 0, #call)

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	must(sched_setaffinity(0, sizeof(set), &set) == 0, "that processor");
}

/* The highest bit's place, and as many bits below it as are kept. */
static size_t bucket_of(uint64_t ticks)
{
	int high = 63 - __builtin_clzll(ticks | 1);

	if (high < FINE)
		return ticks;
	return ((size_t)(high - FINE + 1) << FINE) + ((ticks >> (high - FINE)) & ((1 << FINE) - 1));
}

static void reduce(size_t count)
{
	uint64_t begun = ring_now();
	size_t bucket;

	DO(ncclAllReduce(me.memory, me.memory, count, ncclFloat, ncclMax, me.comm, me.stream));
	bucket = bucket_of(ring_now() - begun);
	me.tally->times[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	me.tally->ops++;
}

static void compute(void)
{
	volatile float x = 1;

	for (int i = 0; i < FLOPS; i++)
		x = x * 0.999f + 0.001f;
}

static void step(uint64_t n)
{
	for (int i = 0; i < BATCH; i++) {
		if (!me.flat_out)
			compute();
		reduce(me.flat_out ? 0 : ELEMENTS);
	}
	if (me.flat_out)
		return;
	DO(cudaStreamSynchronize(me.stream));
	inquest_step(n);
}

static double ticks_per_ns(void)
{
	double begun = figure_now_ns();
	uint64_t ticks = ring_now();

	while (figure_now_ns() < begun + 2e7)
		;
	return (double)(ring_now() - ticks) / (figure_now_ns() - begun);
}

static void join_world(void)
{
	char path[512];
	ncclUniqueId id;

	snprintf(path, sizeof(path), "%s.id", me.file);
	if (!me.rank)
		DO(ncclGetUniqueId(&id));
	must(meet_by(path, me.rank, &id, sizeof(id)), path);
	DO(cudaStreamCreate(&me.stream));
	DO(cudaMalloc((void **)&me.memory, ELEMENTS * sizeof(float)));
	DO(ncclCommInitRank(&me.comm, me.size, id, me.rank));
}

static int be_rank(int rank)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	me.rank = rank;
	me.tally += rank;
	me.tally->ticks_per_ns = ticks_per_ns();
	join_world();
	for (uint64_t n = 0; getppid() == me.parent; n++) {
		step(n);
		if (n % 64 == 0)
			me.tally->cpu_ns = (uint64_t)figure_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
	return 0;
}

/* Each rank is a program of its own, as a launcher's are. */
static void start_rank(int rank, char **argv)
{
	char number[16];

	if (fork())
		return;
	snprintf(number, sizeof(number), "%d", rank);
	setenv("RANK", number, 1);
	setenv("LOCAL_RANK", number, 1);
	setenv("WORLD_SIZE", argv[3], 1);
	execv("/proc/self/exe", argv);
	_exit(9);
}

static struct tally *map_tallies(const char *path)
{
	size_t size = RANKS * sizeof(struct tally);
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *at;

	must(fd >= 0 && ftruncate(fd, (off_t)size) == 0, path);
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, path);
	close(fd);
	return at;
}

int main(int argc, char **argv)
{
	const char *rank = getenv("RANK");

	if (argc != 5 || atoi(argv[3]) < 1 || atoi(argv[3]) > RANKS)
		return 2;
	me.flat_out = !strcmp(argv[1], "flat-out");
	me.file = argv[2];
	me.size = atoi(argv[3]);
	me.parent = getppid();
	me.tally = map_tallies(me.file);
	stay_on(atoi(argv[4]));
	if (rank)
		return be_rank(atoi(rank));
	for (int i = 0; i < me.size; i++)
		start_rank(i, argv);
	while (wait(NULL) > 0)
		;
	return 0;
}
