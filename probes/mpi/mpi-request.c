/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests stand for operations that were begun, and somebody waits for them.
 *
 * A wait names its op if it is for one. A wait for all of several says "any", and which they are:
 * whichever of those is open holds it. A wait for *one* of several is held by none of them, so it
 * is a call and no more. A test that says "not yet" shows on the board that its thread asks;
 * nothing is written down.
 *
 * A library may give one handle to several requests that are done already (MPICH does, for sends
 * that fitted into a buffer), and give it anew once it is free: which op it stands for is asked
 * before the real call, and holds behind it only while it still stands for that one.
 *
 * A *described* op (MPI_Send_init) has a request that lives on; each start is an op of its own.
 */
#include <string.h>

#include "probes/mpi/mpi.h"
#include "probes/nccl/group.h"
#include "probes/work.h"

#define MOST	    512 /* requests of one call that are followed */
#define STARTED	    64  /* requests that one call starts */
#define ANY_OP	    UINT64_MAX
#define DESCRIBED   512 /* a power of two */
#define TRIES	    16

/*
 * The requests of one call, as they were before it: one that the call ends is no request
 * afterwards.
 */
struct requests {
	int n;	   /* how many are followed; there may be more */
	int begun; /* how many stand for an op */
	uint64_t one; /* number of one of these ops */
	/* the lowest of the ops, and a bit for each from there on, as WAIT_ENTER has it */
	uint64_t first, ops;
	uint64_t key[MOST];
	uint64_t op[MOST];
};

/* --- Described operations -------------------------------------------------------------------- */

/* Writers: all threads that describe, start or give up, an entry by its `key`, taken by a CAS. */
static struct {
	uint64_t key; /* 0 free, 1 gone, 2 being written */
	uint64_t use; /* seq of the group's entry */
	struct mpi_op op;
} described[DESCRIBED];

enum { FREE, GONE, BUSY };

static unsigned place(uint64_t key, unsigned i)
{
	return ((unsigned)((key ^ key >> 4) * 0x9e3779b97f4a7c15ull >> 40) + i) % DESCRIBED;
}

static void keep(struct probe_thread *me, uint64_t key, const struct mpi_op *op)
{
	for (unsigned i = 0; key > BUSY && op->group >= 0 && i < TRIES; i++) {
		unsigned at = place(key, i);
		uint64_t seen = ring_load(&described[at].key);

		if ((seen > GONE && seen != key) || !ring_cas(&described[at].key, seen, BUSY))
			continue;
		described[at].op = *op;
		described[at].use = ring_load(&me->ring->groups[op->group].seq);
		ring_publish_word(&described[at].key, key);
		return;
	}
	probe_lose(PROBE_LOST_RECORDS);
}

/* Returns the place of a described op; -1 if the request stands for none. */
static int find(const struct probe_thread *me, uint64_t key)
{
	for (unsigned i = 0; key > BUSY && i < TRIES; i++) {
		unsigned at = place(key, i);
		uint64_t seen = ring_load_acquire(&described[at].key);

		if (!seen)
			return -1;
		if (seen == key)
			return ring_load(&me->ring->groups[described[at].op.group].seq) ==
					       described[at].use
				       ? (int)at
				       : -1;
	}
	return -1;
}

int mpi_do_describe(const struct mpi_call *c)
{
	struct mpi_op op;
	int result;

	if (mpi_is_nothing(c))
		return mpi_real(c);
	op = mpi_describe_op(c);
	result = mpi_real(c);
	if (!result)
		keep(c->me, mpi_request(c), &op);
	return result;
}

/* --- Starts ---------------------------------------------------------------------------------- */

/*
 * Starts n requests, and enters those that are known; one that is not was described when nothing
 * was recorded.
 */
static int start_all(const struct mpi_call *c, int n)
{
	int known = 0, result;
	uint64_t ticket = mpi_call_enter(c->me, c->shape->call, GROUP_NONE, (uint64_t)n);
	struct mpi_op ops[STARTED];
	uint64_t keys[STARTED];

	for (int i = 0; i < n && known < STARTED; i++) {
		uint64_t key = mpi_handle_at(c, c->shape->request, i, MPI_KIND_REQUEST);
		int at = find(c->me, key);

		if (at < 0)
			continue;
		ops[known] = described[at].op;
		keys[known] = key;
		mpi_op_enter(c->me, &ops[known++]);
	}
	if (n > STARTED)
		probe_lose(PROBE_LOST_RECORDS);
	result = mpi_real(c);
	for (int i = 0; i < known; i++)
		mpi_op_return(c->me, &ops[i], keys[i], result);
	mpi_call_return(c->me, c->shape->call, GROUP_NONE, ticket, result);
	return result;
}

