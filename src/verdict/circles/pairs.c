/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/circles/pairs.h"

#include "job/message-index.h"
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

/* Returns how often it was done: the number of the latest call; 0 where none is known. */
static uint64_t count_of(const struct inquiry *q, struct side side)
{
	return message_last(&q->job->members[side.member], side.op, side.peer);
}

/* True if all that was done in this seat is known: by its ring, or by a dump that has all of it. */
static bool tells_all(const struct inquiry *q, const struct job_member *m)
{
	return is_rank(m->rank) && !inquiry_lost_ops(q, m->rank) &&
	       ((job_rank(q->job, m->rank)->knows & JOB_KNOWS_RING) || m->p2p_whole);
}

/*
 * Where a rank stands: at the collective that it launched last of all. Index 0: unknown, or it
 * launched a message behind it.
 */
struct place {
	int group;
	uint64_t index;
	const struct job_op *op;
};

/* Returns where the rank stands, if that is a collective and all that it did is known. */
static struct place stands_at(const struct inquiry *q, struct rank_index rank)
{
	struct place place = {.group = JOB_NONE};
	uint64_t latest = 0, message = 0;

	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];
		const struct job_op *last = m->nops ? &m->ops[m->nops - 1] : NULL;
		uint64_t sent = m->np2p ? m->p2p[m->np2p - 1].order : 0;

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
 * True if both stand at one operation; or, for ranks on like seats (`alike`), at the same one of
 * groups of one shape. Stages of one pipeline need not call as often for a step: there the same
 * number is another place.
 */
static bool is_like_place(const struct inquiry *q, struct place a, struct place b, bool alike)
{
	if (!a.index || a.index != b.index)
		return false;
	return a.group == b.group || (alike && shapes_alike(q->job, a.group, b.group) &&
					     forks_differ(&a.op->sig, &b.op->sig) == FORK_NONE);
}

/*
 * Fills in the pair like that of `side` whose first member has that seat of a group. In the group
 * itself the seats must lie as far apart, and the way must go round the group's end only if the
 * pair's own does; in a group of its shape they are the same seats. False: there is no such pair.
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
	struct place at; /* where ranks stand that did all of it */
	int group;       /* group of the pair itself */
	uint64_t want;   /* how many the other end of a pair may have asked for, wherever it is;
			  * 0: that counts for nothing */
	uint64_t count;  /* how often each pair did it; 0: none is known */
	size_t n;        /* pairs whose first member came to that place */
	size_t n_asked;  /* other pairs, whose other end asked for as many */
	bool differ;
};

/* Counts one pair in. A pair that never did it is none like it: the ends of a pipeline are such. */
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
 * Returns how often pairs like this one did it whose members came to the same collective and to
 * nothing behind it; 0 if fewer than two are known, or they differ. One of two may be a pair whose
 * other end asked for `want`, if the rest did it that often; want 0: none may. *ret_n: how many
 * pairs.
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

/* True if the rank is a member there and is known not to have come to that place. */
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

/*
 * True if a rank on a like seat left out the same of its own steps: then it is the program's way.
 * What a pipeline does part by part ends so, where its last parts are only sent back.
 */
static bool likes_lack_too(const struct inquiry *q, struct side side)
{
	const struct job_member *m = &q->job->members[side.member];
	struct side like;

	for (size_t group = 0; group < q->job->ngroups; group++) {
		if ((int)group != m->group && !shapes_alike(q->job, m->group, (int)group))
			continue;
		for (uint32_t seat = 0; seat < q->job->groups[group].size; seat++) {
			struct rank_index rank;

			if (!find_like(q, side, (int)group, group_rank(seat), &like))
				continue;
			rank = q->job->members[like.member].rank;
			if (is_rank(rank) && habit_lacks(inquiry_habit(q, rank), (int)group,
						     side.op, like.peer))
				return true;
		}
	}
	return false;
}

/*
 * Finds whether the peer left out the call that this wait is for: by the steps before, or by pairs
 * like it.
 */
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
	fault.by_habit = lacked && mine->kind != HABIT_LEFT && !mine->turned &&
			 !likes_lack_too(q, peer);
	if (fault.by_habit || fault.like)
		fault.rank = q->job->members[wait->peer].rank;
	return fault;
}

/*
 * Finds whether the rank that waits called once more than the peer, which did all that it and its
 * likes do. The rank may also have left out what stands between: only its own steps can tell that.
 * Likes tell it only if the peer stands at a collective that waits for this rank; else the peer,
 * and they, may just not have come to the call yet.
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

/*
 * Finds who is at fault for one wait for a peer that has not come. If both sides are suspected,
 * neither is.
 */
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

/* True if all that both sides did is known: a dump may leave things out. */
static bool can_tell(const struct inquiry *q, const struct wait *wait)
{
	return wait->op && wait->lacking && tells_all(q, &q->job->members[wait->member]) &&
	       tells_all(q, &q->job->members[wait->peer]);
}

/*
 * True if the rank turned to another peer than ever, and so did another member: then it may be the
 * program's way, and who did not turn may be at fault.
 */
static bool turned_with_others(const struct inquiry *q, const struct pair_fault *fault)
{
	const struct job_group *group =
		&q->job->groups[q->job->members[fault->wait->member].group];

	if (!inquiry_habit(q, fault->rank)->turned)
		return false;
	for (uint32_t seat = 0; seat < group->size; seat++) {
		struct rank_index rank = q->job->members[group->first_member + (int)seat].rank;

		if (is_rank(rank) && !same_rank(rank, fault->rank) &&
			inquiry_habit(q, rank)->turned)
			return true;
	}
	return false;
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
		if (turned_with_others(q, &fault))
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
