/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables of fixed size, without locks. Ops lie at their number modulo the size; one that is
 * still open when its place comes round again keeps it, and the newer one is not followed. Works
 * are hashed by address. The threads of a process group end works while the program's threads make
 * others, so each entry is taken by a CAS and shown by its key, which is written last.
 */
#include "probes/work.h"

#include "probes/probe.h"
#include "probes/process.h"

#define WORK_OPS    1024
#define WORK_OBJECTS 2048 /* a power of two */
#define WORK_TRIES  32
#define WORK_GROUPS 64  /* groups that the largest ring has entries for */
#define WORK_ENDS   128 /* ops of one group that may be under way together */
#define WORK_NUMBER (0xc10dull << 48)

#define WORK_FREE 0 /* values of an object's key that are no address */
#define WORK_GONE 1
#define WORK_BUSY 2

/* An open op. `number` is 0 while the place is free, and 1 while it is being filled. */
struct work_op {
	uint64_t number;
	uint64_t pending; /* what has not ended yet: the call itself, and each bound work */
	uint64_t bound;
	uint64_t failed;
	uint64_t use; /* seq of the group's entry, which another group may have later */
	uint64_t nth;
	int group;
	int p2p;
};

/*
 * The ends of one group's collectives, or of its P2P: `ended` has 2n if op n is done, 2n + 1 if it
 * failed; all up to `done` have ended.
 */
struct work_ends {
	uint64_t done;
	uint64_t ended[WORK_ENDS];
};

/*
 * Writers: all threads that make or end works, word by word with atomics; a new group and a forked
 * child clear what is theirs.
 */
static struct {
	struct work_op ops[WORK_OPS];
	struct {
		uint64_t key;
		uint64_t op;
	} objects[WORK_OBJECTS];
	struct work_ends ends[WORK_GROUPS][2];
	uint64_t last; /* number of the latest op */
} works;

/* --- Ends ------------------------------------------------------------------------------------ */

/* Raises a word to a value, unless it is larger. */
static void work_raise(uint64_t *word, uint64_t value)
{
	uint64_t seen = ring_load(word);

	while (seen < value && !ring_cas(word, seen, value))
		seen = ring_load(word);
}

/* Returns the op up to which all have ended, the last of them well. */
static uint64_t work_advance(struct work_ends *ends)
{
	for (;;) {
		uint64_t done = ring_load(&ends->done), next = done, ended;

		do {
			next++;
			ended = ring_load(&ends->ended[next % WORK_ENDS]);
		} while (ended == 2 * next + 1 && next < done + WORK_ENDS);
		if (ended != 2 * next)
			return done;
		ring_cas(&ends->done, done, next);
	}
}

/* Takes in the end of an op that all have left. */
static void work_ended(struct ring_writer *ring, const struct work_op *op)
{
	struct ring_group *g = ring->groups + op->group;
	struct work_ends *ends = &works.ends[op->group][op->p2p];
	uint64_t done;

	if (ring_load(&g->seq) != op->use)
		return;
	if (op->nth > ring_load(&ends->done) + WORK_ENDS - 1) {
		ring_lose(&ring->header->losses.completions);
		return;
	}
	ring_store(&ends->ended[op->nth % WORK_ENDS], 2 * op->nth + (op->failed != 0));
	done = work_advance(ends);
	work_raise(op->p2p ? &g->completed_p2p : &g->completed_word, done);
}

void work_new_group(int group)
{
	if (group >= 0 && group < WORK_GROUPS)
		__builtin_memset(works.ends[group], 0, sizeof(works.ends[group]));
}

/* --- Ops ------------------------------------------------------------------------------------- */

uint64_t work_number(void)
{
	return WORK_NUMBER | (ring_add(&works.last, 1) + 1);
}

static struct work_op *work_place(uint64_t number)
{
	return &works.ops[number % WORK_OPS];
}

/* Returns the open op of a number; NULL none. */
static struct work_op *work_find(uint64_t number)
{
	struct work_op *op = work_place(number);

	return number && __atomic_load_n(&op->number, __ATOMIC_ACQUIRE) == number ? op : NULL;
}

int work_open(struct ring_writer *ring, uint64_t number, const struct ring_entered *e)
{
	struct work_op *op = work_place(number);

	if (e->group < 0 || e->group >= WORK_GROUPS)
		return 0;
	if (!ring_cas(&op->number, 0, 1)) {
		ring_lose(&ring->header->losses.completions);
		return 0;
	}
	op->pending = 1;
	op->bound = op->failed = 0;
	op->use = ring_load(&ring->groups[e->group].seq);
	op->nth = e->nth;
	op->group = e->group;
	op->p2p = (e->flags & RING_F_P2P) != 0;
	ring_publish_word(&op->number, number);
	return 1;
}

