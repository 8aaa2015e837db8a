/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When is an op entered? For NCCL, when its launch begins; so outside a group call at the call, and
 * inside one at the outermost ncclGroupEnd, all at once. Entering an op at its call there would
 * show a rank inside an op that it may not launch for minutes.
 *
 *	ncclGroupStart		depth 1
 *	  ncclAllReduce a	CALL_ENTER, queued
 *	  ncclAllReduce b	CALL_ENTER, queued
 *	ncclGroupEnd		OP_ENTERED a, OP_ENTERED b, then the real call
 *
 * The record is written before the real call and the board shows it: a thread that never comes back
 * is seen where it is.
 */
#include "probes/nccl/completion.h"
#include "probes/nccl/cuda.h"
#include "probes/nccl/nccl.h"

/* Returns a group as records have it. */
static unsigned launch_group(int group)
{
	return group < 0 ? RING_NO_GROUP : (unsigned)group;
}

/*
 * True if a result is a failure. A non-blocking communicator answers "in progress", and has
 * launched.
 */
static int launch_failed(int result)
{
	return result && result != NCCL_ABI_IN_PROGRESS && result != NCCL_ABI_NOT_TOLD;
}

/* --- Calls ----------------------------------------------------------------------------------- */

struct nccl_call nccl_call_begin(
	struct probe_thread *me, uint32_t call, int group, const uint64_t words[3])
{
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(RING_CALL_ENTER, 0, launch_group(group), call),
		.count = words[0],
		.sig = words[1],
		.aux = words[2],
	};
	struct nccl_call c = {.meta = r.meta, .ticket = probe_put(me, now, &r)};

	probe_board(me, now, &r);
	return c;
}

/* Records a return. It carries the ticket of its CALL_ENTER, so that both are one call. */
static void launch_exit(struct probe_thread *me, const struct nccl_call *c, int result)
{
	uint64_t now = probe_now(me);
	unsigned failed = launch_failed(result) ? RING_F_FAILED : 0;
	const struct ring_record r = {
		.meta = ring_meta(RING_CALL_EXIT, ring_meta_flags(c->meta) | failed,
			ring_meta_group(c->meta), ring_meta_arg(c->meta)),
		.index = c->index,
		.aux = (uint64_t)(uint32_t)result,
		.more = c->ticket,
	};

	probe_put(me, now, &r);
	probe_idle(me, now);
}

void nccl_call_end(struct probe_thread *me, const struct nccl_call *c, int result)
{
	launch_exit(me, c, result);
}

/* --- Ops ------------------------------------------------------------------------------------- */

/* Returns the flags that distinguish this op from one that runs now, in order, by itself. */
static unsigned launch_flags(struct probe_thread *me, const struct nccl_op *op)
{
	unsigned kind = ring_sig_op(op->sig);
	unsigned flags = me->group_depth ? RING_F_GROUPED : 0;

	if (kind == RING_OP_SEND || kind == RING_OP_RECV || kind == RING_OP_PUT ||
		kind == RING_OP_WAITSIGNAL)
		flags |= RING_F_P2P;
	if (op->stream != NCCL_STREAM_UNKNOWN && cuda_is_capturing(op->stream))
		flags |= RING_F_CAPTURED;
	return flags;
}

/*
 * Queues an op for the end of its group call. Returns 1 if there was room; else the op stays
 * unknown but for its call, and is counted.
 */
static int launch_queue(struct probe_thread *me, int group, const struct ring_record *r)
{
	if (group < 0)
		return 0;
	if (me->queued == PROBE_QUEUE) {
		probe_lose(PROBE_LOST_RECORDS);
		return 0;
	}
	me->queue[me->queued].r = *r;
	me->queue[me->queued].group = group;
	me->queued++;
	return 1;
}

struct nccl_call nccl_op_begin(struct probe_thread *me, const struct nccl_op *op)
{
	return nccl_op_begin_in(me, op, group_of(op->comm));
}

struct nccl_call nccl_op_begin_in(struct probe_thread *me, const struct nccl_op *op, int group)
{
	uint64_t now = probe_now(me);
	unsigned flags = launch_flags(me, op);
	struct ring_record r = {
		.meta = ring_meta(RING_CALL_ENTER, flags, launch_group(group), op->call),
		.count = op->count,
		.sig = op->sig,
		.aux = (uint64_t)(uintptr_t)op->stream,
	};
	struct nccl_call c = {.meta = r.meta, .stream = op->stream, .entered.group = GROUP_NONE};

	if (hook_unlikely(group < 0))
		probe_lose(PROBE_LOST_GROUPS);
	if (flags & RING_F_GROUPED) {
		r.more = me->group_ticket;
		c.queued = launch_queue(me, group, &r);
	} else if (group >= 0) {
		c.entered = ring_group_enqueue(
			me->ring, group, ring_lane_index(me->ring, me->lane), now, &r);
		r.index = c.index = c.entered.index;
	}
	c.ticket = probe_put(me, now, &r);
	if (!(flags & RING_F_GROUPED))
		probe_board(me, now, &r);
	return c;
}

static void launch_returned(struct probe_thread *me, const struct ring_entered *e, int result)
{
	ring_group_returned(
		me->ring, e, RING_F_RETURNED | (launch_failed(result) ? RING_F_FAILED : 0));
}

