/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class order-inversion: ranks wait for each other in a circle. Two groups (or peers) were entered
 * in opposite orders; those who took the rarer order are to blame. A compile or an empty shard on
 * that side explains it better.
 *
 * A circle is a strongly connected part of the wait-for graph with no way out: an edge out of it
 * would lead to a better reason.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/habit.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "verdict/circles/circle.h"
#include "verdict/circles/own-seats.h"
#include "verdict/circles/pairs.h"
#include "verdict/forks/strays.h"
#include "verdict/judge.h"
#include "verdict/rule.h"
#include "verdict/unmet.h"

static int compare_holders(const void *va, const void *vb)
{
	const struct holder *a = va, *b = vb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->rank.i < b->rank.i ? -1 : a->rank.i > b->rank.i;
}

/*
 * Collects the ranks that are part of the circle, by themselves or by a thread, each with the node
 * that holds it.
 */
static void collect_held(const struct inquiry *q, int part, struct circle *circle)
{
	const struct waitfor *graph = q->graph;

	for (size_t i = 0; i < graph->nnodes; i++) {
		if (graph->nodes[i].part != part || graph->nodes[i].kind > WAITFOR_THREAD)
			continue;
		for (size_t e = graph->first_edge[i]; e < graph->first_edge[i + 1]; e++)
			if (graph->nodes[graph->edges[e]].part == part &&
				graph->nodes[graph->edges[e]].kind > WAITFOR_THREAD) {
				*array_add(&circle->holders) = (struct holder){
					graph->edges[e], graph->nodes[i].rank};
				break;
			}
	}
}

/* Finds what the rank launched first of the circle; returns how many of its waits are there. */
static size_t find_launched(
	const struct inquiry *q, int part, struct rank_index rank, const struct wait **first)
{
	const struct waitfor *graph = q->graph;
	size_t n = 0;

	*first = NULL;
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (graph->nodes[graph->node_of_wait[i]].part != part || !wait->op ||
			!wait->op->order)
			continue;
		n++;
		if (!*first || wait->op->order < (*first)->op->order)
			*first = wait;
	}
	return n;
}

static int node_of(const struct inquiry *q, const struct wait *wait)
{
	return q->graph->node_of_wait[wait - q->waits->at];
}

/* Collects the ranks whose waits are ops of the circle, each with the op that it launched first. */
static void collect_launched(const struct inquiry *q, int part, struct circle *circle)
{
	job_for_each_rank(q->job, rank) {
		const struct wait *first;
		size_t n = find_launched(q, part, rank, &first);

		/* Sends and receives wait for the peer's launch. */
		if (n > 1 || (first && first->kind == WAIT_P2P))
			*array_add(&circle->holders) =
				(struct holder){node_of(q, first), rank, .launched = true};
	}
}

/*
 * Collects the ranks that launched what others of the circle, which all stand in one operation,
 * have not come to, and then that operation, too: those are out of the order of these. Of what
 * several threads launch there is no order.
 */
static void collect_other_side(const struct inquiry *q, int part, struct circle *circle)
{
	int stood = circle->holders.items[0].node;
	struct rank_index last = NO_RANK;

	if (q->graph->nodes[stood].kind != WAITFOR_OP)
		return;
	waitfor_each_wait(q->graph, stood, place) {
		const struct wait *then = &q->waits->at[q->graph->waits_at[place]], *first;
		bool again = same_rank(then->rank, last);
		enum job_known one;

		last = then->rank;
		if (again || q->graph->nodes[last.i].part == part || !then->op ||
			find_launched(q, part, last, &first) < 2 || first->kind == WAIT_P2P ||
			node_of(q, first) == stood)
			continue;
		one = waits_of_one_thread(first->op, then->op);
		if (one == JOB_NO)
			continue;
		circle->maybe_unordered |= one == JOB_MAYBE;
		*array_add(&circle->holders) =
			(struct holder){node_of(q, first), last, .launched = true};
	}
}

/*
 * Counts the camps, and finds the largest. Ranks that one node holds are a camp: they took one
 * order.
 */
