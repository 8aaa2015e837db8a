/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races [ROUNDS]: four threads at once at each thing that threads share in a ring, while a reader
 * looks at the slots. What one thread is told must agree with what the others are told and with
 * what is in the ring afterwards; every loss must have been counted. Runs under ThreadSanitizer.
 */
#include <pthread.h>
#include <stdio.h>

#include "tests/ring/fixture.h"

#define THREADS 4
#define NAMES	300

static struct fixture *ring;
static uint64_t rounds = 20000;
static uint64_t told[THREADS];	     /* what each thread counts */
static uint32_t ids[THREADS][NAMES]; /* string ids each thread got */
static uint32_t held[64];	     /* lanes now held */
static uint8_t *seen;		     /* indices given out */
static uint64_t twice;		     /* given out twice, or held by two */
static uint64_t torn;
static int stop;

static void check(int holds, const char *what)
{
	if (holds)
		return;
	printf("FAIL: %s\n", what);
	exit(1);
}

/* --- What each thread does -------------------------------------------------------------------- */

static void put_in_overflow(unsigned t, uint64_t n)
{
	struct ring_record r = sealed_record(n, t + 1);

	if (ring_put(&ring->w, NULL, sealed_tsc(n, t + 1), &r) == RING_NO_TICKET)
		told[t]++;
}

static void check_overflow(void)
{
	struct ring_view view = fixture_view(ring);
	struct ring_lane_view lane;
	struct ring_cursor c;
	struct ring_slot s;
	uint64_t lost = 0;

	for (int t = 0; t < THREADS; t++)
		lost += told[t];
	ring_view_lane(&view, ring->layout.lanes, &lane);
	ring_cursor_open(&c, &lane);
	while (ring_cursor_next(&c, &s))
		check(sealed(&s), "a record in the overflow lane is torn");
	check(lane.head == THREADS * rounds, "the overflow lane lost a ticket");
	check(!c.tally.in_flight, "a slot was left open");
	check(ring->w.header->losses.records == lost, "a lost record was not counted");
}

static void enter_group(unsigned t, uint64_t n)
{
	struct ring_record op = {.count = n, .sig = ring_sig(1, 7, 0, t)};
	struct ring_entered e = ring_group_enqueue(&ring->w, 0, t, n, &op);

	if (__atomic_exchange_n(&seen[e.index], 1, __ATOMIC_RELAXED))
		__atomic_fetch_add(&twice, 1, __ATOMIC_RELAXED);
	ring_group_returned(&ring->w, &e, RING_F_RETURNED);
	ring_group_complete(&ring->w, 0, e.index, n, 0);
	if (e.board == RING_NO_TICKET)
		told[t]++;
}

static void check_group(void)
{
	struct ring_group *g = ring->w.groups;
	struct ring_slot s;
	uint64_t missed = 0, absent = 0;

	for (int t = 0; t < THREADS; t++)
		missed += told[t];
	check(g->op_index == THREADS * rounds, "an op was not counted");
	check(!twice, "two ops got one index");
	check(g->missed == missed, "a missed op was not counted");
	check(!missed || g->contended >= missed, "contention was not counted");
	for (uint64_t i = g->op_index - RING_LAST + 1; i <= g->op_index; i++)
		absent += ring_group_op(g, i, &s) != 0;
	check(absent <= missed, "the history has a hole that nobody counted");
	check(ring_board_read(g->enqueue, &s) == 1, "the enqueue board is unreadable");
	check(ring_board_read(g->complete, &s) == 1, "the complete board is unreadable");
}

static void mark_shard(unsigned t, uint64_t n)
{
	struct ring_shard shard = {24, n, 3, mix(n, 0, 7)};

	ring_mark_shard(&ring->w, NULL, n, &shard);
	if (n % 100 == 0)
		ring_lane_release(&ring->w, ring_lane_claim(&ring->w, t + 1, "brief"));
}

static void check_marks(void)
{
	struct ring_mark *m = ring->w.marks;
	struct ring_slot s;

	check(m->events == THREADS * rounds, "a shard was not counted");
	check(m->total == 3 * THREADS * rounds, "rows were not counted");
	check(ring_board_read(m->latest, &s) == 1, "a mark is unreadable");
	check(s.sig == mix(s.index, 0, 7), "a mark is torn");
	check(!ring->w.marks[1].claim, "one loader got two marks");
}

static void intern(unsigned t, uint64_t n)
{
	uint64_t which = (n + 77 * t) % NAMES;
	char text[16];
	uint32_t id = ring_string(
		&ring->w, text, (size_t)snprintf(text, sizeof(text), "name %lu", which));

	check(id && (!ids[t][which] || ids[t][which] == id), "a string changed its id");
	ids[t][which] = id;
}