/* One less to wait for: the last one ends the op. */
static void work_drop(struct work_op *op, enum work_end end)
{
	struct ring_writer *ring = process_ring();
	struct work_op last;

	if (end == WORK_FAILED)
		ring_store(&op->failed, 1);
	if (__atomic_fetch_sub(&op->pending, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	last = *op;
	ring_publish_word(&op->number, 0);
	if (ring && last.group < (int)ring->ngroups)
		work_ended(ring, &last);
}

void work_close(uint64_t number, enum work_end end)
{
	struct work_op *op = work_find(number);

	if (op)
		work_drop(op, end);
}

int work_is_bound(uint64_t number)
{
	struct work_op *op = work_find(number);

	return op && ring_load(&op->bound);
}

/* --- Works ----------------------------------------------------------------------------------- */

static unsigned work_slot(uint64_t key, unsigned probe)
{
	return (unsigned)((key >> 4) * 0x9e3779b97f4a7c15ull >> 40) + probe;
}

/* Takes a Work out of the table. Returns its op's number, or 0. */
static uint64_t work_take(uint64_t key)
{
	for (unsigned probe = 0; probe < WORK_TRIES; probe++) {
		unsigned at = work_slot(key, probe) % WORK_OBJECTS;
		uint64_t seen = __atomic_load_n(&works.objects[at].key, __ATOMIC_ACQUIRE);
		uint64_t op = ring_load(&works.objects[at].op);

		if (!seen)
			return 0;
		if (seen == key && ring_cas(&works.objects[at].key, key, WORK_GONE))
			return op;
	}
	return 0;
}

void work_bind(uint64_t number, const void *work)
{
	uint64_t key = (uint64_t)(uintptr_t)work;
	struct work_op *op = work_find(number);

	if (!op || key <= WORK_BUSY)
		return;
	work_end(work, WORK_FAILED); /* ends the one that had this address before  */
	for (unsigned probe = 0; probe < WORK_TRIES; probe++) {
		unsigned at = work_slot(key, probe) % WORK_OBJECTS;
		uint64_t seen = ring_load(&works.objects[at].key);

		if (seen > WORK_GONE || seen == WORK_BUSY ||
			!ring_cas(&works.objects[at].key, seen, WORK_BUSY))
			continue;
		__atomic_fetch_add(&op->pending, 1, __ATOMIC_RELAXED);
		ring_store(&op->bound, 1);
		ring_store(&works.objects[at].op, number);
		ring_publish_word(&works.objects[at].key, key);
		return;
	}
	ring_store(&op->failed, 1);
	probe_lose(PROBE_LOST_COMPLETIONS);
}

uint64_t work_op(const void *work)
{
	uint64_t key = (uint64_t)(uintptr_t)work;

	for (unsigned probe = 0; key > WORK_BUSY && probe < WORK_TRIES; probe++) {
		unsigned at = work_slot(key, probe) % WORK_OBJECTS;
		uint64_t seen = __atomic_load_n(&works.objects[at].key, __ATOMIC_ACQUIRE);

		if (!seen)
			return 0;
		if (seen == key)
			return ring_load(&works.objects[at].op);
	}
	return 0;
}

int work_group(const void *work)
{
	const struct work_op *op = work_find(work_op(work));

	return op ? op->group : -1;
}

void work_end(const void *work, enum work_end end)
{
	struct work_op *op = work_find(work_take((uint64_t)(uintptr_t)work));

	if (op)
		work_drop(op, end);
}

void work_end_of(const void *work, uint64_t number, enum work_end end)
{
	if (work_op(work) == number)
		work_end(work, end);
}

void work_lose(uint64_t number)
{
	struct work_op *op = work_find(number);

	if (!op)
		return;
	ring_publish_word(&op->number, 0);
	probe_lose(PROBE_LOST_COMPLETIONS);
}

void work_lose_of(const void *work)
{
	work_lose(work_take((uint64_t)(uintptr_t)work));
}

void work_forget_all(void)
{
	__builtin_memset(works.ops, 0, sizeof(works.ops));
	__builtin_memset(works.objects, 0, sizeof(works.objects));
	__builtin_memset(works.ends, 0, sizeof(works.ends));
}
