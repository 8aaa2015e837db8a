/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ranks beside a circle of two operations tell of it: ranks that have both groups, or groups
 * of their shape, and came to the one operation before the other. A side of the circle that took
 * that order is not the odd one; the other side left its call out, or turned two calls round.
 *
 * Operations of two groups of one shape are the same step of the program only while the groups are
 * in step: layers of one pipeline stage may call more of them than another's. So those that each
 * had come to before the last operation behind them are counted, in the circle and beside it.
 */
#include "job/rollcall.h"
#include "job/shapes.h"
#include "verdict/circles/circle.h"

/* A side: an operation of a group, and the node that stands for it. */
struct side {
	int node, group;
	uint64_t index;
};

enum vote { VOTE_NONE, VOTE_A, VOTE_B, VOTE_UNCLEAR };

/* Returns the rank's seat in that group; else in its only group of that shape; NULL. */
static const struct job_member *seat_like(
	const struct inquiry *q, struct rank_index rank, int group)
{
	const struct job_member *found = NULL;
	size_t n = 0;

	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];

		if (m->group == group)
			return m;
		if (!shapes_alike(q->job, group, m->group))
			continue;
		found = m;
		n++;
	}
	return n == 1 ? found : NULL;
}

/* A rank's seats in the groups of the two sides, or in those like them. */
struct seats {
	const struct job_member *a, *b;
};

enum pace { PACE_OTHER, PACE_UNKNOWN, PACE_EQUAL };

/* Counts the operations of that seat before `mark`, one of the same rank; false: not known. */
static bool count_before(const struct job_member *seat, const struct job_op *mark, uint64_t *n)
{
	for (*n = seat->head; *n; --*n) {
		const struct job_op *op = rollcall_op(seat, *n);

		if (!op || !op->order || op->thread != mark->thread)
			return false;
		if (op->order < mark->order)
			return true;
	}
	return true;
}

/* Compares how many operations of their groups two ranks did before the index-th of another. */
static enum pace compare_counts(const struct job_member *seat, const struct job_member *other_seat,
	const struct job_member *at, const struct job_member *other_at, uint64_t index)
{
	const struct job_op *mark = index ? rollcall_op(at, index) : NULL;
	const struct job_op *other_mark = index ? rollcall_op(other_at, index) : NULL;
	uint64_t n, other_n;

	if (!mark || !other_mark || !mark->order || !other_mark->order ||
		!count_before(seat, mark, &n) || !count_before(other_seat, other_mark, &other_n))
		return PACE_UNKNOWN;
	return n == other_n ? PACE_EQUAL : PACE_OTHER;
}

/*
 * Compares them by the operations of either group before the two that the circle is of: in step
 * once both say so.
 */
static enum pace compare_pace(const struct seats *one, const struct seats *other,
	const struct side *a, const struct side *b)
{
	enum pace by_a = compare_counts(one->b, other->b, one->a, other->a, a->index - 1);
	enum pace by_b = compare_counts(one->a, other->a, one->b, other->b, b->index - 1);

	return by_a < by_b ? by_a : by_b;
}

/* Tells which operation a rank that did both came to first. */
static enum vote vote_by_order(const struct job_member *in_a, const struct job_member *in_b,
	const struct side *a, const struct side *b)
{
	const struct job_op *at_a = rollcall_op(in_a, a->index);
	const struct job_op *at_b = rollcall_op(in_b, b->index);

	if (!at_a || !at_b || !at_a->order || !at_b->order || at_a->order == at_b->order ||
		(at_a->thread != at_b->thread && at_a->thread != JOB_NONE &&
			at_b->thread != JOB_NONE))
		return VOTE_NONE;
	return at_a->order < at_b->order ? VOTE_A : VOTE_B;
}

