/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ranks beside a circle of two operations tell of it: ranks that have both groups, or groups
 * of their shape, and came to the one operation before the other. A side of the circle that took
 * that order is not the odd one; the other side left its call out, or turned two calls round.
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
	const struct side *b)
{
	const struct job_member *in_a = seat_like(q, rank, a->group),
				*in_b = seat_like(q, rank, b->group);

	if (!in_a || !in_b || in_a == in_b || !in_a->head_known || !in_b->head_known ||
		(in_a->group == a->group && in_b->group == b->group))
		return VOTE_NONE;
	if (in_a->head >= a->index && in_b->head >= b->index)
		return vote_by_order(in_a, in_b, a, b);
	if (in_a->head >= a->index && in_b->head + 1 == b->index)
		return VOTE_A;
	if (in_b->head >= b->index && in_a->head + 1 == a->index)
		return VOTE_B;
	return in_a->head + 1 == a->index && in_b->head + 1 == b->index ? VOTE_NONE : VOTE_UNCLEAR;
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
	struct side a, b;

	*likes = (struct circle_likes){.node = JOB_NONE};
	if (circle->of_launches || circle->camps != 2 || !find_sides(q, circle, &a, &b))
		return false;
	job_for_each_rank(q->job, rank) {
		enum vote vote =
			is_holder(circle, rank) ? VOTE_NONE : vote_of(q, rank, &a, &b);

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
	likes->sure = likes->ranks.list.nr > 1 && likes->before && !inquiry_unreadable(q) &&
		      !inquiry_unseen_members(q, a.group) && !inquiry_unseen_members(q, b.group);
	return true;
}
