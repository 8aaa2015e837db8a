/* SPDX-License-Identifier: Apache-2.0 */
/* torture-victim.c: the writers, how they stall, and how they may be broken. */
#include "tests/ring/torture.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct torture *t;

/* The calling writer. */
static _Thread_local struct {
	uint32_t who; /* 0: no writer */
	struct ring_lane *lane;
	uint32_t lane_at;
	unsigned until_stall;
	uint64_t chance;
} me;

/* --- Stalls ----------------------------------------------------------------------------------- */

static unsigned chance(unsigned below)
{
	me.chance ^= me.chance << 13;
	me.chance ^= me.chance >> 7;
	me.chance ^= me.chance << 17;
	return (unsigned)(me.chance >> 11) % below;
}

static void nap(long ns)
{
	const struct timespec time = {.tv_nsec = ns};

	nanosleep(&time, NULL);
}

/* Called between the phases of every slot: now and then it takes its time. */
void torture_stall(void)
{
	if (!me.who || !t->stall || --me.until_stall)
		return;
	me.until_stall = 1 + chance(2 * t->stall);
	switch (chance(4)) {
	case 0:
		nap(1000 * (1 + chance(100)));
		break;
	case 1:
		for (volatile unsigned i = chance(5000); i; i--)
			;
		break;
	default:
		for (unsigned i = 1 + chance(3); i; i--)
			sched_yield();
	}
}

/* A signal stops a thread at any instruction, as a preemption does. */
static void on_stall(int signo)
{
	nap(20000);
}

/* --- Truth ------------------------------------------------------------------------------------ */

static void note(uint64_t *word, uint64_t value)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static uint64_t begin(struct count *count)
{
	note(&count->began, count->began + 1);
	return count->began;
}

static void end(struct count *count)
{
	note(&count->ended, count->ended + 1);
}

static struct count *deed(enum deed d)
{
	return &t->truth->writer[me.who].deed[d];
}

static struct count *lane_count(void)
{
	return &t->truth->lane[me.lane_at];
}

/* --- How a writer may be broken --------------------------------------------------------------- */

static void publish_first(
	struct ring_slot *s, uint64_t k, uint64_t tsc, const struct ring_record *r)
{
	ring_store(&s->seq, 2 * k + 2);
	ring_fence_release();
	ring_slot_fill(s, tsc, r);
}

static void put_into_lane(uint64_t tsc, const struct ring_record *r)
{
	struct ring_slot *slots = t->ring.w.slots + me.lane->first;

	if (t->breakage == BREAK_LOSS && r->index % 8 == 7)
		return;
	if (t->breakage == BREAK_PUBLISH) {
		uint64_t k = ring_reserve(&me.lane->head);

		publish_first(slots + (k & (me.lane->n - 1)), k, tsc, r);
		return;
	}
	ring_put(&t->ring.w, me.lane, tsc, r);
}

static uint64_t put_into_overflow(uint64_t tsc, const struct ring_record *r)
{
	struct ring_lane *lane = t->ring.w.overflow;
	uint64_t k;

	if (t->breakage != BREAK_CLAIM)
		return ring_put(&t->ring.w, NULL, tsc, r);
	k = ring_add(&lane->head, 1);
	ring_slot_publish(t->ring.w.slots + lane->first + (k & (lane->n - 1)), k, tsc, r);
	return k;
}

static void put_on_board(uint64_t tsc, const struct ring_record *r)
{
	if (t->breakage == BREAK_BOARD)
		ring_slot_publish(me.lane->board, me.lane->board_version++, tsc, r);
	else
		ring_lane_board(me.lane, tsc, r);
}

/* Each takes the next version, and with it a half, whoever is in the other one. */
static void mark_by_halves(uint64_t tsc, const struct ring_record *r)
{
	struct ring_mark *m = ring_mark_find(&t->ring.w, RING_MARK_SHARD, 8);

	ring_add(&m->events, 1);
	ring_add(&m->total, ROWS);
	for (int i = 0; i < 100; i++) {
		uint64_t version = ring_add(&m->version, 1);

		ring_slot_publish_shared(m->latest + (version & 1), version, tsc, r);
	}
}

