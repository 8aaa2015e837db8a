/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/pairs.h"

#include "job/names.h"
#include "job/shapes.h"

/* One side of a pair, and what it does towards the other. */
struct side {
	int member;
	uint8_t op;
	struct group_rank peer;
};

static uint8_t match_of(uint8_t op)
{
	return op == JOB_OP_SEND ? JOB_OP_RECV : JOB_OP_SEND;
}

/* -- how often --------------------------------------------------------------------------------- */

/* How often it was done: the number of the latest one; 0 where none is known. */
static uint64_t count_of(const struct inquiry *q, struct side side)
{
	const struct job_member *m = &q->job->members[side.member];
	uint64_t count = 0;

	for (size_t i = 0; i < m->np2p; i++)
		if (m->p2p[i].sig.op == side.op &&
			same_group_rank(m->p2p[i].sig.peer, side.peer) &&
			m->p2p[i].index > count)
			count = m->p2p[i].index;
	return count;
}

/* True if all that who sits there did is known: by its ring, or by a dump that has all of it. */
static bool tells_all(const struct inquiry *q, const struct job_member *m)
{
	return is_rank(m->rank) && !inquiry_lost_ops(q, m->rank) &&
	       ((job_rank(q->job, m->rank)->knows & JOB_KNOWS_RING) || m->p2p_whole);
}

/* A collective that some rank launched last of all; index 0: it launched something behind it. */
struct place {
	int group;
	uint64_t index;
	const struct job_op *op;
};

static uint64_t order_of_last_p2p(const struct job_member *m)
{
	uint64_t order = 0;

	for (size_t i = 0; i < m->np2p; i++)
		order = m->p2p[i].order > order ? m->p2p[i].order : order;
	return order;
}

/* Where the rank stands, if that is a collective and all that it did is known. */
static struct place stands_at(const struct inquiry *q, struct rank_index rank)
{
	struct place place = {.group = JOB_NONE};
	uint64_t latest = 0, message = 0;

	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];
		const struct job_op *last = m->nops ? &m->ops[m->nops - 1] : NULL;
		uint64_t sent = order_of_last_p2p(m);

		if (!tells_all(q, m) || (m->head && (!last || last->index != m->head)))
			return (struct place){.group = JOB_NONE};
		message = sent > message ? sent : message;
		if (!last || last->order <= latest)
			continue;
		latest = last->order;
		place = (struct place){m->group, last->index, last};
	}
	return message < latest ? place : (struct place){.group = JOB_NONE};
}

/*
 * True if both stand at one operation; or, for ranks on like seats, at the same one of groups of
 * one shape. Stages of one pipeline need not call as often for a step: there the same number is
 * another place.
 */
static bool is_like_place(const struct inquiry *q, struct place a, struct place b, bool alike)
{
	if (!a.index || a.index != b.index)
		return false;
	return a.group == b.group || (alike && shapes_alike(q->job, a.group, b.group) &&
					     forks_differ(&a.op->sig, &b.op->sig) == FORK_NONE);
}

/*
 * Fills in the pair like that of `side` whose first is that seat of a group: in the group itself
 * the seats lie as far apart, without going round its end where the pair itself does not; in one of
 * its shape they are the same seats. False: there is none.
 */
static bool find_like(const struct inquiry *q, struct side side, int group, struct group_rank seat,
	struct side *ret_like)
{
	const struct job_member *m = &q->job->members[side.member];
	const struct job_group *g = &q->job->groups[group];
	uint64_t apart = (uint64_t)side.peer.n + g->size - m->seat.n;
	struct group_rank peer = group_rank((uint32_t)((seat.n + apart) % g->size));

	if (group == m->group ? seat.n == m->seat.n ||
					(peer.n < seat.n) != (side.peer.n < m->seat.n)
			      : seat.n != m->seat.n)
		return false;
	*ret_like = (struct side){.member = g->first_member + (int)seat.n, side.op, peer};
	return true;
}

/* What pairs like one did. */
struct likes {
	struct place at; /* where those stand who did all of it */
	int group;       /* of the pair itself */
	uint64_t want;   /* so many the other end of a pair may have asked for, wherever it is */
	uint64_t count;  /* how often each did; 0: none is known */
	size_t n;        /* pairs whose first came to that place */
	size_t n_asked;  /* others, whose other end asked for as many */
	bool differ;
};

