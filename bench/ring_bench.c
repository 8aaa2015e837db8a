/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_bench HOT.so [LTTNG.so]: what the ring costs its host, and how fast it is read. All variants
 * take turns, round by round, and ratios are taken within a round. The yardstick is a bare loop
 * that reads the clock and stores 64 bytes, in as much memory: nothing that records costs less.
 * All is timed by the thread's own clock: what it costs its host, whoever else is on the machine.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/figure.h"
#include "bench/ring_hot.h"
#include "ring/ring-make.h"
#include "ring/ring-read.h"
#include "ring/ring-snapshot.h"
#include "ring/ring-write.h"

#define BARE_SLOTS 32768 /* as the largest lane has */
#define EVENTS 200000
#define ROUNDS 41
#define RINGS  32 /* read in turn: more than any cache holds */

static hot_record_fn *hot_record, *hot_record_board;
static int (*lttng_loop)(uint64_t n);

/* --- Variants: ns per event ------------------------------------------------------------------- */

static double time_rdtsc(void)
{
	double start = figure_own_ns();
	uint64_t sum = 0;

	for (uint64_t i = 0; i < EVENTS; i++) {
		sum += ring_now();
		__asm__ volatile("" : : "r"(sum) : "memory");
	}
	return (figure_own_ns() - start) / EVENTS;
}

static struct bare {
	uint64_t words[8];
} __attribute__((aligned(64))) *bare;

static double time_bare(void)
{
	double start = figure_own_ns();

	for (uint64_t i = 0; i < EVENTS; i++) {
		struct bare *at = &bare[i & (BARE_SLOTS - 1)];
		uint64_t now = ring_now();

		for (int k = 0; k < 8; k++)
			at->words[k] = now + i;
		__asm__ volatile("" : : "r"(at) : "memory");
	}
	return (figure_own_ns() - start) / EVENTS;
}

static double time_call(hot_record_fn *record)
{
	double start = figure_own_ns();

	for (uint64_t i = 0; i < EVENTS; i++)
		record(0x0102, i, 4096, i ^ 7);
	return (figure_own_ns() - start) / EVENTS;
}

static double time_record(void)
{
	return time_call(hot_record);
}

static double time_board(void)
{
	return time_call(hot_record_board);
}

static double time_lttng(void)
{
	double start = figure_own_ns();

	if (!lttng_loop || lttng_loop(EVENTS))
		return 0;
	return (figure_own_ns() - start) / EVENTS;
}

/* --- Two threads, each on its own processor, for the whole run -------------------------------- */

static pthread_barrier_t barrier;
static double pair[2];
static int processors[2];
static int pair_ends;

