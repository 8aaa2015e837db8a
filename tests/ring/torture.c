/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torture [--kills N] [--slots N] [--threads N] [--stall N] [--seed N] [--broken]
 *
 * Writers in a child process are killed (SIGKILL) at a random instant, N times; every N-th record
 * stalls in its middle, as a preemption or a page fault would. Before the kill snapshots of the
 * living ring are read, after it the ring itself. What may be found is exactly:
 *
 *   living: no record that is not whole; every ticket accounted for
 *   dead:   as living; in each lane at most one ticket begun or reserved and not published, no gap
 *           before it; every board that was ever written is readable; at most one torn slot in the
 *           history of each group, one span and one string per thread
 *
 * --broken publishes each record before its words. The test is worth something only while that is
 * caught: torn records are then reported, and the exit status is 1.
 */
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void stall(void);
#define RING_STALL() stall()

#include "ring/ring-snapshot.h"
#include "tests/ring/fixture.h"

#define THREADS 8

struct options {
	unsigned kills, slots, threads, stall, seed;
	int broken;
};

struct findings {
	uint64_t whole, torn, unsound, gaps, in_flight, boards, history;
};

static struct options opt = {.kills = 100, .threads = 2, .stall = 2000, .seed = 1};
static struct fixture ring;
static int ring_fd;

/* --- The victim ------------------------------------------------------------------------------- */

static _Thread_local unsigned until_stall;

static void stall(void)
{
	const struct timespec nap = {.tv_nsec = 100000};

	if (opt.stall && !until_stall--) {
		until_stall = opt.stall;
		nanosleep(&nap, NULL);
	}
}

/* What a writer must not do: "published" comes first, the words after it. */
static void broken_put(struct ring_lane *lane, uint64_t tsc, const struct ring_record *r)
{
	uint64_t ticket = ring_reserve(&lane->head);
	struct ring_slot *s = ring.w.slots + lane->first + (ticket & (lane->n - 1));

	ring_store(&s->seq, 2 * ticket + 2);
	ring_fence_release();
	ring_slot_fill(s, tsc, r);
}

static void write_some(struct ring_lane *lane, uint32_t who, uint64_t n)
{
	struct ring_record r = sealed_record(n, who);
	struct ring_record op = {.count = n, .sig = mix(n, who, 9)};
	struct ring_entered e;
	struct ring_span span = {.kind = RING_SPAN_COMPILE, .name = 8 * (who + 1), .tid = who};
	char text[16];

	if (opt.broken)
		broken_put(lane, sealed_tsc(n, who), &r);
	else
		ring_put(&ring.w, lane, sealed_tsc(n, who), &r);
	ring_lane_board(lane, sealed_tsc(n, who), &r);
	if (n % 8)
		return;
	e = ring_group_enqueue(&ring.w, (int)who - 1, 0, n, &op);
	ring_group_returned(&ring.w, &e, RING_F_RETURNED);
	ring_pin(&ring.w, RING_PIN_NOTE, sealed_tsc(n, who), &r);
	if (n % 64)
		return;
	ring_span_begin(&ring.w, NULL, n, &span);
	ring_span_end(&ring.w, NULL, n + 1, &span);
	ring_string(&ring.w, text, (size_t)snprintf(text, sizeof(text), "%u-%lu", who, n % 4096));
}

static void *writer(void *arg)
{
	uint32_t who = (uint32_t)(uintptr_t)arg;
	struct ring_lane *lane = ring_lane_claim(&ring.w, who, "writer");
	struct ring_member member = {.key = who, .size = 8};

	until_stall = opt.stall;
	ring_group_publish(&ring.w, (int)who - 1, 1, &member);
	for (uint64_t n = 1;; n++)
		write_some(lane, who, n);
	return NULL;
}

static pid_t start_victim(void)
{
	pid_t parent = getpid(), pid = fork();
	pthread_t thread;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (unsigned t = 1; t <= opt.threads; t++)
		ring_group_claim(&ring.w);
	for (uintptr_t t = 1; t <= opt.threads; t++)
		if (pthread_create(&thread, NULL, writer, (void *)t))
			_exit(1);
	for (;;)
		pause();
}

/* --- The inquest ------------------------------------------------------------------------------ */

/* `dead`: only then a lane must have no gaps, and boards must be readable. */
static void examine_lane(const struct ring_lane_view *lane, int dead, struct findings *found)
{
	struct ring_cursor c;
	struct ring_slot s;
	uint64_t last = UINT64_MAX, open;

	ring_cursor_open(&c, lane);
	while (ring_cursor_next(&c, &s)) {
		if (ring_meta_type(s.meta) != RING_NOTE)
			continue;
		found->whole++;
		found->torn += !sealed(&s);
		if (dead && !lane->overflow && last != UINT64_MAX && s.index != last + 1)
			found->gaps++;
		last = s.index;
	}
	open = c.tally.in_flight + c.tally.unbegun;
	found->in_flight += open;
	found->unsound += lane->head != c.tally.read + c.tally.overwritten + c.tally.lapped + open;
	if (!dead)
		return;
	found->gaps += c.tally.lapped + (lane->overflow ? 0 : (open > 1));
	found->boards += lane->head > 3 && !lane->overflow && lane->board_state != 1;
	if (lane->board_state == 1)
		found->torn += !sealed(&lane->board);
}