int mpi_do_start(const struct mpi_call *c)
{
	return start_all(c, c->shape->many ? mpi_int(c, 0) : 1);
}

/* --- Waits ----------------------------------------------------------------------------------- */

/* Fills in which ops they are. If there are more than are followed, nobody knows. */
static void list_ops(struct requests *r, int n)
{
	r->first = r->one;
	r->ops = 0;
	for (int i = 0; i < r->n; i++)
		if (r->op[i] && r->op[i] < r->first)
			r->first = r->op[i];
	for (int i = 0; i < r->n && n <= MOST; i++) {
		uint64_t behind = r->op[i] - r->first;

		if (r->op[i])
			r->ops |= 1ull << (behind < 63 ? behind : 63);
	}
}

static void take_one(struct requests *r, int i, uint64_t key)
{
	r->key[i] = key;
	r->op[i] = work_op((const void *)(uintptr_t)key);
	if (r->op[i]) {
		r->one = r->op[i];
		r->begun++;
	}
}

static void take(const struct mpi_call *c, struct requests *r)
{
	int n = c->shape->many ? mpi_int(c, 0) : 1;

	r->n = n < MOST ? n : MOST;
	r->begun = 0;
	r->one = 0;
	for (int i = 0; i < r->n; i++)
		take_one(r, i, mpi_handle_at(c, c->shape->request, i, MPI_KIND_REQUEST));
	list_ops(r, n);
	if (n > MOST)
		probe_lose(PROBE_LOST_COMPLETIONS);
}

/* Says in a record what the wait is for. */
static void show_ops(struct ring_record *record, const struct requests *r, uint64_t op)
{
	record->aux = op;
	if (op != ANY_OP)
		return;
	record->count = r->first;
	record->sig = r->ops;
}

static void end_one(const struct requests *r, int i, int result)
{
	if (i >= 0 && i < r->n && r->op[i])
		work_end_of((const void *)(uintptr_t)r->key[i], r->op[i],
			result ? WORK_FAILED : WORK_DONE);
}

/* Ends those that the call says are done. */
static void end_done(const struct mpi_call *c, const struct requests *r, int result)
{
	const struct mpi_shape *s = c->shape;
	int from = c->tongue == MPI_IN_FORTRAN, n = r->n;

	if (s->done == DONE_ALL || result) {
		for (int i = 0; i < n; i++)
			end_one(r, i, result);
		return;
	}
	if (s->done == DONE_ONE) {
		end_one(r, mpi_told(c, s->index, 0) - from, 0);
		return;
	}
	n = mpi_told(c, s->flag, 0);
	for (int i = 0; i < n && i < r->n; i++)
		end_one(r, mpi_told(c, s->index, i) - from, 0);
}

/* Returns the op that a wait is for; ANY_OP; 0: it is for what no record tells of. */
static uint64_t waits_for(const struct mpi_call *c, const struct requests *r)
{
	if (r->begun == 1)
		return r->one;
	return r->begun && c->shape->done == DONE_ALL ? ANY_OP : 0;
}

/* Shows a wait in lane and on board. Returns the record of its end, should it be left. */
static struct ring_record begin_wait(
	const struct mpi_call *c, const struct requests *r, uint64_t op)
{
	struct ring_record wait = {.meta = ring_meta(op ? RING_WAIT_ENTER : RING_CALL_ENTER, 0,
					   RING_NO_GROUP, c->shape->call)};
	uint64_t now = probe_now(c->me), ticket;

	show_ops(&wait, r, op);
	ticket = probe_put(c->me, now, &wait);
	probe_board(c->me, now, &wait);
	return (struct ring_record){.meta = ring_meta(op ? RING_WAIT_EXIT : RING_CALL_EXIT,
					    RING_F_FAILED, RING_NO_GROUP, c->shape->call),
		.more = ticket};
}