static void find_camps(const struct inquiry *q, struct circle *circle)
{
	circle->camps = circle->chose = circle->largest_n = 0;
	array_sort(&circle->holders, compare_holders);
	circle_set_apart(q, circle);
	for (size_t from = 0, to; from < circle->holders.nr; from = to) {
		size_t chose = 0;

		for (to = from; to < circle->holders.nr &&
				circle->holders.items[to].node == circle->holders.items[from].node;
			to++)
			chose += !circle->holders.items[to].apart;
		circle->camps++;
		if (chose > circle->chose ||
			(chose == circle->chose && to - from > circle->largest_n)) {
			circle->largest = from;
			circle->largest_n = to - from;
			circle->chose = chose;
		}
	}
}

/* Returns how many took some order. */
static size_t count_chose(const struct circle *circle)
{
	size_t n = 0;

	for (size_t i = 0; i < circle->holders.nr; i++)
		n += !circle->holders.items[i].apart;
	return n;
}

/* True if some ranks of the circle took an order, and none another one. */
static bool lacks_other_side(const struct circle *circle)
{
	return circle->chose && count_chose(circle) == circle->chose;
}

/* True if all that the rank did is in its ring: lost ops may be part of its habit. */
static bool tells_habit(const struct inquiry *q, struct rank_index rank)
{
	return (job_rank(q->job, rank)->knows & JOB_KNOWS_RING) && !inquiry_lost_ops(q, rank);
}

/*
 * Blames ranks that do not do what they did in all their steps before, if all others of the circle
 * do: whoever left something out, or turned two calls round, is one of them. Adds them to `odd`.
 */
static void blame_by_habit(const struct inquiry *q, const struct circle *circle,
	struct draft *draft, struct rank_list *odd)
{
	const struct holder *holder;
	size_t kept = 0;

	array_for_each(&circle->holders, holder) {
		enum habit_kind kind = inquiry_habit(q, holder->rank)->kind;

		if (kind == HABIT_LEFT && tells_habit(q, holder->rank))
			rank_list_add(odd, holder->rank);
		kept += kind == HABIT_KEPT && tells_habit(q, holder->rank);
	}
	if (!kept || odd->list.nr + kept != circle->holders.nr)
		odd->list.nr = 0;
	if (!odd->list.nr)
		return;
	for (size_t i = 0; i < odd->list.nr; i++)
		rank_list_add(&draft->culprits, odd->list.items[i]);
	array_release(&draft->camp_a.list);
	array_release(&draft->camp_b.list);
}

/*
 * Blames the rarer order, if it surely is the rarer one; else names both sides as camps. Where one
 * rank took the one order and one the other, either of them may be right.
 */
static void share_out(const struct inquiry *q, const struct circle *circle, struct draft *draft)
{
	size_t n = circle->holders.nr, others = count_chose(circle) - circle->chose;
	size_t unknown = inquiry_unreadable(q);
	bool all_alike = circle->camps == n;
	bool mixed = circle_is_mixed(q, circle) || circle_is_of_a_lock(q, circle);
	/*
	 * With more than two sides, each waits for the next: a rank that is not in all groups is no
	 * victim.
	 */
	bool chain = circle->camps > 2 && count_chose(circle) < n;

	for (size_t i = 0; i < n; i++) {
		struct rank_index rank = circle->holders.items[i].rank;
		bool in_largest = i >= circle->largest && i < circle->largest + circle->largest_n;

		if (circle->holders.items[i].apart && circle->chose && !chain)
			continue; /* a victim */
		if (mixed || chain || (all_alike && n == 2))
			rank_list_add(in_largest ? &draft->camp_a : &draft->camp_b, rank);
		else if (!all_alike && !in_largest && others + unknown < circle->chose)
			rank_list_add(&draft->culprits, rank);
		else
			rank_list_add(
				in_largest || all_alike ? &draft->camp_a : &draft->camp_b, rank);
	}
	if (!draft->culprits.list.nr)
		return;
	array_release(&draft->camp_a.list);
	array_release(&draft->camp_b.list);
}

/* True if the ops of the circle are known not to be complete. */
static bool is_sure(const struct inquiry *q, int part)
{
	for (size_t i = 0; i < q->waits->n; i++)
		if (q->graph->nodes[q->graph->node_of_wait[i]].part == part && q->waits->at[i].sure)
			return true;
	return false;
}

