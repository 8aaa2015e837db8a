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

/* A send or receive of one member, and what is known of the peer that has to match it. */
struct side {
	const struct job_op *op;
	const struct job_member *member;
	const struct job_member *peer; /* NULL: nobody sits there */
	uint8_t match;		       /* the kind of op that the peer has to call */
	bool by_tag;		       /* the two match by their tags, else by their numbers */
};

/*
 * True if `theirs` is a call of the peer that may match: of the other kind, and towards this seat.
 */
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

/*
 * Returns the number of a call among those that may meet ours: among those of its tag, or among
 * all.
 */
static uint64_t place_of(const struct side *side, const struct job_op *op)
{
	return side->by_tag ? op->turn : op->index;
}

/* True if a call of the peer may meet ours, their numbers left aside. */
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

/* True if the known calls of a seat are all that it made: their counts per peer and kind add up. */
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
