/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order-inversion: ranks wait for each other in a circle. Two groups (or peers) were entered in
 * opposite orders; those who took the rarer order are to blame. A compile or an empty shard on
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
#include "verdict/pairs.h"
#include "verdict/judge.h"
#include "verdict/rule.h"
#include "verdict/unmet.h"

/* One rank of a circle, by the first of its nodes: what holds it, or what it launched first. */
struct holder {
	int node;
	struct rank_index rank;
	bool apart; /* it is not in all of the groups: it took no order */
};

struct circle {
	ARRAY(struct holder) holders; /* by node, then rank */
	bool of_launches;             /* all are in, but launched in different orders */
	size_t camps;
	size_t largest; /* index of the largest camp's first holder */
	size_t largest_n;
	size_t chose; /* of the largest camp: who took its order, and was not only led there */
};

static int compare_holders(const void *va, const void *vb)
{
	const struct holder *a = va, *b = vb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->rank.i < b->rank.i ? -1 : a->rank.i > b->rank.i;
}

/* Ranks that are part of the circle, each with the node of the circle that holds it. */
static void collect_held(const struct inquiry *q, int part, struct circle *circle)
{
	const struct waitfor *graph = q->graph;

	job_for_each_rank(q->job, rank) {
		if (graph->nodes[rank.i].part != part)
			continue;
		for (size_t e = graph->first_edge[rank.i]; e < graph->first_edge[rank.i + 1]; e++)
			if (graph->nodes[graph->edges[e]].part == part) {
				*array_add(&circle->holders) =
					(struct holder){graph->edges[e], rank};
				break;
			}
	}
}

/* Ranks whose waits are ops of the circle, each with the op that it launched first. */
static void collect_launched(const struct inquiry *q, int part, struct circle *circle)
{
	const struct waitfor *graph = q->graph;

	job_for_each_rank(q->job, rank) {
		const struct wait *first = NULL;
		int node = JOB_NONE;
		size_t n = 0;

		for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
			const struct wait *wait = &q->waits->at[i];

			if (graph->nodes[graph->node_of_wait[i]].part != part || !wait->op ||
				!wait->op->order)
				continue;
			n++;
			if (first && first->op->order < wait->op->order)
				continue;
			first = wait;
			node = graph->node_of_wait[i];
		}
		/* Sends and receives wait for the peer's launch. */
		if (n > 1 || (first && first->kind == WAIT_P2P))
			*array_add(&circle->holders) = (struct holder){node, rank};
	}
}

/* True if the rank has a seat in the group. */
static bool has_seat(const struct inquiry *q, struct rank_index rank, int group)
{
	by_rank_each(&q->seats, rank, i)
		if (q->job->members[q->seats.at[i]].group == group)
			return true;
	return false;
}

/*
 * A member of only one of the groups came there in its turn, even if others came too early: it
 * tells nothing about orders.
 */
static void set_apart(const struct inquiry *q, struct circle *circle)
{
	struct holder *list = circle->holders.items;

	for (size_t i = 0; i < circle->holders.nr; i++) {
		int group = q->graph->nodes[list[i].node].group;

		if (group == JOB_NONE || (i && list[i - 1].node == list[i].node))
			continue;
		for (size_t k = 0; k < circle->holders.nr; k++)
			list[k].apart |= !has_seat(q, list[k].rank, group);
	}
}

