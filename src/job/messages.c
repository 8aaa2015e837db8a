/* SPDX-License-Identifier: Apache-2.0 */
#include "job/messages.h"

#include "job/backends.h"
#include "job/names.h"
#include "job/rollcall.h"

bool message_is_same(const struct job_op *a, const struct job_op *b)
{
	if (a->tagged && b->tagged)
		return a->tag == b->tag && a->turn == b->turn;
	return a->index == b->index;
}

/* One side of a message, and who has to come to the other. */
struct side {
	const struct job_op *op;
	const struct job_member *member;
	const struct job_member *peer; /* NULL: nobody sits there */
	uint8_t match;		       /* what the peer calls */
	bool by_tag;		       /* it is found by its tag, else by its number */
};

/* True if that is a call of the peer towards this one. */
static bool is_towards(const struct side *side, const struct job_op *theirs)
{
	return theirs->sig.op == side->match &&
	       same_group_rank(theirs->sig.peer, side->member->seat);
}

/* True if both sides tell their tags. */
static bool tells_tags(const struct side *side)
{
	for (size_t i = 0; side->op->tagged && side->peer && i < side->peer->np2p; i++)
		if (side->peer->p2p[i].tagged && is_towards(side, &side->peer->p2p[i]))
			return true;
	return false;
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

/* The place of that call among those that may meet ours: of one tag, or of all. */
static uint64_t place_of(const struct side *side, const struct job_op *op)
{
	return side->by_tag ? op->turn : op->index;
}

static bool is_like(const struct side *side, const struct job_op *theirs)
{
	return is_towards(side, theirs) &&
	       (!side->by_tag || (theirs->tagged && theirs->tag == side->op->tag));
}

const struct job_op *message_met(const struct job *job, int member, const struct job_op *op)
{
	const struct side side = side_of(job, member, op);
	uint64_t place = place_of(&side, op);

	for (size_t i = 0; side.peer && i < side.peer->np2p; i++)
		if (is_like(&side, &side.peer->p2p[i]) &&
			place_of(&side, &side.peer->p2p[i]) == place)
			return &side.peer->p2p[i];
	return NULL;
}

/* True if the latest calls of a seat are all its calls: their counts per peer add up. */
static bool has_all(const struct job_member *m)
{
	uint64_t total = 0;

	for (size_t i = 0; i < m->np2p; i++) {
		const struct job_op *op = &m->p2p[i];
		bool newest = true;

		for (size_t k = 0; k < m->np2p && newest; k++)
			newest = m->p2p[k].sig.op != op->sig.op ||
				 !same_group_rank(m->p2p[k].sig.peer, op->sig.peer) ||
				 m->p2p[k].index <= op->index;
		if (newest)
			total += op->index;
	}
	return total == m->np2p;
}

/* Of a dump that leaves out what is complete, or was overwritten, what is absent may have been. */
static bool has_only_part(const struct job *job, const struct job_member *m)
{
	return is_rank(m->rank) && !m->p2p_whole &&
	       (job_rank(job, m->rank)->knows & JOB_KNOWS_BOARDS) == JOB_KNOWS_DUMP;
}

/*
 * True if the peer called less often than this one is the how manieth, and all before it are done:
 * then it is this one that lacks its other side, whatever its tag.
 */
static bool is_beyond(const struct side *side)
{
	const struct job_member *m = side->member;
	uint64_t newest = 0;

	for (size_t i = 0; i < side->peer->np2p; i++)
		if (is_towards(side, &side->peer->p2p[i]) && side->peer->p2p[i].index > newest)
			newest = side->peer->p2p[i].index;
	for (size_t i = 0; i < m->np2p; i++)
		if (m->p2p[i].sig.op == side->op->sig.op && m->p2p[i].index < side->op->index &&
			same_group_rank(m->p2p[i].sig.peer, side->op->sig.peer) &&
			m->p2p[i].completed != JOB_YES)
			return false;
	return newest && newest < side->op->index;
}

enum job_known message_came(const struct job *job, int member, const struct job_op *op)
{
	const struct side side = side_of(job, member, op);
	const struct job_member *peer = side.peer;
	uint64_t place = place_of(&side, op);
	bool seen = false;

	if (!peer)
		return JOB_MAYBE;
	for (size_t i = 0; i < peer->np2p; i++) {
		const struct job_op *theirs = &peer->p2p[i];

		if (!is_like(&side, theirs))
			continue;
		if (place_of(&side, theirs) >= place)
			return JOB_YES;
		seen = true;
	}
	if (peer->from_any && side.match == JOB_OP_RECV)
		return JOB_MAYBE;
	if (has_only_part(job, peer) || (!rollcall_speaks(job, peer) && !peer->p2p_whole))
		return JOB_MAYBE;
	if (seen || peer->p2p_whole || has_all(peer))
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