/* Tells which of the two a rank beside the circle came to first. */
static enum vote vote_of(const struct inquiry *q, struct rank_index rank, const struct side *a,
	const struct side *b, const struct seats *holder, bool *in_step)
{
	const struct seats in = {seat_like(q, rank, a->group), seat_like(q, rank, b->group)};
	enum pace pace;

	if (!in.a || !in.b || in.a == in.b || !in.a->head_known || !in.b->head_known ||
		(in.a->group == a->group && in.b->group == b->group))
		return VOTE_NONE;
	pace = compare_pace(&in, holder, a, b);
	if (pace == PACE_OTHER)
		return VOTE_UNCLEAR;
	*in_step &= pace == PACE_EQUAL;
	if (in.a->head >= a->index && in.b->head >= b->index)
		return vote_by_order(in.a, in.b, a, b);
	if (in.a->head >= a->index && in.b->head + 1 == b->index)
		return VOTE_A;
	if (in.b->head >= b->index && in.a->head + 1 == a->index)
		return VOTE_B;
	return in.a->head + 1 == a->index && in.b->head + 1 == b->index ? VOTE_NONE : VOTE_UNCLEAR;
}

/* True if the rank came to its side, and in the other side's group to all but that operation. */
static bool is_one_step_apart(const struct inquiry *q, struct rank_index rank,
	const struct side *at, const struct side *other)
{
	bool here = false, there = false;

	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];

		here |= m->group == at->group && m->head_known && m->head >= at->index;
		there |= m->group == other->group && m->head_known && m->head + 1 == other->index;
	}
	return here && there;
}

/*
 * Finds the two sides of a circle of two operations, one step apart; false: it is no such circle.
 */
static bool find_sides(
	const struct inquiry *q, const struct circle *circle, struct side *a, struct side *b)
{
	const struct holder *holder;

	*a = *b = (struct side){.node = JOB_NONE};
	array_for_each(&circle->holders, holder) {
		const struct waitfor_node *node = &q->graph->nodes[holder->node];
		struct side *side = a->node == JOB_NONE || a->node == holder->node ? a : b;

		if (node->kind != WAITFOR_OP ||
			(side->node != JOB_NONE && side->node != holder->node))
			return false;
		*side = (struct side){holder->node, node->group, node->index};
	}
	if (b->node == JOB_NONE || a->group == b->group ||
		shapes_alike(q->job, a->group, b->group))
		return false;
	array_for_each(&circle->holders, holder) {
		bool at_a = holder->node == a->node;

		if (inquiry_lost_ops(q, holder->rank) ||
			!is_one_step_apart(q, holder->rank, at_a ? a : b, at_a ? b : a))
			return false;
	}
	return true;
}

static bool is_holder(const struct circle *circle, struct rank_index rank)
{
	const struct holder *holder;

	array_for_each(&circle->holders, holder)
		if (same_rank(holder->rank, rank))
			return true;
	return false;
}

bool circle_ask_likes(
	const struct inquiry *q, const struct circle *circle, struct circle_likes *likes)
{
	enum vote all = VOTE_NONE;
	bool in_step = true;
	struct seats holder;
	struct side a, b;

	*likes = (struct circle_likes){.node = JOB_NONE};
	if (circle->of_launches || circle->camps != 2 || !find_sides(q, circle, &a, &b))
		return false;
	holder.a = seat_like(q, circle->holders.items[0].rank, a.group);
	holder.b = seat_like(q, circle->holders.items[0].rank, b.group);
	job_for_each_rank(q->job, rank) {
		enum vote vote = is_holder(circle, rank)
					 ? VOTE_NONE
					 : vote_of(q, rank, &a, &b, &holder, &in_step);

		if (vote == VOTE_NONE)
			continue;
		if (vote == VOTE_UNCLEAR || (all != VOTE_NONE && vote != all)) {
			array_release(&likes->ranks.list);
			return false;
		}
		all = vote;
		rank_list_add(&likes->ranks, rank);
	}
	if (all == VOTE_NONE)
		return false;
	likes->node = all == VOTE_A ? a.node : b.node;
	likes->group = all == VOTE_A ? b.group : a.group;
	likes->before = (all == VOTE_A ? b.index : a.index) - 1;
	likes->sure = likes->ranks.list.nr > 1 && likes->before && in_step &&
		      !inquiry_unreadable(q) && !inquiry_unseen_members(q, a.group) &&
		      !inquiry_unseen_members(q, b.group);
	return true;
}
