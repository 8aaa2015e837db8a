/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations. One that blocks is entered, and done when its call returns; one that does not is done
 * when its request is (mpi-request.c). The library tells on the host, so completion is always
 * known; but MPI goes on with what was begun only while the program is in some call of it.
 *
 *	MPI_Allreduce()	CALL_ENTER, the op enters its group, CALL_EXIT: done
 *	MPI_Irecv()	the same, and its request is bound
 *	MPI_Wait()	WAIT_ENTER, WAIT_EXIT on the op's number: done
 *
 * A send and a receive in one call (MPI_Sendrecv) are a launch of two, in no order.
 */
#include "probes/mpi/mpi.h"
#include "probes/nccl/group.h"
#include "probes/portions.h"
#include "probes/work.h"

/* Returns a group as records have it. */
static unsigned group_word(int group)
{
	return group < 0 ? RING_NO_GROUP : (unsigned)group;
}

/* --- What the arguments say ------------------------------------------------------------------ */

static int is_p2p(unsigned op)
{
	return op == RING_OP_SEND || op == RING_OP_RECV;
}

/* Returns the rank at the other end; RING_SIG_NO_PEER: anybody. */
static uint32_t peer_of(const struct mpi_call *c, unsigned at)
{
	int peer = mpi_int(c, at);

	return peer == mpi_library()->any_source ? RING_SIG_NO_PEER : (uint32_t)peer;
}

/* Returns the tag of a message, which stands behind its peer. -1 is any, in both libraries. */
static uint64_t tag_of(const struct mpi_call *c, unsigned peer)
{
	int tag = mpi_int(c, peer + 1);

	return tag == -1 ? RING_TAG_ANY : (uint64_t)(uint32_t)tag;
}

static int is_nobody(const struct mpi_call *c, unsigned at)
{
	return mpi_int(c, at) == mpi_library()->proc_null;
}

int mpi_is_nothing(const struct mpi_call *c)
{
	const struct mpi_shape *s = c->shape;

	if (mpi_group_of(c) == MPI_ALONE)
		return 1;
	return is_p2p(s->op) && is_nobody(c, s->probes ? 0 : s->peer);
}

/* Returns a count of what rings have a number for; a negative count is not known. */
static uint64_t amount_of(const struct mpi_call *c, int64_t count, unsigned type, unsigned *dtype)
{
	uint64_t n = count < 0 ? UINT64_MAX : (uint64_t)count;

	*dtype = mpi_dtype(mpi_handle(c, type, MPI_KIND_TYPE), &n);
	return count < 0 ? UINT64_MAX : n;
}

/*
 * Returns the sum of a list of counts, one for each member of the group; -1 if that is not known.
 */
static int64_t sum_of(const struct mpi_call *c, int group)
{
	uint64_t sum = 0;
	uint32_t n = group < 0 ? 0 : c->me->ring->groups[group].size;

	if (!n || !c->words[c->shape->count])
		return -1;
	for (uint32_t i = 0; i < n; i++)
		sum += (uint64_t)mpi_count_told(c, c->shape->count, i);
	return (int64_t)sum;
}

/*
 * Returns how much is carried, and of what. In a group that is not known (between two groups, for
 * one) nobody can say which arguments count: those that do not may be anything, and a library ends
 * the program that asks it how large such a type is.
 */
static uint64_t take_amount(const struct mpi_call *c, int group, unsigned *dtype)
{
	const struct mpi_shape *s = c->shape;
	int known = group >= 0 || is_p2p(s->op);
	int root = s->amount == AMOUNT_ROOTS && group >= 0 &&
		   mpi_int(c, s->peer) == (int)c->me->ring->groups[group].rank;

	*dtype = 0;
	switch (known || s->amount == AMOUNT_NONE ? s->amount : AMOUNT_APART) {
	case AMOUNT_EACH:
	case AMOUNT_ROOTS:
		return amount_of(c, mpi_count(c, root ? s->roots_count : s->count),
			root ? s->roots_type : s->type, dtype);
	case AMOUNT_SUM:
		return amount_of(c, sum_of(c, group), s->type, dtype);
	case AMOUNT_APART:
		*dtype = RING_SIG_UNKNOWN;
		return UINT64_MAX;
	default:
		return 1;
	}
}

struct mpi_op mpi_describe_op(const struct mpi_call *c)
{
	const struct mpi_shape *s = c->shape;
	struct mpi_op op = {.call = s->call,
		.group = mpi_group_of(c),
		.flags = is_p2p(s->op) ? RING_F_P2P : 0};
	uint32_t peer = RING_SIG_NO_PEER;
	unsigned dtype, redop = 0;