/*
 * True if the circle is one of launches, or has sends and receives in it: dumps only let both be
 * assumed.
 */
static bool is_assumed(const struct inquiry *q, const struct circle *circle)
{
	return circle->of_launches || circle_count_pairs(q, circle);
}

/*
 * True if each side was seen to launch both operations, in its own order. A side that is held in
 * the first one it came to may have swapped two, or have left one out: nobody saw what it would
 * have entered next.
 */
static bool shows_orders(const struct inquiry *q, const struct circle *circle)
{
	return circle->of_launches && !circle_count_pairs(q, circle);
}

/*
 * True if the circle needs that an operation waits for what one of its ranks launched before, while
 * a rank was not seen that may not have come to it.
 */
static bool may_lack_unseen(const struct inquiry *q, int part)
{
	for (size_t i = 0; i < q->graph->nnodes; i++) {
		const struct waitfor_node *node = &q->graph->nodes[i];

		if (node->part == part && node->unknown && !node->absent &&
			(node->kind == WAITFOR_OP || node->kind == WAITFOR_PAIR))
			return true;
	}
	return false;
}

/* Blames nobody: names all who are in the circle, those of the largest camp as one side. */
static void blame_nobody(const struct circle *circle, struct draft *draft)
{
	draft->culprits.list.nr = draft->camp_a.list.nr = draft->camp_b.list.nr = 0;
	for (size_t i = 0; i < circle->holders.nr; i++) {
		bool in_largest = i >= circle->largest && i < circle->largest + circle->largest_n;

		rank_list_add(in_largest ? &draft->camp_a : &draft->camp_b,
			circle->holders.items[i].rank);
	}
	rank_list_settle(&draft->camp_a);
	rank_list_settle(&draft->camp_b);
	draft_at_most(draft, VERDICT_HYPOTHESIS);
}

/*
 * Blames the side that did not do as ranks beside the circle did, if nobody is blamed yet; if a
 * rank that did as they did is blamed, nobody is any more.
 */
static void blame_by_likes(
	const struct circle *circle, const struct circle_likes *likes, struct draft *draft)
{
	const struct holder *holder;
	struct rank_list odd = {0};

	array_for_each(&circle->holders, holder) {
		if (holder->node != likes->node)
			rank_list_add(&odd, holder->rank);
		else if (rank_list_has(&draft->culprits, holder->rank)) {
			blame_nobody(circle, draft);
			array_release(&odd.list);
			return;
		}
	}
	if (!draft->culprits.list.nr) {
		array_release(&draft->camp_a.list);
		array_release(&draft->camp_b.list);
		draft_at_most(draft, likes->sure ? VERDICT_SUPPORTED : VERDICT_HYPOTHESIS);
		draft->culprits = odd;
		return;
	}
	array_release(&odd.list);
}

/*
 * Writes a circle that is there since one of its ranks left out a send or receive, or has one too
 * many. False: that is not known.
 */
static bool write_pair_fault(struct inquiry *q, int part, const struct circle *circle)
{
	struct pair_fault fault = pairs_find_fault(q, part);
	struct draft *draft;

	if (!is_rank(fault.rank))
		return false;
	draft = inquiry_draft(q, VERDICT_ORDER_INVERSION);
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.group = q->job->members[fault.wait->member].group;
	pairs_write(q, &fault, draft);
	find_victims_of_part(q, part, draft);
	circle_tell_edges(q, circle, draft);
	return true;
}

/* True if that part of the graph holds the stray, or somebody who waits where it strays. */
static bool is_about(const struct inquiry *q, int part, const struct stray *stray)
{
	if (q->graph->nodes[stray->rank.i].part == part)
		return true;
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (q->graph->nodes[q->graph->node_of_wait[i]].part == part &&
			(same_rank(wait->rank, stray->rank) ||
				(wait->member != JOB_NONE &&
					q->job->members[wait->member].group == stray->group)))
			return true;
	}
	return false;
}

/*
 * If nothing else tells whose fault the circle is, but one of its ranks does not do what all others
 * do that sit like it, says that instead of what the draft says.
 */
