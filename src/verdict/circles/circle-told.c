/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a circle: who is in what, for whom, and in which order. */
#include "job/names.h"
#include "verdict/circles/circle.h"
#include "verdict/rule.h"

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
	waitfor_each_wait(q->graph, node, i) {
		const struct wait *wait = &q->waits->at[q->graph->waits_at[i]];

		if (!wait->op)
			continue;
		thing.sig = wait->op->sig;
		thing.index = wait->index;
		break;
	}
	if (n->kind == WAITFOR_LOCK)
		thing.name = q->waits->at[n->wait].key;
	else if (n->group != JOB_NONE)
		thing.name = q->job->groups[n->group].name;
	return draft_thing(q, thing);
}

/* Returns a rank of the circle that this node waits for; NO_RANK. */
static struct rank_index someone_awaited(const struct inquiry *q, int node)
{
	const struct waitfor *graph = q->graph;

	for (size_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
		int to = graph->edges[e];

		if (graph->nodes[to].kind <= WAITFOR_THREAD &&
			graph->nodes[to].part == graph->nodes[node].part)
			return graph->nodes[to].rank;
	}
	return NO_RANK;
}

/* Returns the cite that says that this rank waits. */
static const char *cite_of_wait(const struct inquiry *q, struct rank_index rank)
{
	const struct wait *wait = inquiry_longest_wait(q, rank);

	return wait ? wait->cite : "ring";
}

/*
 * Adds where in the program a rank of the circle stands, by its stack; where the call itself was
 * recorded with its place, that is told elsewhere.
 */
static void tell_site(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct wait *wait = inquiry_longest_wait(q, rank);

	if (activities_waits(q->profiles[rank.i].posture.activity) &&
		!(wait && wait->op && *wait->op->place) && !(wait && waits_is_told(wait)))
		stacks_tell(q, rank, draft);
}

/* Launches tell it by their order (circle_tell_order()). */
void circle_tell_edges(struct inquiry *q, const struct circle *circle, struct draft *draft)
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

void circle_tell_likes(
	struct inquiry *q, const struct circle_likes *likes, struct draft *draft)
{
	struct verdict_fact *fact = draft_fact_of(
		q, draft, FACT_LIKE_ORDER, &likes->ranks, inquiry_cite_all(q));

	fact->thing2 = thing_of(q, likes->node, NO_RANK);
	fact->text = q->job->groups[likes->group].name;
	fact->a = (int64_t)likes->before;
}

/*
 * Returns the node that holds all ranks of a list that are in the circle; JOB_NONE: several nodes
 * do.
 */
static int node_of_all(const struct circle *circle, const struct rank_list *list)
{
	const struct holder *holder;
	int node = JOB_NONE;

	array_for_each(&circle->holders, holder) {
		if (!rank_list_has(list, holder->rank))
			continue;
		if (node != JOB_NONE && node != holder->node)
			return JOB_NONE;
		node = holder->node;
	}
	return node;
}

/* Returns a node of the circle that is not this one; the largest camp's, if it may be. */
static int node_beside(const struct circle *circle, int node)
{
	const struct holder *holder;

	if (circle->holders.items[circle->largest].node != node)
		return circle->holders.items[circle->largest].node;
	array_for_each(&circle->holders, holder)
		if (holder->node != node)
			return holder->node;
	return JOB_NONE;
}

/* True if a rank of the list took no order (struct holder). */
static bool holds_apart(const struct circle *circle, const struct rank_list *list)
{
	const struct holder *holder;

	array_for_each(&circle->holders, holder)
		if (holder->apart && rank_list_has(list, holder->rank))
			return true;
	return false;
}

/* True if who is at that node launched its operation before another one of the circle. */
static bool is_launched(const struct circle *circle, int node)
{
	const struct holder *holder;

	array_for_each(&circle->holders, holder)
		if (holder->node == node && holder->launched)
			return true;
	return false;
}

void circle_tell_order(struct inquiry *q, const struct circle *circle, struct draft *draft)
{
	const struct rank_list *who =
		draft->culprits.list.nr ? &draft->culprits : &draft->camp_b;
	int node = node_of_all(circle, who), beside = node_beside(circle, node);
	bool creations = circle_is_of_creations(q, circle);
	struct verdict_fact *fact;

	/*
	 * In a circle of more than two, nobody has the order that another one turned round; and a
	 * rank that is in one of the groups alone took none.
	 */
	if (circle->camps > 2 || node == JOB_NONE || beside == JOB_NONE ||
		holds_apart(circle, who))
		return;
	/* The edges say all about sends and receives. */
	if (q->graph->nodes[beside].kind == WAITFOR_PAIR || circle_is_mixed(q, circle) ||
		circle_is_of_a_lock(q, circle))
		return;
	fact = draft_fact_of(q, draft,
		creations	      ? FACT_OTHER_ID
		: circle->of_launches		? FACT_ORDER
		: is_launched(circle, beside) ? FACT_ORDER_SKIPPED
					      : FACT_ORDER_OPEN,
		who, inquiry_cite_all(q));
	fact->thing = thing_of(q, node, NO_RANK);
	fact->thing2 = thing_of(q, beside, NO_RANK);
}