	op.count = take_amount(c, op.group, &dtype);
	if (s->redop)
		redop = mpi_redop(mpi_handle(c, s->redop, MPI_KIND_OP));
	if (s->peer || s->probes)
		peer = peer_of(c, s->peer);
	if (is_p2p(s->op))
		op.tag = tag_of(c, s->peer);
	op.sig = ring_sig(s->op, dtype, redop, peer);
	return op;
}

/* --- Records --------------------------------------------------------------------------------- */

/*
 * Enters an operation into the group's order, and opens it. A receive from anybody makes the group
 * one whose pairs nobody can count.
 */
static void enter_group(
	struct probe_thread *me, struct mpi_op *op, uint64_t now, struct ring_record *r)
{
	struct ring_record entered;

	op->number = r->aux = work_number();
	op->entered = (struct ring_entered){.group = op->group};
	if (op->group < 0) {
		probe_lose(PROBE_LOST_GROUPS);
		return;
	}
	if ((op->flags & RING_F_P2P) && ring_sig_peer(op->sig) == RING_SIG_NO_PEER)
		ring_group_state(me->ring, op->group, RING_G_FROM_ANY);
	entered = *r;
	if (op->flags & RING_F_P2P)
		ring_record_tag(&entered, op->tag);
	op->entered = ring_group_enqueue(
		me->ring, op->group, ring_lane_index(me->ring, me->lane), now, &entered);
	r->index = op->entered.index;
	work_open(me->ring, op->number, &op->entered);
}

static struct ring_record record_of(const struct mpi_op *op)
{
	return (struct ring_record){
		.meta = ring_meta(RING_CALL_ENTER, op->flags, group_word(op->group), op->call),
		.count = op->count,
		.sig = op->sig,
	};
}

static struct ring_record exit_of(const struct mpi_op *op, int result)
{
	return (struct ring_record){
		.meta = ring_meta(RING_CALL_EXIT, op->flags | (result ? RING_F_FAILED : 0),
			group_word(op->group), op->call),
		.index = op->entered.index,
		.aux = (uint64_t)(uint32_t)result,
		.more = op->ticket,
	};
}

void mpi_op_enter(struct probe_thread *me, struct mpi_op *op)
{
	uint64_t now = probe_now(me);
	struct ring_record r = record_of(op);

	enter_group(me, op, now, &r);
	op->ticket = probe_put(me, now, &r);
	probe_board(me, now, &r);
	r = exit_of(op, 1);
	mpi_stands_in(me, &r);
	mpi_stands_with(me, op);
}

/* Records the return of a call, by the ticket of its entry; the thread is outside again. */
static void leave(struct probe_thread *me, const struct mpi_op *op, int result)
{
	uint64_t now = probe_now(me);
	const struct ring_record r = exit_of(op, result);

	probe_put(me, now, &r);
	probe_idle(me, now);
}

/* Settles what was begun: it is done, or failed, or will be done when its request is. */
static void settle(struct probe_thread *me, const struct mpi_op *op, uint64_t request, int result)
{
	const void *key = (const void *)(uintptr_t)request;

	if (op->entered.group >= 0)
		ring_group_returned(me->ring, &op->entered,
			RING_F_RETURNED | (result ? RING_F_FAILED : 0));
	if (request && !result) {
		/* the request stood for another op that nobody waits for any more */
		work_end(key, WORK_DONE);
		work_bind(op->number, key);
	}
	work_close(op->number, result ? WORK_FAILED : WORK_DONE);
}

void mpi_op_return(struct probe_thread *me, const struct mpi_op *op, uint64_t request, int result)
{
	settle(me, op, request, result);
	leave(me, op, result);
}

uint64_t mpi_call_enter(struct probe_thread *me, uint32_t call, int group, uint64_t count)
{
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(RING_CALL_ENTER, 0, group_word(group), call),
		.count = count,
	};
	const struct mpi_op op = {
		.call = call, .group = group, .ticket = probe_put(me, now, &r)};
	const struct ring_record end = exit_of(&op, 1);

	probe_board(me, now, &r);
	mpi_stands_in(me, &end);
	return op.ticket;
}

void mpi_call_return(struct probe_thread *me, uint32_t call, int group, uint64_t ticket, int result)
{
	const struct mpi_op op = {.call = call, .group = group, .ticket = ticket};

	leave(me, &op, result);
}

/* --- What each is given ---------------------------------------------------------------------- */

/* Where the lists of an all-to-all are. */
enum { GIVEN = 1, GIVEN_TYPE = 3, AWAITED = 5, AWAITED_TYPE = 7 };