/* Ranks that one node holds are a camp: they took one order. Counts them, and finds the largest. */
static void find_camps(const struct inquiry *q, struct circle *circle)
{
	array_sort(&circle->holders, compare_holders);
	set_apart(q, circle);
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

/* How many of its ranks are held in a send or receive. */
static size_t count_pairs(const struct inquiry *q, const struct circle *circle)
{
	size_t pairs = 0;

	for (size_t i = 0; i < circle->holders.nr; i++)
		pairs += q->graph->nodes[circle->holders.items[i].node].kind == WAITFOR_PAIR;
	return pairs;
}

/*
 * A send or receive against what is no such call: the one side may have called too much, or the
 * other too little. Nobody can tell.
 */
static bool is_mixed(const struct inquiry *q, const struct circle *circle)
{
	size_t pairs = count_pairs(q, circle);

	return pairs && pairs < circle->holders.nr;
}

/* True if a rank of it waits for the lock of a file, which another one has. */
static bool is_of_a_lock(const struct inquiry *q, const struct circle *circle)
{
	for (size_t i = 0; i < circle->holders.nr; i++)
		if (q->graph->nodes[circle->holders.items[i].node].kind == WAITFOR_LOCK)
			return true;
	return false;
}

/* Lists all who took some order. */
static size_t count_chose(const struct circle *circle)
{
	size_t n = 0;

	for (size_t i = 0; i < circle->holders.nr; i++)
		n += !circle->holders.items[i].apart;
	return n;
}

/* True if all that the rank did is in its ring: of what is lost its habit may be made of. */
static bool tells_habit(const struct inquiry *q, struct rank_index rank)
{
	return (job_rank(q->job, rank)->knows & JOB_KNOWS_RING) && !inquiry_lost_ops(q, rank);
}

/*
 * Blames those who do not do what they did in all their steps before, where all others of the
 * circle do: whoever left something out, or turned two round, is one of them. True if it did.
 */
static bool blame_by_habit(struct inquiry *q, const struct circle *circle, struct draft *draft)
{
	const struct holder *holder;
	size_t kept = 0;

	array_for_each(&circle->holders, holder) {
		struct habit habit = habit_of(q->job, holder->rank);

		if (habit.kind == HABIT_LEFT && tells_habit(q, holder->rank))
			rank_list_add(&draft->culprits, holder->rank);
		kept += habit.kind == HABIT_KEPT && tells_habit(q, holder->rank);
		habit_release(&habit);
	}
	if (!draft->culprits.list.nr || !kept ||
		draft->culprits.list.nr + kept != circle->holders.nr) {
		draft->culprits.list.nr = 0;
		return false;
	}
	array_release(&draft->camp_a.list);
	array_release(&draft->camp_b.list);
	return true;
}

/*
 * Blames the rarer order, if it surely is the rarer one; else both sides are named, as camps. Where
 * one rank took the one order and one the other, either of them may be right.
 */
static void share_out(const struct inquiry *q, const struct circle *circle, struct draft *draft)
{
	size_t n = circle->holders.nr, others = count_chose(circle) - circle->chose;
	size_t unknown = inquiry_unreadable(q);
	bool all_alike = circle->camps == n;
	bool mixed = is_mixed(q, circle) || is_of_a_lock(q, circle);

	for (size_t i = 0; i < n; i++) {
		struct rank_index rank = circle->holders.items[i].rank;
		bool in_largest = i >= circle->largest && i < circle->largest + circle->largest_n;

		if (circle->holders.items[i].apart && circle->chose)
			continue; /* a victim */
		if (mixed || (all_alike && n == 2))
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

/*
 * Returns what a rank waits in at a node that is no operation of a group: for a wait that only a
 * stack shows, the call on the stack; else the call of the waiting thread.
 */
static const struct verdict_thing *call_at(struct inquiry *q, int node, struct rank_index rank)
{
	const struct wait *wait = &q->waits->at[q->graph->nodes[node].wait];
	struct verdict_thing thing = {.kind = THING_CALL, .name = ""};
	const struct posture *p;

	for (size_t i = 0; i < q->waits->n; i++)
		if (q->graph->node_of_wait[i] == node && same_rank(q->waits->at[i].rank, rank))
			wait = &q->waits->at[i];
	p = &q->profiles[wait->rank.i].posture;
	if (waits_is_told(wait)) {
		thing.name = p->call;
		thing.activity = (int)p->activity;
	} else if (wait->kind == WAIT_STORE) {
		thing.name = CALL_STORE;
	} else if (wait->thread != JOB_NONE) {
		thing.name = q->job->threads[wait->thread].call;
	}
	return draft_thing(q, thing);
}

/* Returns what that rank waits in at this node; NO_RANK: what any rank does. */
static const struct verdict_thing *thing_of(struct inquiry *q, int node, struct rank_index rank)
{
	static const enum verdict_thing_kind kinds[] = {
		[WAITFOR_INIT] = THING_INIT,
		[WAITFOR_SPLIT] = THING_SPLIT,
		[WAITFOR_LOCK] = THING_LOCK,
		[WAITFOR_PAIR] = THING_PAIR,
	};
	const struct waitfor_node *n = &q->graph->nodes[node];
	struct verdict_thing thing = {.kind = THING_OP, .index = n->index, .name = ""};

	if (n->kind == WAITFOR_STORE || n->kind == WAITFOR_SYNC)
		return call_at(q, node, rank);
	if (n->kind < sizeof(kinds) / sizeof(*kinds) && kinds[n->kind])
		thing.kind = kinds[n->kind];
	for (size_t i = 0; i < q->waits->n; i++)
		if (q->graph->node_of_wait[i] == node && q->waits->at[i].op) {
			thing.sig = q->waits->at[i].op->sig;
			thing.index = q->waits->at[i].index;
			break;
		}
	if (n->kind == WAITFOR_LOCK)
		thing.name = q->waits->at[n->wait].key;
	else if (n->group != JOB_NONE)
		thing.name = q->job->groups[n->group].name;
	return draft_thing(q, thing);
}

/* Somebody of the circle that this node waits for. */
static struct rank_index someone_awaited(const struct inquiry *q, int node)
{
	const struct waitfor *graph = q->graph;

	for (size_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
		int to = graph->edges[e];

		if (graph->nodes[to].kind == WAITFOR_RANK &&
			graph->nodes[to].part == graph->nodes[node].part)
			return graph->nodes[to].rank;
	}
	return NO_RANK;
}

/* Where it can be read that this rank waits. */
static const char *cite_of_wait(const struct inquiry *q, struct rank_index rank)
{
	const struct wait *wait = inquiry_longest_wait(q, rank);

	return wait ? wait->cite : "ring";
}

/* Where in the program a rank of it stands, by its stack; a call's own word is told elsewhere. */
static void tell_site(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct wait *wait = inquiry_longest_wait(q, rank);

	if (activities_waits(q->profiles[rank.i].posture.activity) &&
		!(wait && wait->op && *wait->op->place) && !(wait && waits_is_told(wait)))
		stacks_tell(q, rank, draft);
}

/* One fact for each camp: what it is in, and for whom. Launches tell it by their order. */
static void tell_edges(struct inquiry *q, const struct circle *circle, struct draft *draft)
{
	size_t told = 0;

	for (size_t i = 0; !circle->of_launches && i < circle->holders.nr && told < 8; i++) {
		const struct holder *holder = &circle->holders.items[i];
		struct verdict_fact *fact;
		struct rank_index awaited;

		if (i && circle->holders.items[i - 1].node == holder->node)
			continue;
		fact = draft_fact(
			q, draft, FACT_CYCLE_EDGE, holder->rank, cite_of_wait(q, holder->rank));
		fact->thing = thing_of(q, holder->node, holder->rank);
		awaited = someone_awaited(q, holder->node);
		if (is_rank(awaited))
			fact->a = job_rank(q->job, awaited)->world_rank.n;
		tell_site(q, holder->rank, draft);
		told++;
	}
}

/* True if all of it wait in the making of groups: they make them in different orders. */
static bool is_of_creations(const struct inquiry *q, const struct circle *circle)
{
	for (size_t i = 0; i < circle->holders.nr; i++)
		if (q->graph->nodes[circle->holders.items[i].node].kind != WAITFOR_INIT)
			return false;
	return circle->holders.nr > 0;
}

static void tell_order(struct inquiry *q, const struct circle *circle, struct draft *draft)
{
	int first = circle->holders.items[circle->largest].node, other = JOB_NONE;
	struct verdict_fact *fact;

	/* In a circle of more than two nobody has the order that another one turned round. */
	if (circle->camps > 2)
		return;
	for (size_t i = 0; i < circle->holders.nr; i++)
		if (circle->holders.items[i].node != first)
			other = circle->holders.items[i].node;
	/* The edges say all about sends and receives. */
	if (other == JOB_NONE || q->graph->nodes[first].kind == WAITFOR_PAIR ||
		is_mixed(q, circle) || is_of_a_lock(q, circle))
		return;
	if (is_of_creations(q, circle)) {
		fact = draft_fact_of(q, draft, FACT_OTHER_ID,
			draft->culprits.list.nr ? &draft->culprits : &draft->camp_b,
			inquiry_cite_all(q));
		fact->thing = thing_of(q, other, NO_RANK);
		fact->thing2 = thing_of(q, first, NO_RANK);
		return;
	}
	fact = draft_fact_of(q, draft, circle->of_launches ? FACT_ORDER : FACT_ORDER_OPEN,
		draft->culprits.list.nr ? &draft->culprits : &draft->camp_b, inquiry_cite_all(q));
	fact->thing = thing_of(q, other, NO_RANK);
	fact->thing2 = thing_of(q, first, NO_RANK);
}

/* Adds who waits for the circle, or is in it. */
static void find_waiting(struct inquiry *q, int part, struct draft *draft)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));

	for (size_t i = 0; i < q->graph->nnodes; i++)
		marked[i] =
			q->graph->nodes[i].part == part && q->graph->nodes[i].kind != WAITFOR_RANK;
	find_victims(q, marked, draft);
	free(marked);
}