static void examine_groups(const struct ring_view *view, struct findings *found)
{
	static struct ring_group g;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_GROUPS); i++) {
		unsigned torn = 0;

		if (ring_view_group(view, i, &g) <= 0 || !g.op_index)
			continue;
		found->boards += g.op_index > 1 && ring_board_read(g.enqueue, &s) != 1;
		for (int k = 0; k < RING_LAST; k++)
			torn += ring_slot_read(&g.last[k], &s) == RING_SLOT_TORN;
		found->history += torn > 1;
		for (uint64_t n = 1; n <= g.op_index; n += n < RING_LAST ? 1 : n)
			if (!ring_group_op(&g, n, &s))
				found->torn += s.sig != mix(s.count, (uint32_t)i + 1, 9);
	}
}

static void examine(const void *bytes, size_t size, int dead, struct findings *found)
{
	struct ring_lane_view lane;
	struct ring_view view;
	struct ring_pins pins;
	struct ring_slot s;

	if (ring_view_open(&view, bytes, size)) {
		found->unsound++;
		return;
	}
	for (uint64_t i = 0; i < ring_view_count(&view, RING_S_LANES); i++)
		if (!ring_view_lane(&view, i, &lane))
			examine_lane(&lane, dead, found);
	if (!ring_view_pins(&view, RING_PIN_NOTE, &pins))
		while (ring_pins_next(&pins, &s))
			found->torn += !sealed(&s);
	if (dead)
		examine_groups(&view, found);
	for (uint32_t id = 0; (id = ring_view_next_string(&view, id));)
		found->torn += !strchr(ring_view_string(&view, id), '-');
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Snapshots until it is time for the kill. */
static void watch(uint64_t until, struct findings *found)
{
	do {
		void *bytes;
		size_t size;

		if (ring_snapshot(ring_fd, &bytes, &size))
			abort();
		examine(bytes, size, 0, found);
		free(bytes);
	} while (now_us() < until);
}

static void kill_once(struct findings *living, struct findings *dead)
{
	uint64_t until = now_us() + 300 + (unsigned)rand_r(&opt.seed) % 2000;
	pid_t pid;

	memset(ring.base, 0, ring.layout.size);
	fixture_format(&ring, ring.base);
	for (uint32_t i = 0; opt.slots && i <= ring.layout.lanes; i++)
		ring.w.lanes[i].n = opt.slots;
	pid = start_victim();
	if (pid < 0)
		abort();
	watch(until, living);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	examine(ring.base, ring.layout.size, 1, dead);
}

static void say(const char *when, const struct findings *f)
{
	printf("%s: %lu whole, %lu torn, %lu gaps, %lu unreadable boards, %lu unsound, "
	       "%lu in flight\n",
		when, f->whole, f->torn, f->gaps, f->boards, f->unsound + f->history, f->in_flight);
}

static int bad(const struct findings *f)
{
	return f->torn || f->gaps || f->boards || f->unsound || f->history;
}

static void read_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{"kills", 1, NULL, 'k'}, {"slots", 1, NULL, 'n'}, {"threads", 1, NULL, 't'},
		{"stall", 1, NULL, 's'}, {"seed", 1, NULL, 'r'}, {"broken", 0, NULL, 'b'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		unsigned n = optarg ? (unsigned)strtoul(optarg, NULL, 0) : 0;

		switch (c) {
		case 'k': opt.kills = n; break;
		case 'n': opt.slots = n; break;
		case 't': opt.threads = n < THREADS ? n : THREADS; break;
		case 's': opt.stall = n; break;
		case 'r': opt.seed = n; break;
		case 'b': opt.broken = 1; break;
		default: exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct findings living = {0}, dead = {0};
	void *base;

	read_options(argc, argv);
	ring_layout(2, RING_RANK, &ring.layout);
	ring_fd = memfd_create("torture", MFD_CLOEXEC);
	if (ring_fd < 0 || ftruncate(ring_fd, (off_t)ring.layout.size))
		return 99;
	base = mmap(NULL, ring.layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, 0);
	if (base == MAP_FAILED)
		return 99;
	ring.base = base;
	printf("%u kills, %u threads, seed %u\n", opt.kills, opt.threads, opt.seed);
	for (unsigned k = 0; k < opt.kills; k++)
		kill_once(&living, &dead);
	say("living", &living);
	say("dead", &dead);
	return bad(&living) || bad(&dead);
}