/* --- Deeds ------------------------------------------------------------------------------------ */

static void do_lane(void)
{
	uint64_t n = begin(lane_count());
	struct ring_record r = sealed_record(n, me.who);

	put_into_lane(sealed_tsc(n, me.who), &r);
	end(lane_count());
}

static void do_board(void)
{
	struct count *count = &t->truth->board[me.lane_at];
	uint64_t n = begin(count);
	struct ring_record r = sealed_record(n, me.who);

	put_on_board(sealed_tsc(n, me.who), &r);
	end(count);
}

static void put_and_log(void)
{
	uint64_t n = begin(deed(DEED_OVERFLOW)), k;
	struct ring_record r = sealed_record(n, me.who);
	struct logged *logged;

	k = put_into_overflow(sealed_tsc(n, me.who), &r);
	if (k == RING_NO_TICKET) {
		note(&t->truth->writer[me.who].lost, t->truth->writer[me.who].lost + 1);
	} else {
		logged = &t->truth->log[k % LOG];
		logged->who = me.who;
		logged->n = n;
		note(&logged->key, log_key(t->truth, k));
	}
	end(deed(DEED_OVERFLOW));
}

/* A lap of the lane is what an unclaimed slot is lost in. */
static void do_overflow(void)
{
	for (int i = 0; i < (t->breakage == BREAK_CLAIM ? 100 : 1); i++)
		put_and_log();
}

static void do_pins(void)
{
	for (enum deed d = me.who == 1 ? DEED_PIN : DEED_PIN_ALL; d <= DEED_PIN_ALL; d++) {
		uint64_t n = begin(deed(d));
		struct ring_record r = sealed_record(n, me.who);

		ring_pin(&t->ring.w, d == DEED_PIN ? RING_PIN_NOTE : RING_PIN_SIGNAL,
			sealed_tsc(n, me.who), &r);
		end(deed(d));
	}
}

static void do_op(void)
{
	uint64_t n = begin(deed(DEED_ENQUEUE));
	struct ring_record op = {.count = n, .sig = op_sig(n, me.who), .aux = me.who};
	struct ring_entered e = ring_group_enqueue(&t->ring.w, (int)me.who - 1, 0, n, &op);

	end(deed(DEED_ENQUEUE));
	begin(deed(DEED_RETURN));
	ring_group_returned(&t->ring.w, &e, RING_F_RETURNED);
	end(deed(DEED_RETURN));
	begin(deed(DEED_COMPLETE));
	ring_group_complete(&t->ring.w, (int)me.who - 1, e.index, n, me.who);
	end(deed(DEED_COMPLETE));
}

static void do_shared_op(void)
{
	uint64_t n = begin(deed(DEED_SHARED)), *missed = &t->truth->writer[me.who].missed;
	struct ring_record op = {.count = n, .sig = op_sig(n, me.who), .aux = me.who};
	struct ring_entered e = ring_group_enqueue(&t->ring.w, (int)t->writers, 0, n, &op);

	if (e.board == RING_NO_TICKET)
		note(missed, *missed + 1);
	ring_group_returned(&t->ring.w, &e, RING_F_RETURNED);
	end(deed(DEED_SHARED));
}

/* A shard is a record of the lane as well: both counts are open meanwhile. */
static void do_marks(void)
{
	uint64_t n = begin(deed(DEED_SHARD));
	struct ring_shard shard = {8, shard_index(n, me.who), ROWS, 0};
	const uint64_t dims[] = {n, me.who, op_sig(n, me.who)};
	struct ring_shape shape = {8, 3, shard.index, dims};
	struct ring_record r = {.index = shard.index, .count = ROWS};

	shard.elements = r.sig = shard_elements(shard.index);
	if (t->breakage == BREAK_SHARED) {
		mark_by_halves(n, &r);
		end(deed(DEED_SHARD));
		return;
	}
	begin(lane_count());
	ring_mark_shard(&t->ring.w, me.lane, n, &shard);
	end(lane_count());
	end(deed(DEED_SHARD));
	begin(deed(DEED_SHAPE));
	begin(lane_count());
	ring_mark_shape(&t->ring.w, me.lane, n, &shape);
	end(lane_count());
	end(deed(DEED_SHAPE));
}