/* True if the ops of the circle are known not to be complete. */
static bool is_sure(const struct inquiry *q, int part)
{
	for (size_t i = 0; i < q->waits->n; i++)
		if (q->graph->nodes[q->graph->node_of_wait[i]].part == part && q->waits->at[i].sure)
			return true;
	return false;
}

/* True if orders of launches make it, or sends and receives: of dumps both are taken to be so. */
static bool is_assumed(const struct inquiry *q, const struct circle *circle)
{
	return circle->of_launches || count_pairs(q, circle);
}

/*
 * True if each side was seen to launch both operations, in its own order. A side that is held in
 * the first one it came to may have swapped two, or have left one out: nobody saw what it would
 * have entered next.
 */
static bool shows_orders(const struct inquiry *q, const struct circle *circle)
{
	return circle->of_launches && !count_pairs(q, circle);
}

/* Makes the finding at most so sure. */
static void blame_nobody(struct draft *draft)
{
	for (size_t i = 0; i < draft->culprits.list.nr; i++)
		rank_list_add(&draft->camp_a, draft->culprits.list.items[i]);
	draft->culprits.list.nr = 0;
	rank_list_settle(&draft->camp_a);
	draft_at_most(draft, VERDICT_HYPOTHESIS);
}

/* A circle since one of its ranks left out a send or receive, or has one too many. */
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
	find_waiting(q, part, draft);
	tell_edges(q, circle, draft);
	return true;
}

