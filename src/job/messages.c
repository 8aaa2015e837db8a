/* SPDX-License-Identifier: Apache-2.0 */
#include "job/messages.h"

#include "job/backends.h"
#include "job/message-index.h"
#include "job/names.h"
#include "job/rollcall.h"

bool message_is_same(const struct job_op *a, const struct job_op *b)
{
	if (a->tagged && b->tagged)
		return a->tag == b->tag && a->turn == b->turn;
	return a->index == b->index;
}

/* A send or receive of one member, and what is known of the peer that has to match it. */
struct side {
	const struct job_op *op;
	const struct job_member *member;
	const struct job_member *peer; /* NULL: nobody sits there */
	uint8_t match;		       /* the kind of op that the peer has to call */
	bool by_tag;		       /* the two match by their tags, else by their numbers */
};

/* True if both sides tell their tags. */
static bool tells_tags(const struct side *side)
{
	return side->op->tagged && side->peer &&
	       message_tells_tags(side->peer, side->match, side->member->seat);
}

static struct side side_of(const struct job *job, int member, const struct job_op *op)
{
	const struct job_member *m = &job->members[member];
	struct side side = {.op = op,
		.member = m,
		.peer = job_seat(job, &job->groups[m->group], op->sig.peer),
		.match = op->sig.op == JOB_OP_SEND ? JOB_OP_RECV : JOB_OP_SEND};

	side.by_tag = tells_tags(&side);
	return side;
}

const struct job_op *message_met(const struct job *job, int member, const struct job_op *op)
{
	const struct side side = side_of(job, member, op);
	const struct job_message *met;

	if (side.by_tag)
		return message_find_tag(
			side.peer, side.match, side.member->seat, op->tag, op->turn);
	met = side.peer ? message_find(side.peer, side.match, side.member->seat, op->index) : NULL;
	return met ? met->op : NULL;
}

/*
 * True if what is not in the seat's list may still have been called: only a dump tells of it, and
 * that leaves out what is complete or was overwritten.
 */
static bool has_only_part(const struct job *job, const struct job_member *m)
{
	return is_rank(m->rank) && !m->p2p_whole &&
	       (job_rank(job, m->rank)->knows & JOB_KNOWS_BOARDS) == JOB_KNOWS_DUMP;
}

/*
 * True if the peer called less often than the number of this call, and all calls before this one
 * are done: then this one lacks its other side, whatever its tag.
 */
static bool is_beyond(const struct side *side)
{
	uint64_t newest = message_last(side->peer, side->match, side->member->seat);
	const struct job_message *own = message_find(
		side->member, side->op->sig.op, side->op->sig.peer, side->op->index);

	return newest && newest < side->op->index && !(own && own->after_open);
}

/*
 * Returns the greatest number of a call of the peer among those that may meet ours: among those of
 * its tag, or among all. *ret_any: if there is one.
 */
static uint64_t last_place(const struct side *side, bool *ret_any)
{
	uint64_t last;

	if (side->by_tag)
		return message_last_turn(side->peer, side->match, side->member->seat,
			side->op->tag, ret_any);
	last = message_last(side->peer, side->match, side->member->seat);
	*ret_any = last ||
		   message_find(side->peer, side->match, side->member->seat, 0);
	return last;
}

enum job_known message_came(const struct job *job, int member, const struct job_op *op)
{
	const struct side side = side_of(job, member, op);
	const struct job_member *peer = side.peer;
	uint64_t last;
	bool seen;

	if (!peer)
		return JOB_MAYBE;
	last = last_place(&side, &seen);
	if (seen && last >= (side.by_tag ? op->turn : op->index))
		return JOB_YES;
	if (peer->from_any && side.match == JOB_OP_RECV)
		return JOB_MAYBE;
	if (has_only_part(job, peer) || (!rollcall_speaks(job, peer) && !peer->p2p_whole))
		return JOB_MAYBE;
	if (seen || peer->p2p_whole || !peer->np2p || peer->messages->counted)
		return JOB_NO;
	return side.by_tag && is_beyond(&side) ? JOB_NO : JOB_MAYBE;
}

bool message_is_sure(const struct job *job, int member, const struct job_op *op)
{
	const struct side side = side_of(job, member, op);
	const struct job_member *receiver =
		op->sig.op == JOB_OP_RECV ? side.member : side.peer;

	if (!backend_has(job->groups[side.member->group].maker, BACKEND_TAGS))
		return true;
	return side.by_tag && !receiver->from_any && message_met(job, member, op);
}