/* Returns the bytes of one seat's part. */
static uint32_t part_of(const struct mpi_call *c, unsigned counts, unsigned types, uint32_t seat)
{
	int64_t count = mpi_count_told(c, counts, seat);
	uint64_t bytes = count < 0 ? UINT64_MAX : (uint64_t)count;

	if (count > 0)
		bytes = mpi_bytes(c->shape->typed
					  ? mpi_handle_at(c, types, (int)seat, MPI_KIND_TYPE)
					  : mpi_handle(c, types, MPI_KIND_TYPE),
			bytes);
	return portion(bytes);
}

static uint64_t parts_of(const void *of, uint32_t seat)
{
	const struct mpi_call *c = of;

	return part_of(c, GIVEN, GIVEN_TYPE, seat) |
	       (uint64_t)part_of(c, AWAITED, AWAITED_TYPE, seat) << 32;
}

/* True if the lists can be read: in place there is but one, which in Fortran is not to be seen. */
static int has_parts(const struct mpi_call *c)
{
	uint64_t in_place = mpi_library()->open ? 1 : UINTPTR_MAX;

	return c->shape->parts && c->tongue != MPI_IN_FORTRAN && c->words[0] != in_place &&
	       c->words[GIVEN] && c->words[AWAITED];
}

/* --- Bodies ---------------------------------------------------------------------------------- */

uint64_t mpi_request(const struct mpi_call *c)
{
	uint64_t request;

	if (!c->shape->request)
		return 0;
	request = mpi_handle_at(c, c->shape->request, 0, MPI_KIND_REQUEST);
	return request == mpi_library()->request_null ? 0 : request;
}

int mpi_do_op(const struct mpi_call *c)
{
	struct mpi_op op;
	int result;

	if (mpi_is_nothing(c))
		return mpi_real(c);
	op = mpi_describe_op(c);
	mpi_op_enter(c->me, &op);
	if (has_parts(c))
		portions_put(c->me, &op.entered, parts_of, c);
	result = mpi_real(c);
	mpi_op_return(c->me, &op, mpi_request(c), result);
	return result;
}

/* Returns one side of an exchange: a message to a rank, or from one, or from anybody. */
static struct mpi_op side_of(const struct mpi_call *c, unsigned kind, unsigned count, unsigned type,
	unsigned peer)
{
	unsigned dtype;
	struct mpi_op op = {.call = c->shape->call,
		.group = mpi_group_of(c),
		.flags = RING_F_P2P | RING_F_GROUPED};

	op.count = amount_of(c, mpi_count(c, count), type, &dtype);
	op.tag = tag_of(c, peer);
	op.sig = ring_sig(kind, dtype, 0, peer_of(c, peer));
	return op;
}

/* Fills in the sides that somebody is at. Returns how many. */
static int sides_of(const struct mpi_call *c, struct mpi_op sides[2])
{
	const struct mpi_shape *s = c->shape;
	int n = 0;

	if (mpi_group_of(c) == MPI_ALONE)
		return 0;
	if (!is_nobody(c, s->peer))
		sides[n++] = side_of(c, RING_OP_SEND, s->count, s->type, s->peer);
	if (!is_nobody(c, s->recv_peer))
		sides[n++] = side_of(c, RING_OP_RECV, s->recv_count, s->recv_type, s->recv_peer);
	return n;
}

/* Enters both sides at one moment, right behind their call. */
static void enter_sides(struct probe_thread *me, struct mpi_op *sides, int n)
{
	uint64_t now = probe_now(me);

	for (int i = 0; i < n; i++) {
		struct ring_record r = record_of(&sides[i]);

		enter_group(me, &sides[i], now, &r);
		r.meta = ring_meta(RING_OP_ENTERED, sides[i].flags, group_word(sides[i].group), 0);
		if (sides[i].group >= 0)
			probe_put(me, now, &r);
		mpi_stands_with(me, &sides[i]);
	}
}

int mpi_do_exchange(const struct mpi_call *c)
{
	struct mpi_op sides[2];
	int n = sides_of(c, sides), result;
	uint64_t ticket;

	if (!n)
		return mpi_real(c);
	ticket = mpi_call_enter(c->me, c->shape->call, sides[0].group, (uint64_t)n);
	enter_sides(c->me, sides, n);
	result = mpi_real(c);
	for (int i = 0; i < n; i++)
		settle(c->me, &sides[i], 0, result);
	mpi_call_return(c->me, c->shape->call, sides[0].group, ticket, result);
	return result;
}

/*
 * Does a call in which the thread may wait, and does not say for whom: in a probe for a message,
 * which it leaves where it is, since its receive comes later; in a window for who has locked or
 * opened it.
 */
int mpi_do_call(const struct mpi_call *c)
{
	uint64_t ticket = mpi_call_enter(c->me, c->shape->call, GROUP_NONE, 0);
	int result = mpi_real(c);

	mpi_call_return(c->me, c->shape->call, GROUP_NONE, ticket, result);
	return result;
}