static void settle_on(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *pair_thread(void *arg)
{
	long me = (long)arg;

	settle_on(processors[me]);
	time_record();
	for (;;) {
		pthread_barrier_wait(&barrier);
		if (pair_ends)
			return NULL;
		pair[me] = time_record();
		pthread_barrier_wait(&barrier);
	}
}

static double time_pair(void)
{
	if (processors[1] < 0)
		return 0;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return (pair[0] + pair[1]) / 2;
}

static void find_processors(void)
{
	cpu_set_t set;
	int found = 0;

	processors[0] = processors[1] = -1;
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			processors[found++] = cpu;
}

/* --- Writing ---------------------------------------------------------------------------------- */

enum variant { RDTSC, BARE, RECORD, BOARD, PAIR, LTTNG, VARIANTS };

static double (*const variants[VARIANTS])(void) = {
	time_rdtsc, time_bare, time_record, time_board, time_pair, time_lttng};

static double sample[VARIANTS][ROUNDS];

/* The median over the rounds of one variant's time by another's. */
static double ratio(enum variant of, enum variant by)
{
	double each[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		each[r] = sample[by][r] > 0 ? sample[of][r] / sample[by][r] : 0;
	return figure_median(each, ROUNDS);
}

static double median(enum variant v)
{
	double copy[ROUNDS];

	memcpy(copy, sample[v], sizeof(copy));
	return figure_median(copy, ROUNDS);
}

static void take_samples(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 3);
	for (long t = 0; t < 2 && processors[1] >= 0; t++)
		pthread_create(&threads[t], NULL, pair_thread, (void *)t);
	settle_on(processors[0]);
	for (int v = 0; v < VARIANTS; v++)
		variants[v]();
	for (int r = 0; r < ROUNDS; r++)
		for (int v = 0; v < VARIANTS; v++)
			sample[v][r] = variants[v]();
	pair_ends = 1;
	if (processors[1] < 0)
		return;
	pthread_barrier_wait(&barrier);
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
}

static void say_writing(void)
{
	figure_print(&(struct figure){.name = "rdtsc", .median = median(RDTSC), .unit = "ns"});
	figure_print(&(struct figure){.name = "rdtsc and 64 bytes stored: the limit",
		.median = median(BARE),
		.unit = "ns"});
	figure_print(&(struct figure){.name = "record, hot, through the .so (x limit)",
		.median = median(RECORD),
		.unit = "ns",
		.ratio = ratio(RECORD, BARE),
		.bar = 1.25});
	figure_print(&(struct figure){.name = "record + board (x limit)",
		.median = median(BOARD),
		.unit = "ns",
		.ratio = ratio(BOARD, BARE),
		.bar = 1.4});
	if (processors[1] >= 0)
		figure_print(&(struct figure){.name = "record, two threads (x one)",
			.median = median(PAIR),
			.unit = "ns",
			.ratio = ratio(PAIR, RECORD),
			.bar = 1.15});
	else
		printf("record, two threads: skipped: one processor only\n");
	if (sample[LTTNG][0] > 0)
		figure_print(&(struct figure){.name = "record (x LTTng-UST, overwrite mode)",
			.median = median(LTTNG),
			.unit = "ns LTTng",
			.ratio = ratio(RECORD, LTTNG),
			.bar = 0.2});
	else
		printf("LTTng-UST: skipped: %s\n",
			lttng_loop ? "no session (lttng-tools)" : "not built (liblttng-ust-dev)");
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void *new_ring(const struct ring_layout *layout)
{
	void *base = mmap(NULL, layout->size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (base == MAP_FAILED)
		exit(1);
	ring_format(base, layout);
	ring_publish(base);
	return base;
}

static void fill_ring(void *base)
{
	static struct ring_writer w;
	const struct ring_record r = {.meta = 0x0102, .count = 1};
	struct ring_lane *lane;

	ring_writer_open(&w, base);
	while ((lane = ring_lane_claim(&w, 1, "full")))
		for (uint64_t i = 0; i < 2 * lane->n; i++)
			ring_put(&w, lane, i, &r);
}

static uint64_t read_ring(const void *bytes, size_t size, uint64_t *sum)
{
	struct ring_lane_view lane;
	struct ring_cursor c;
	struct ring_slot s;
	struct ring_view view;
	uint64_t read = 0;

	if (ring_view_open(&view, bytes, size))
		exit(1);
	for (uint64_t i = 0; i < ring_view_count(&view, RING_S_LANES); i++) {
		if (ring_view_lane(&view, i, &lane))
			continue;
		ring_cursor_open(&c, &lane);
		while (ring_cursor_next(&c, &s))
			*sum += s.index + s.meta + s.count + s.sig + s.tsc;
		read += c.tally.read;
	}
	return read;
}

static void say_reading(const struct ring_layout *layout)
{
	void *rings[RINGS];
	double rate[9];
	uint64_t sum = 0;

	for (int i = 0; i < RINGS; i++) {
		rings[i] = new_ring(layout);
		fill_ring(rings[i]);
	}
	for (int round = 0; round < 9; round++) {
		double start = figure_own_ns();
		uint64_t read = 0;

		for (int i = 0; i < RINGS; i++)
			read += read_ring(rings[i], layout->size, &sum);
		rate[round] = (double)read / (figure_own_ns() - start) * 1e3;
	}
	__asm__ volatile("" : : "r"(sum));
	for (int i = 0; i < RINGS; i++)
		munmap(rings[i], layout->size);
	figure_print(&(struct figure){.name = "read and check slots, from memory",
		.median = figure_median(rate, 9),
		.unit = "M/s",
		.bar = 100,
		.sense = FIGURE_AT_LEAST});
}

static void say_snapshot(const struct ring_layout *layout)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);
	double took[21];
	void *base;

	if (fd < 0 || ftruncate(fd, (off_t)layout->size))
		return;
	base = mmap(NULL, layout->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (base == MAP_FAILED)
		return;
	ring_format(base, layout);
	ring_publish(base);
	for (int round = 0; round < 21; round++) {
		double start = figure_now_ns();
		void *bytes;
		size_t size;

		for (int rank = 0; rank < 8; rank++) {
			if (ring_snapshot(fd, &bytes, &size))
				return;
			free(bytes);
		}
		took[round] = (figure_now_ns() - start) / 1e6;
	}
	munmap(base, layout->size);
	close(fd);
	figure_print(&(struct figure){.name = "copy 8 fresh rings, alive",
		.median = figure_median(took, 21),
		.unit = "ms"});
}

static void *find(void *object, const char *name)
{
	void *symbol = object ? dlsym(object, name) : NULL;

	if (!symbol)
		fprintf(stderr, "ring_bench: no %s: %s\n", name, dlerror());
	return symbol;
}

int main(int argc, char **argv)
{
	void *hot = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *lttng = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
	hot_open_fn *hot_open = (hot_open_fn *)find(hot, "hot_open");
	struct ring_layout layout;

	hot_record = (hot_record_fn *)find(hot, "hot_record");
	hot_record_board = (hot_record_fn *)find(hot, "hot_record_board");
	if (!hot_open || !hot_record || !hot_record_board)
		return 1;
	if (lttng)
		lttng_loop = (int (*)(uint64_t))find(lttng, "lttng_loop");
	ring_layout(0, RING_RANK, &layout);
	bare = new_ring(&layout);
	if (hot_open(new_ring(&layout)))
		return 1;
	find_processors();
	take_samples();
	say_writing();
	figure_print(&(struct figure){.name = "memory per rank",
		.median = (double)layout.size / (1 << 20),
		.unit = "MiB",
		.bar = 5});
	say_reading(&layout);
	say_snapshot(&layout);
	return 0;
}