/* Makes the device report when it is done, unless nothing was issued yet, or ever will be. */
static void launch_follow(
	struct probe_thread *me, const struct ring_entered *e, void *stream, int result)
{
	if (stream == NCCL_STREAM_UNKNOWN)
		completion_skip(me->ring);
	else if (!launch_failed(result))
		completion_follow(me->ring, e, stream, result == NCCL_ABI_IN_PROGRESS);
}

void nccl_op_end(struct probe_thread *me, struct nccl_call *c, int result)
{
	launch_exit(me, c, result);
	if (c->entered.group >= 0) {
		launch_returned(me, &c->entered, result);
		launch_follow(me, &c->entered, c->stream, result);
	}
	if (c->queued && launch_failed(result))
		me->queued--; /* refused: it will not be launched */
}

/* --- Groups ---------------------------------------------------------------------------------- */

struct nccl_call nccl_group_start_begin(struct probe_thread *me)
{
	return nccl_call_begin(
		me, RING_CALL_ncclGroupStart, GROUP_NONE, (const uint64_t[3]){me->group_depth + 1});
}

void nccl_group_start_end(struct probe_thread *me, const struct nccl_call *c, int result)
{
	if (!launch_failed(result) && !me->group_depth++)
		me->group_ticket = c->ticket;
	nccl_call_end(me, c, result);
}

/*
 * Opens a group of this thread: until its outermost end ops are queued, not entered. Groups nest;
 * one that NCCL refused is not counted.
 */
HOOK_EXPORT ncclResult_t ncclGroupStart(void);
HOOK_EXPORT ncclResult_t ncclGroupStart(void)
{
	__typeof__(ncclGroupStart) *real = HOOK_REAL(ncclGroupStart, hook_nccl);
	struct probe_thread *me;
	struct nccl_call c;
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	/* Communicators may be born in this group, so a ring is needed here already. */
	me = probe_enter_needing(PROBE_NEED_RANK);
	if (!me)
		return real();
	c = nccl_group_start_begin(me);
	result = real();
	nccl_group_start_end(me, &c, result);
	probe_leave(me);
	return result;
}

/* Enters all queued ops in the order of their calls, each with its index and running hash. */
static void launch_enter_queue(struct probe_thread *me)
{
	uint64_t now = probe_now(me);
	uint32_t lane = ring_lane_index(me->ring, me->lane);

	for (uint32_t i = 0; i < me->queued; i++) {
		struct probe_op *op = &me->queue[i];
		struct ring_record r = op->r;

		op->entered = ring_group_enqueue(me->ring, op->group, lane, now, &r);
		r.meta = ring_meta(RING_OP_ENTERED, ring_meta_flags(r.meta), (unsigned)op->group,
			(uint32_t)ring_load(&me->ring->groups[op->group].zero_counts));
		r.index = op->entered.index;
		r.more = op->entered.hash;
		probe_put(me, now, &r);
	}
}

/*
 * True if the device must tell of the end of this op: otherwise it ends with the one after it in
 * the launch.
 */
static int launch_is_last(const struct probe_thread *me, uint32_t i)
{
	const struct probe_op *op = &me->queue[i], *next = op + 1;

	return i + 1 == me->queued || op->group != next->group || op->r.aux != next->r.aux ||
	       ((op->entered.flags ^ next->entered.flags) & RING_F_P2P);
}

/* Ends a launch, well or not: nothing stays queued, and newborn members get their handles. */
static void launch_leave_queue(struct probe_thread *me, int result)
{
	for (uint32_t i = 0; i < me->queued; i++) {
		const struct probe_op *op = &me->queue[i];

		launch_returned(me, &op->entered, result);
		if (launch_is_last(me, i))
			launch_follow(me, &op->entered, (void *)(uintptr_t)op->r.aux, result);
	}
	me->queued = 0;
	comm_bind_born(me, launch_failed(result) ? result : NCCL_ABI_SUCCESS);
}

/*
 * Returns a group that the launch waits for: that of its first op, or of the first communicator
 * born in it.
 */
static int launch_first(const struct probe_thread *me)
{
	if (me->queued)
		return me->queue[0].group;
	return me->births ? me->born[0].group : GROUP_NONE;
}

struct nccl_call nccl_group_end_begin(struct probe_thread *me)
{
	int outermost = me->group_depth <= 1;
	struct nccl_call c = nccl_call_begin(me, RING_CALL_ncclGroupEnd,
		outermost ? launch_first(me) : GROUP_NONE,
		(const uint64_t[3]){outermost ? me->queued : 0, 0, me->group_depth});

	c.outermost = outermost;
	if (outermost)
		launch_enter_queue(me);
	return c;
}

void nccl_group_end_end(struct probe_thread *me, const struct nccl_call *c, int result)
{
	if (me->group_depth)
		me->group_depth--;
	nccl_call_end(me, c, result);
	if (c->outermost)
		launch_leave_queue(me, result);
}

/*
 * The outermost end enters all queued ops in the order of their calls, before the real call, which
 * may block; behind it they are marked as returned or failed, and newborn communicators get their
 * handles. An inner end is a call and nothing more.
 */
HOOK_EXPORT ncclResult_t ncclGroupEnd(void);
HOOK_EXPORT ncclResult_t ncclGroupEnd(void)
{
	__typeof__(ncclGroupEnd) *real = HOOK_REAL(ncclGroupEnd, hook_nccl);
	struct probe_thread *me;
	struct nccl_call c;
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter();
	if (!me)
		return real();
	c = nccl_group_end_begin(me);
	result = real();
	nccl_group_end_end(me, &c, result);
	probe_leave(me);
	return result;
}