static void prefer_stray(struct inquiry *q, int part, const struct circle *circle)
{
	struct draft *draft = &q->drafts.items[q->drafts.nr - 1];
	const struct stray *stray;

	if (draft->verdict.cause || (draft->verdict.class != VERDICT_ORDER_INVERSION &&
					    draft->verdict.class != VERDICT_COLLECTIVE_MISMATCH) ||
		(draft->culprits.list.nr && draft->verdict.confidence > VERDICT_HYPOTHESIS))
		return;
	stray = inquiry_stray(q);
	if (!stray || !is_about(q, part, stray))
		return;
	inquiry_drop_draft(q);
	draft = inquiry_draft(q, VERDICT_ORDER_INVERSION);
	stray_write(q, stray, draft);
	find_victims_of_part(q, part, draft);
	circle_tell_edges(q, circle, draft);
}

/*
 * Returns the group of one of the circle's operations in which others wait for a rank that closed
 * it; JOB_NONE.
 */
static int group_left_by(const struct inquiry *q, int part, struct rank_index rank)
{
	const struct job_member *seat = left_seat(q, rank);

	for (size_t i = 0; seat && i < q->graph->nnodes; i++)
		if (q->graph->nodes[i].part == part && q->graph->nodes[i].group == seat->group)
			return seat->group;
	return JOB_NONE;
}

/* True if those who closed the group, with those of whom nothing is known, are the fewer. */
static bool few_left(const struct inquiry *q, int group)
{
	const struct job_group *g = &q->job->groups[group];
	size_t left = 0, on = 0, unseen = inquiry_unseen_members(q, group);

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (seat_is_closed(m))
			left++;
		else
			on++;
	}
	return unseen < on && left < on - unseen;
}

/* Those of the circle who closed a group in which most others go on, in a draft; NULL: none did. */
static struct draft *draft_leavers(struct inquiry *q, int part, const struct circle *circle)
{
	const struct holder *holder;
	struct draft *draft = NULL;
	bool lost = false; /* among the lost ops may be its coming to the others' operation */

	array_for_each(&circle->holders, holder) {
		int group = group_left_by(q, part, holder->rank);

		if (group == JOB_NONE || !few_left(q, group))
			continue;
		if (!draft)
			draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
		draft->verdict.group = group;
		lost |= inquiry_lost_ops(q, holder->rank);
		rank_list_add(&draft->culprits, holder->rank);
		if (draft->culprits.list.nr <= TOLD_CULPRITS)
			left_tell(q, holder->rank, draft);
	}
	if (!draft)
		return NULL;
	draft->verdict.confidence = is_sure(q, part) ? VERDICT_ESTABLISHED : VERDICT_HYPOTHESIS;
	if (lost)
		draft_at_most(draft, VERDICT_SUPPORTED);
	rank_list_settle(&draft->culprits);
	return draft;
}

/*
 * Writes a circle that is there since one of its ranks closed a group in which most others go on:
 * it cannot come there any more, in whatever order. If as many closed it, the others may have one
 * operation too many. If the rank had less work than they, that is told as the reason. False: no
 * rank did.
 */
static bool write_left_group(struct inquiry *q, int part, const struct circle *circle)
{
	struct draft *draft = draft_leavers(q, part, circle);
	const struct away *better;
	struct reason why = {0};

	if (!draft)
		return false;
	draft->verdict.cause = VERDICT_BY_LEFT_GROUP;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_CALLS;
	better = away_that_turns(q, &draft->culprits, &why);
	if (better)
		away_take(q, better, &why, draft);
	find_victims_of_part(q, part, draft);
	circle_tell_edges(q, circle, draft);
	return true;
}

/* True if all ranks of the circle wait to receive: sends may have been left out. */
static bool may_lack_sends(const struct inquiry *q, const struct circle *circle)
{
	for (size_t i = 0; i < circle->holders.nr; i++) {
		const struct waitfor_node *node = &q->graph->nodes[circle->holders.items[i].node];

		if (node->kind != WAITFOR_PAIR ||
			q->waits->at[node->wait].op->sig.op != JOB_OP_RECV)
			return false;
	}
	return circle->holders.nr > 0;
}

/*
 * Sets what to do next, and how certain the finding may be at most: of two groups in the making one
 * may belong to another job, by a foreign id.
 */
