/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/hostop.h"

#include "probes/work.h"

/*
 * Enters the op into the group's order, and notes it as open. A receive from anybody makes the
 * group one whose pairs nobody can count.
 */
static void enter_group(struct host_op *op, const struct host_op_of *of, uint64_t now,
	struct ring_record *r)
{
	struct ring_writer *ring = op->me->ring;
	struct ring_record entered = *r;
	int group = of->group;

	op->entered = (struct ring_entered){.group = group};
	if (group < 0) {
		probe_lose(PROBE_LOST_GROUPS);
		return;
	}
	if (ring_sig_op(r->sig) == RING_OP_RECV && ring_sig_peer(r->sig) == RING_SIG_NO_PEER)
		ring_group_state(ring, group, RING_G_FROM_ANY);
	if (of->flags & RING_F_P2P)
		ring_record_tag(&entered, of->tag);
	op->entered = ring_group_enqueue(
		ring, group, ring_lane_index(ring, op->me->lane), now, &entered);
	r->index = op->entered.index;
	work_open(ring, op->number, &op->entered);
}

void host_op_enter(struct host_op *op, uint32_t call, const struct host_op_of *of)
{
	struct probe_thread *me = op->me;
	struct ring_record r = {
		.meta = ring_meta(RING_CALL_ENTER, of->flags,
			of->group < 0 ? RING_NO_GROUP : (unsigned)of->group, call),
		.count = of->count,
		.sig = of->sig,
	};
	uint64_t now = probe_now(me);

	op->meta = r.meta;
	op->number = r.aux = work_number();
	enter_group(op, of, now, &r);
	op->ticket = probe_put(me, now, &r);
	probe_board(me, now, &r);
}

void host_op_return(struct host_op *op, unsigned failed)
{
	struct probe_thread *me = op->me;
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(RING_CALL_EXIT, ring_meta_flags(op->meta) | failed,
			ring_meta_group(op->meta), ring_meta_arg(op->meta)),
		.index = op->entered.index,
		.aux = failed != 0,
		.more = op->ticket,
	};

	work_close(op->number, failed ? WORK_FAILED : WORK_DONE);
	probe_put(me, now, &r);
	probe_idle(me, now);
	if (op->entered.group >= 0)
		ring_group_returned(me->ring, &op->entered, RING_F_RETURNED | failed);
	probe_leave(me);
}