int mpi_do_wait(const struct mpi_call *c)
{
	struct requests r;
	struct ring_record end;
	uint64_t now, op;
	int result;

	take(c, &r);
	op = waits_for(c, &r);
	end = begin_wait(c, &r, op);
	mpi_stands_in(c->me, &end);
	result = mpi_real(c);
	end_done(c, &r, result);
	now = probe_now(c->me);
	if (!result)
		end.meta = ring_meta(op ? RING_WAIT_EXIT : RING_CALL_EXIT, 0, RING_NO_GROUP,
			c->shape->call);
	end.aux = (uint64_t)(uint32_t)result;
	probe_put(c->me, now, &end);
	probe_idle(c->me, now);
	return result;
}

/* --- Tests ----------------------------------------------------------------------------------- */

/*
 * Shows a test on the board alone: the thread asks again and again, or has its answer. `op`: for
 * which; 0: for any of several, or for what nothing tells of. `r`: of which requests; NULL with
 * that.
 */
static void show_poll(const struct mpi_call *c, const struct requests *r, uint64_t op, int done)
{
	struct probe_thread *me = c->me;
	struct ring_record poll = {
		.meta = ring_meta(op ? RING_WAIT_ENTER : RING_CALL_ENTER, RING_F_POLL,
			RING_NO_GROUP, c->shape->call),
	};
	uint64_t now = probe_now(me);

	if (op)
		show_ops(&poll, r, op);
	if (!done)
		probe_board(me, now, &poll);
	else if (me->polling)
		probe_idle(me, now);
	me->polling = done ? 0 : PROBE_POLLS_WORK;
}

int mpi_do_test(const struct mpi_call *c)
{
	struct requests r;
	uint64_t op;
	int result, done;

	take(c, &r);
	if (!r.begun)
		return mpi_real(c);
	op = waits_for(c, &r);
	result = mpi_real(c);
	done = result || mpi_told(c, c->shape->flag, 0);
	if (done)
		end_done(c, &r, result);
	show_poll(c, &r, op, done);
	return result;
}

/* Asks as a test does, about a request that it is given by value, and leaves that as it is. */
int mpi_do_look(const struct mpi_call *c)
{
	struct requests r; /* no more of it is set than is used: who looks does so without end */
	int result, done;

	r.n = 1;
	r.begun = 0;
	r.one = 0;
	take_one(&r, 0, mpi_handle(c, 0, MPI_KIND_REQUEST));
	if (!r.begun)
		return mpi_real(c);
	result = mpi_real(c);
	done = result || mpi_told(c, c->shape->flag, 0);
	if (done && !result)
		end_one(&r, 0, result);
	show_poll(c, &r, r.one, done);
	return result;
}

/*
 * Asks whether a message is there. One that is, and that the call takes with it, is received by
 * that.
 */
int mpi_do_ask(const struct mpi_call *c)
{
	struct mpi_op op;
	int result, there;

	if (mpi_is_nothing(c))
		return mpi_real(c);
	result = mpi_real(c);
	there = result || mpi_told(c, c->shape->flag, 0);
	show_poll(c, NULL, 0, there);
	if (result || !there || !c->shape->op)
		return result;
	op = mpi_describe_op(c);
	mpi_op_enter(c->me, &op);
	mpi_op_return(c->me, &op, 0, result);
	return result;
}

/* Gives a request up: its op goes on by itself, and nobody waits for it. */
int mpi_do_give_up(const struct mpi_call *c)
{
	uint64_t key = mpi_handle_at(c, c->shape->request, 0, MPI_KIND_REQUEST);
	int at = find(c->me, key);
	uint64_t mine = key;

	/* Released, so that what was read of the entry was read before another writes there. */
	if (at >= 0)
		__atomic_compare_exchange_n(&described[at].key, &mine, GONE, 0, __ATOMIC_RELEASE,
			__ATOMIC_RELAXED);
	work_end((const void *)(uintptr_t)key, WORK_DONE);
	return mpi_real(c);
}

/*
 * Cancels a request. A receive that is cancelled takes no message, unless it has; so it is not
 * known any more which of the messages that others sent its number means.
 */
int mpi_do_cancel(const struct mpi_call *c)
{
	uint64_t key = mpi_handle_at(c, c->shape->request, 0, MPI_KIND_REQUEST);
	int group = work_group((const void *)(uintptr_t)key);

	if (group >= 0)
		ring_group_state(c->me->ring, group, RING_G_FROM_ANY);
	return mpi_real(c);
}

void mpi_forget_requests(void)
{
	memset(described, 0, sizeof(described));
}