/* The group of one of the circle's operations in which others wait for a rank that closed it. */
static int group_left_by(const struct inquiry *q, int part, struct rank_index rank)
{
	const struct job_member *seat = left_seat(q, rank);

	for (size_t i = 0; seat && i < q->graph->nnodes; i++)
		if (q->graph->nodes[i].part == part && q->graph->nodes[i].group == seat->group)
			return seat->group;
	return JOB_NONE;
}

/* True if those who closed the group, and those of whom nothing is known, are the fewer. */
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

/*
 * A circle since one of its ranks closed a group in which most others go on: it cannot come there
 * any more, in whatever order. Where as many closed it, the others may have one operation too many.
 * Where it had less work than they, that is why.
 */
static bool write_left_group(struct inquiry *q, int part, const struct circle *circle)
{
	const struct holder *holder;
	const struct away *better;
	struct reason why = {0};
	struct draft *draft = NULL;
	bool lost = false; /* that it came to the others' operation may be among that */

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
		return false;
	draft->verdict.cause = VERDICT_BY_LEFT_GROUP;
	draft->verdict.confidence = is_sure(q, part) ? VERDICT_ESTABLISHED : VERDICT_HYPOTHESIS;
	if (lost)
		draft_at_most(draft, VERDICT_SUPPORTED);
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_CALLS;
	rank_list_settle(&draft->culprits);
	better = away_that_turns(q, &draft->culprits, &why);
	if (better)
		away_take(q, better, &why, draft);
	find_waiting(q, part, draft);
	tell_edges(q, circle, draft);
	return true;
}