static void refine(struct inquiry *q, const struct circle *circle, bool by_habit,
	struct draft *draft)
{
	struct verdict *v = &draft->verdict;
	bool creations = circle_is_of_creations(q, circle), lock = circle_is_of_a_lock(q, circle);

	if (by_habit)
		v->next = VERDICT_NEXT_SAME_CALLS;
	else if (circle->camps > 2)
		v->next = VERDICT_NEXT_COMPARE_CALL_SITES;
	if (lock) {
		v->next = VERDICT_NEXT_FREE_LOCK;
		v->where = VERDICT_IN_LOCK;
	}
	if (creations) {
		v->cause = VERDICT_BY_GROUP_CREATION;
		v->next = VERDICT_NEXT_SAME_GROUPS;
	}
	if (by_habit || creations || lock)
		draft_at_most(draft, VERDICT_SUPPORTED);
}

/*
 * Returns a seat that had left the init of that node before this rank began it, and *ret_late, the
 * rank's own; NULL: there is none.
 */
static const struct job_member *left_before(
	const struct inquiry *q, const struct holder *holder, const struct job_member **ret_late)
{
	const struct waitfor_node *node = &q->graph->nodes[holder->node];
	const struct job_group *g = &q->job->groups[node->group];

	by_rank_each(&q->seats, holder->rank, k) {
		const struct job_member *late = &q->job->members[q->seats.at[k]];

		for (uint32_t seat = 0; late->group == node->group && seat < g->size; seat++) {
			const struct job_member *m = &q->job->members[g->first_member + (int)seat];

			*ret_late = late;
			if (rollcall_left_before(q->job, m, late))
				return m;
		}
	}
	return NULL;
}

/* Tells who makes a group anew, which the others had made with an earlier process of that rank. */
static void tell_anew(struct inquiry *q, const struct circle *circle, struct draft *draft)
{
	const struct holder *holder;

	array_for_each(&circle->holders, holder) {
		const struct job_member *late, *left;
		struct verdict_fact *fact;

		if (q->graph->nodes[holder->node].kind != WAITFOR_INIT)
			continue;
		left = left_before(q, holder, &late);
		if (!left)
			continue;
		fact = draft_fact(q, draft, FACT_BEGAN_ANEW, holder->rank, late->cite);
		fact->text2 = q->job->groups[late->group].name;
		fact->a = late->init_since - left->ready_at;
		draft->verdict.next = VERDICT_NEXT_START_TOGETHER;
	}
}

/* Returns the node that the finding is about: what some launched, and others left out. */
static const struct waitfor_node *node_about(const struct inquiry *q, const struct circle *circle)
{
	const struct holder *holder;

	array_for_each(&circle->holders, holder)
		if (holder->launched)
			return &q->graph->nodes[holder->node];
	return &q->graph->nodes[circle->holders.items[0].node];
}

static struct draft *begin_finding(struct inquiry *q, int part, const struct circle *circle)
{
	struct draft *draft = inquiry_draft(q, VERDICT_ORDER_INVERSION);
	const struct waitfor_node *node = node_about(q, circle);

	draft->verdict.confidence = !is_sure(q, part) || may_lack_unseen(q, part)
					    ? VERDICT_HYPOTHESIS
				    : circle->camps == 2 ? VERDICT_ESTABLISHED
							 : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_ONE_ORDER;
	draft->verdict.group = node->group;
	draft->verdict.op_index = node->index;
	return draft;
}

/* Whom the orders blame, or the habit of each (they are in `odd`, blamed or not), or its likes. */
static void blame(struct inquiry *q, const struct circle *circle, struct draft *draft,
	struct rank_list *odd, struct circle_likes *likes)
{
	share_out(q, circle, draft);
	if (!draft->culprits.list.nr && !circle_is_mixed(q, circle) &&
		!circle_is_of_a_lock(q, circle))
		blame_by_habit(q, circle, draft, odd);
	if (circle_ask_likes(q, circle, likes))
		blame_by_likes(circle, likes, draft);
	rank_list_settle(&draft->culprits);
	rank_list_settle(&draft->camp_a);
	rank_list_settle(&draft->camp_b);
}