static void do_anchor(void)
{
	uint64_t n = begin(deed(DEED_ANCHOR)), who = me.who;
	struct ring_anchor a = {shard_index(n, who), mix(n, who, 20), mix(n, who, 21),
		mix(n, who, 22), mix(n, who, 23), mix(n, who, 24)};

	ring_anchor_put(&t->ring.w, &a);
	if ((ring_load(&t->ring.w.anchor_version) & ~RING_CLAIM_STUCK) >= 2)
		note(&t->truth->anchored, 1);
	end(deed(DEED_ANCHOR));
}

static void do_span(void)
{
	uint64_t n = begin(deed(DEED_SPAN_BEGIN));
	struct ring_span span = {.kind = RING_SPAN_COMPILE, .name = 8 * (me.who + 1)};

	span.tid = me.who;
	span.cpu_ns = mix(n, me.who, 30);
	begin(lane_count());
	ring_span_begin(&t->ring.w, me.lane, n, &span);
	end(lane_count());
	end(deed(DEED_SPAN_BEGIN));
	begin(deed(DEED_SPAN_END));
	begin(lane_count());
	ring_span_end(&t->ring.w, me.lane, n + 1, &span);
	end(lane_count());
	end(deed(DEED_SPAN_END));
}

static void do_string(void)
{
	char text[16];
	uint64_t n = begin(deed(DEED_STRING));

	ring_string(&t->ring.w, text,
		(size_t)snprintf(text, sizeof(text), "%u-%02u", me.who, (unsigned)n % NAMES));
	end(deed(DEED_STRING));
}

/* Another lane, then the old one back: a lane changes hands now and then. */
static void do_claim(void)
{
	struct ring_lane *old = me.lane;

	begin(deed(DEED_CLAIM));
	me.lane = ring_lane_claim(&t->ring.w, me.who, "writer");
	if (!me.lane)
		_exit(99);
	me.lane_at = ring_lane_index(&t->ring.w, me.lane);
	if (old)
		ring_lane_release(&t->ring.w, old);
	end(deed(DEED_CLAIM));
}

static const struct {
	void (*act)(void);
	unsigned every;
} deeds[] = {
	{do_lane, 1},
	{do_board, 1},
	{do_overflow, 3},
	{do_pins, 4},
	{do_op, 4},
	{do_shared_op, 16},
	{do_marks, 8},
	{do_anchor, 64},
	{do_span, 64},
	{do_string, 64},
	{do_claim, 256},
};

static void *writer(void *arg)
{
	me.who = (uint32_t)(uintptr_t)arg;
	me.chance = (t->truth->round << 8 | me.who) * 0x9e3779b97f4a7c15ull;
	me.until_stall = 1 + chance(2 * t->stall + 1);
	do_claim();
	for (uint64_t n = 1;; n++)
		for (size_t d = 0; d < sizeof(deeds) / sizeof(*deeds); d++)
			if (!(n % deeds[d].every))
				deeds[d].act();
	return NULL;
}

void victim_live(struct torture *torture)
{
	pthread_t threads[WRITERS];
	struct ring_member member = {.size = 8};

	t = torture;
	signal(SIGUSR1, on_stall);
	for (unsigned i = 0; i <= t->writers; i++) {
		member.key = i + 1;
		ring_group_publish(&t->ring.w, ring_group_claim(&t->ring.w), 1, &member);
	}
	for (uintptr_t i = 0; i < t->writers; i++)
		if (pthread_create(&threads[i], NULL, writer, (void *)(i + 1)))
			_exit(99);
	for (me.chance = t->truth->round + 1;; nap(50000))
		if (t->stall)
			pthread_kill(threads[chance(t->writers)], SIGUSR1);
}