/* Counts one of them in. A pair that never did it is none like it: the ends of a pipeline. */
static void count_in(const struct inquiry *q, struct side like, struct likes *likes)
{
	const struct job_member *m = &q->job->members[like.member];
	const struct job_group *g = &q->job->groups[m->group];
	struct side end = {g->first_member + (int)like.peer.n, match_of(like.op), m->seat};
	uint64_t count = count_of(q, like), asked = count_of(q, end);

	if (!count || !is_rank(m->rank))
		return;
	if (is_like_place(q, likes->at, stands_at(q, m->rank), m->group != likes->group)) {
		likes->differ |= likes->count && count != likes->count;
		likes->count = count;
		likes->n++;
	} else if (likes->want && tells_all(q, &q->job->members[end.member])) {
		likes->differ |= asked > likes->want;
		likes->n_asked += asked == likes->want;
	}
}

/*
 * How often the pairs like this one did it, whose members came to the same collective and to
 * nothing behind it; 0 where fewer than two are known, or they differ. Of two one may be a pair
 * whose other end asked for `want`, if that is how often the rest did it; want 0: none may.
 */
static uint64_t count_of_like(
	const struct inquiry *q, struct side side, uint64_t want, size_t *ret_n)
{
	const struct job_member *m = &q->job->members[side.member];
	struct likes likes = {
		.at = stands_at(q, m->rank), .group = m->group, .want = want};
	struct side like;

	*ret_n = 0;
	for (size_t group = 0; likes.at.index && group < q->job->ngroups; group++) {
		if ((int)group != m->group && !shapes_alike(q->job, m->group, (int)group))
			continue;
		for (uint32_t seat = 0; seat < q->job->groups[group].size; seat++)
			if (find_like(q, side, (int)group, group_rank(seat), &like))
				count_in(q, like, &likes);
	}
	if (likes.differ || !likes.n)
		return 0;
	*ret_n = likes.n + (likes.n == 1 && likes.count == want ? likes.n_asked : 0);
	return *ret_n > 1 ? likes.count : 0;
}

/* True if the rank is known not to have come to that place, where it is one of its own. */
static bool is_awaited_at(const struct inquiry *q, struct place place, struct rank_index rank)
{
	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];

		if (m->group == place.group)
			return m->head_known && m->head < place.index;
	}
	return false;
}

/* -- who --------------------------------------------------------------------------------------- */

/* The peer left out the call that this wait is for, as the steps before and its likes tell. */
static struct pair_fault find_skipped(const struct inquiry *q, const struct wait *wait,
	const struct habit *mine, const struct habit *theirs)
{
	const struct job_member *waiter = &q->job->members[wait->member];
	struct side peer = {wait->peer, match_of(wait->op->sig.op), waiter->seat};
	const struct job_op *lacked = habit_lacks(theirs, waiter->group, peer.op, peer.peer);
	struct pair_fault fault = {.rank = NO_RANK,
		.cause = VERDICT_BY_SKIPPED,
		.wait = wait,
		.op = peer.op,
		.done = count_of(q, peer),
		.cite = q->job->members[wait->peer].cite};

	fault.like = count_of_like(q, peer, wait->index, &fault.nlike);
	if (fault.like && (fault.like <= fault.done || fault.like < wait->index))
		fault.like = 0;
	fault.by_habit = lacked && mine->kind != HABIT_LEFT;
	if (fault.by_habit || fault.like)
		fault.rank = q->job->members[wait->peer].rank;
	return fault;
}

/*
 * The one who waits called once more than the peer, which did all that it and its likes do. It may
 * have left out what stands between, too: that its own steps must tell. Likes tell it only where
 * the peer stands at a collective that waits for that one; else the peer, and they, may just not
 * have come to the call yet.
 */