/* True if all of it wait to receive: it may be that sends were left out. */
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
 * Sets what to do, and how certain the finding may be at most: of two groups in the making one may
 * belong to another job, by a foreign id.
 */
static void refine(struct inquiry *q, const struct circle *circle, bool by_habit,
	struct draft *draft)
{
	struct verdict *v = &draft->verdict;
	bool creations = is_of_creations(q, circle), lock = is_of_a_lock(q, circle);

	if (by_habit)
		v->next = VERDICT_NEXT_SAME_CALLS;
	else if (circle->camps > 2)
		v->next = VERDICT_NEXT_COMPARE_CALL_SITES;
	if (lock) {
		v->next = VERDICT_NEXT_LOOK_AT_LOCK;
		v->where = VERDICT_IN_LOCK;
	}
	if (creations) {
		v->cause = VERDICT_BY_GROUP_CREATION;
		v->next = VERDICT_NEXT_SAME_GROUPS;
	}
	if (by_habit || creations || lock)
		draft_at_most(draft, VERDICT_SUPPORTED);
}

static void write_finding(struct inquiry *q, int part, const struct circle *circle)
{
	struct draft *draft = inquiry_draft(q, VERDICT_ORDER_INVERSION);
	const struct waitfor_node *node = &q->graph->nodes[circle->holders.items[0].node];
	const struct away *better; /* all of the rarer side compiles, or had nothing to do */
	struct reason why = {0};
	bool by_habit;
	bool open; /* it may be another order, or a call that one left out or has too many */

	draft->verdict.confidence = !is_sure(q, part)    ? VERDICT_HYPOTHESIS
				    : circle->camps == 2 ? VERDICT_ESTABLISHED
							 : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_ONE_ORDER;
	draft->verdict.group = node->group;
	draft->verdict.op_index = node->index;
	share_out(q, circle, draft);
	by_habit = !draft->culprits.list.nr && !is_mixed(q, circle) &&
		   !is_of_a_lock(q, circle) && blame_by_habit(q, circle, draft);
	rank_list_settle(&draft->culprits);
	rank_list_settle(&draft->camp_a);
	rank_list_settle(&draft->camp_b);
	refine(q, circle, by_habit, draft);
	better = circle->largest_n > 1 ? away_that_turns(q, &draft->culprits, &why) : NULL;
	if (better)
		away_take(q, better, &why, draft);
	else if (!shows_orders(q, circle))
		draft_at_most(draft, VERDICT_SUPPORTED);
	if (!better && inquiry_by_dumps(q) && is_assumed(q, circle))
		blame_nobody(draft);
	find_waiting(q, part, draft);
	open = !better && (is_mixed(q, circle) || may_lack_sends(q, circle));
	if (open)
		blame_nobody(draft);
	if (!better || !(better->traits & AWAY_ENDS))
		tell_order(q, circle, draft);
	tell_edges(q, circle, draft);
	if (by_habit)
		draft_fact_of(q, draft, FACT_BY_HABIT, &draft->culprits, inquiry_cite_all(q));
	if (open)
		draft_fact(q, draft, FACT_UNALIGNED, NO_RANK, inquiry_cite_all(q));
}

/* A group that went different ways is judged as that: other orders only follow from it. */
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
		if (!write_pair_fault(q, part, &circle) && !write_left_group(q, part, &circle) &&
			!(circle.camps == 1 && unmet_write(q, part)) && circle.camps > 1)
			write_finding(q, part, &circle);
		array_release(&circle.holders);
	}
	free(seen);
}