static void write_finding(struct inquiry *q, int part, const struct circle *circle)
{
	struct draft *draft = begin_finding(q, part, circle);
	const struct away *better; /* all of the rarer side compile, or had nothing to do */
	struct circle_likes likes;
	struct rank_list odd = {0};
	struct reason why = {0};
	bool open; /* it may be another order, or a call left out or too many */

	blame(q, circle, draft, &odd, &likes);
	refine(q, circle, odd.list.nr > 0, draft);
	better = circle->largest_n > 1 ? away_that_turns(q, &draft->culprits, &why) : NULL;
	if (better)
		away_take(q, better, &why, draft);
	else if (!shows_orders(q, circle))
		draft_at_most(draft, VERDICT_SUPPORTED);
	open = !better && (circle_is_mixed(q, circle) || may_lack_sends(q, circle));
	if (!draft->culprits.list.nr && inquiry_by_dumps(q)) /* which do not tell threads */
		draft_at_most(draft, VERDICT_HYPOTHESIS);
	if (circle->maybe_unordered && !inquiry_by_dumps(q) && !odd.list.nr && !likes.sure)
		draft_at_most(draft, VERDICT_HYPOTHESIS);
	if (open || !count_chose(circle) || (!circle->of_launches && lacks_other_side(circle)) ||
		(!better && inquiry_by_dumps(q) && is_assumed(q, circle)))
		blame_nobody(circle, draft);
	if (open)
		draft->verdict.next = VERDICT_NEXT_COMPARE_CALL_SITES;
	find_victims_of_part(q, part, draft);
	tell_anew(q, circle, draft);
	if (!better || !(better->traits & AWAY_ENDS))
		circle_tell_order(q, circle, draft);
	circle_tell_edges(q, circle, draft);
	if (odd.list.nr)
		draft_fact_of(q, draft, FACT_BY_HABIT, &odd, inquiry_cite_all(q));
	if (likes.ranks.list.nr)
		circle_tell_likes(q, &likes, draft);
	if (open)
		draft_fact(q, draft, FACT_UNALIGNED, NO_RANK, inquiry_cite_all(q));
	if (!likes.ranks.list.nr)
		prefer_stray(q, part, circle);
	array_release(&likes.ranks.list);
	array_release(&odd.list);
}

/* Writes the first of these findings that fits. */
static void write_circle(struct inquiry *q, int part, const struct circle *circle)
{
	if (write_pair_fault(q, part, circle) || write_left_group(q, part, circle) ||
		unmet_write_crossed(q, part) ||
		(circle->camps == 1 && own_seats_write(q, part, is_sure(q, part))))
		return;
	if (circle->camps == 1 && unmet_write(q, part))
		prefer_stray(q, part, circle);
	else if (circle->camps > 1)
		write_finding(q, part, circle);
}

/*
 * True if a fork is in the circle: it is judged as a fork, and other orders only follow from that.
 */
static bool has_fork(const struct inquiry *q, int part)
{
	for (size_t i = 0; i < q->graph->nnodes; i++)
		if (q->graph->nodes[i].part == part && q->graph->nodes[i].kind == WAITFOR_FORK)
			return true;
	return false;
}

void judge_cycles(struct inquiry *q)
{
	const struct waitfor *graph = q->graph;
	bool *seen = alloc_zeroed(graph->nparts + 1, sizeof(*seen));

	for (size_t i = 0; i < graph->nnodes; i++) {
		int part = graph->nodes[i].part;
		struct circle circle = {0};

		if (seen[part] || graph->parts[part].n < 2 || graph->parts[part].way_out ||
			graph->nodes[i].reached == JOB_UNKNOWN)
			continue;
		seen[part] = true;
		if (has_fork(q, part))
			continue;
		collect_held(q, part, &circle);
		circle.of_launches = !circle.holders.nr;
		if (circle.of_launches)
			collect_launched(q, part, &circle);
		find_camps(q, &circle);
		if (circle.camps == 1 && !circle.of_launches) {
			collect_other_side(q, part, &circle);
			find_camps(q, &circle);
		}
		write_circle(q, part, &circle);
		array_release(&circle.holders);
	}
	free(seen);
}