static struct pair_fault find_extra(const struct inquiry *q, const struct wait *wait,
	const struct habit *mine, const struct habit *theirs)
{
	const struct job_member *waiter = &q->job->members[wait->member];
	struct side peer = {wait->peer, match_of(wait->op->sig.op), waiter->seat};
	struct pair_fault fault = {.rank = NO_RANK,
		.wait = wait,
		.op = wait->op->sig.op,
		.done = count_of(q, peer),
		.cite = wait->cite};

	fault.like = count_of_like(q, peer, 0, &fault.nlike);
	if (fault.like != fault.done || fault.done >= wait->index ||
		!is_awaited_at(q, stands_at(q, q->job->members[wait->peer].rank), wait->rank))
		fault.like = 0;
	fault.by_habit = habit_repeats(mine) && theirs->kind == HABIT_KEPT;
	fault.cause = fault.by_habit ? VERDICT_BY_EXTRA : VERDICT_NO_CAUSE;
	if (fault.by_habit || fault.like)
		fault.rank = wait->rank;
	return fault;
}

/* Looks at one wait for a peer that has not come. If both sides are suspected, neither is. */
static struct pair_fault fault_of(const struct inquiry *q, const struct wait *wait)
{
	const struct habit *mine = inquiry_habit(q, wait->rank);
	const struct habit *theirs = inquiry_habit(q, q->job->members[wait->peer].rank);
	struct pair_fault skipped = find_skipped(q, wait, mine, theirs);
	struct pair_fault extra = find_extra(q, wait, mine, theirs);

	if (is_rank(skipped.rank) && is_rank(extra.rank))
		skipped.rank = NO_RANK;
	return is_rank(skipped.rank) || !is_rank(extra.rank) ? skipped : extra;
}

/* True if what both sides did is known: a dump may leave things out. */
static bool can_tell(const struct inquiry *q, const struct wait *wait)
{
	return wait->op && wait->lacking && tells_all(q, &q->job->members[wait->member]) &&
	       tells_all(q, &q->job->members[wait->peer]);
}

struct pair_fault pairs_find_fault(const struct inquiry *q, int part)
{
	struct pair_fault found = {.rank = NO_RANK};

	for (size_t i = 0; i < q->graph->nnodes; i++) {
		const struct waitfor_node *node = &q->graph->nodes[i];
		struct pair_fault fault;

		if (node->part != part || node->kind != WAITFOR_PAIR ||
			!can_tell(q, &q->waits->at[node->wait]))
			continue;
		fault = fault_of(q, &q->waits->at[node->wait]);
		if (!is_rank(fault.rank))
			continue;
		if (is_rank(found.rank) && !same_rank(found.rank, fault.rank))
			return (struct pair_fault){.rank = NO_RANK};
		found = fault;
	}
	return found;
}

/* -- the finding ------------------------------------------------------------------------------- */

void pairs_write(struct inquiry *q, const struct pair_fault *fault, struct draft *draft)
{
	bool skipped = fault->cause == VERDICT_BY_SKIPPED;
	struct rank_index other =
		skipped ? fault->wait->rank : q->job->members[fault->wait->peer].rank;
	struct verdict_fact *fact = draft_fact(q, draft,
		skipped ? FACT_LEFT_OUT_CALL : FACT_UNMATCHED_CALL, fault->rank, fault->cite);

	fact->text = job_op_name(fault->op);
	fact->a = (int64_t)fault->wait->index;
	fact->b = job_rank(q->job, other)->world_rank.n;
	fact->c = (int64_t)fault->done;
	if (fault->like) {
		fact = draft_fact(q, draft, FACT_LIKE_PAIRS, NO_RANK, inquiry_cite_all(q));
		fact->text = job_op_name(skipped ? fault->op : match_of(fault->op));
		fact->a = (int64_t)fault->like;
		fact->b = (int64_t)fault->nlike;
	}
	if (fault->by_habit)
		draft_fact(q, draft, FACT_BY_HABIT, fault->rank, fault->cite);
	if (!fault->cause)
		draft_fact(q, draft, FACT_UNALIGNED, NO_RANK, inquiry_cite_all(q));
	rank_list_add(&draft->culprits, fault->rank);
	draft->verdict.class = VERDICT_COLLECTIVE_MISMATCH;
	draft->verdict.cause = fault->cause;
	draft->verdict.confidence = fault->like && fault->by_habit && !inquiry_by_dumps(q)
					    ? VERDICT_ESTABLISHED
					    : VERDICT_SUPPORTED;
	draft->verdict.next = VERDICT_NEXT_SAME_CALLS;
	draft->verdict.op = fault->wait->op->sig;
	draft->verdict.op_index = fault->wait->index;
}