static void check_strings(void)
{
	struct ring_view view = fixture_view(ring);
	char text[16];

	for (int i = 0; i < NAMES; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		for (int t = 0; t < THREADS; t++)
			check(ids[t][i] == ids[0][i], "two threads got two ids for one string");
		check(!strcmp(ring_view_string(&view, ids[0][i]), text), "a string is torn");
	}
}

static void open_and_close(unsigned t, uint64_t n)
{
	struct ring_span span = {.kind = RING_SPAN_USER, .name = 8 + 8 * t, .tid = t + 1};
	uint64_t serial = ring_span_begin(&ring->w, NULL, n, &span);

	if (ring_span_end(&ring->w, NULL, n + 1, &span) != serial)
		told[t]++;
}

static void check_spans(void)
{
	struct ring_slot s;
	uint64_t lost = 0;

	for (int t = 0; t < THREADS; t++)
		lost += told[t];
	check(lost <= ring->w.header->losses.spans, "a span ended that was not the one begun");
	check(ring->w.span_serial == THREADS * rounds, "a span got no serial of its own");
	for (uint32_t i = 0; i < ring->layout.spans; i++)
		if (ring_slot_read(&ring->w.spans[i], &s) != RING_SLOT_EMPTY)
			check(ring_meta_flags(s.meta) & RING_F_CLOSED, "a span stayed open");
}

static void hold_lane(unsigned t, uint64_t n)
{
	struct ring_lane *lane = ring_lane_claim(&ring->w, t + 1, "holder");
	uint32_t *owner = held + ring_lane_index(&ring->w, lane);
	struct ring_record r = sealed_record(n, t + 1);

	if (lane && __atomic_exchange_n(owner, t + 1, __ATOMIC_RELAXED))
		__atomic_fetch_add(&twice, 1, __ATOMIC_RELAXED);
	ring_put(&ring->w, lane, sealed_tsc(n, t + 1), &r);
	if (lane)
		__atomic_store_n(owner, 0, __ATOMIC_RELAXED);
	ring_lane_release(&ring->w, lane);
}

static void check_lanes(void)
{
	check(!twice, "two threads held one lane");
}

static const struct race {
	const char *name;
	void (*act)(unsigned thread, uint64_t n);
	void (*check)(void);
} races[] = {
	{"overflow lane", put_in_overflow, check_overflow},
	{"group", enter_group, check_group},
	{"marks", mark_shard, check_marks},
	{"strings", intern, check_strings},
	{"spans", open_and_close, check_spans},
	{"lanes", hold_lane, check_lanes},
};

/* --- The race --------------------------------------------------------------------------------- */

static const struct race *race;

static void *run_thread(void *arg)
{
	unsigned t = (unsigned)(uintptr_t)arg;

	for (uint64_t n = 1; n <= rounds; n++)
		race->act(t, n);
	return NULL;
}

/* Reads slots as a viewer would; of whole ones every word must fit. */
static void *run_reader(void *arg)
{
	const struct ring_lane *last = ring->w.overflow;
	struct ring_slot s;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		for (uint64_t i = 0; i < last->n; i++)
			if (ring_slot_read(ring->w.slots + last->first + i, &s) ==
					RING_SLOT_WHOLE &&
				ring_meta_type(s.meta) == RING_NOTE)
				torn += !sealed(&s);
	return NULL;
}

static void run_race(const struct race *which)
{
	pthread_t threads[THREADS], reader;
	struct ring_member member = {.key = 1, .size = 2};

	race = which;
	ring = fixture_new(2, RING_RANK);
	ring->w.overflow->n = 16;
	ring_group_publish(&ring->w, ring_group_claim(&ring->w), 1, &member);
	memset(told, 0, sizeof(told));
	stop = 0;
	twice = 0;
	seen = calloc(THREADS * rounds + 1, 1);
	pthread_create(&reader, NULL, run_reader, NULL);
	for (uintptr_t t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, run_thread, (void *)t);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	race->check();
	check(!torn, "a living reader accepted a torn record");
	printf("%s: lost %lu, contended %lu\n", race->name, ring->w.header->losses.records,
		ring->w.header->losses.contended);
	free(seen);
	fixture_free(ring);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = strtoull(argv[1], NULL, 0);
	for (size_t i = 0; i < sizeof(races) / sizeof(*races); i++)
		run_race(&races[i]);
	return 0;
}
