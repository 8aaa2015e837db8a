/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class graph-divergence: ranks compiled different graphs, and their operations differ. Different
 * graphs alone are no finding, since many jobs lawfully compile them. They explain a fork, or that
 * a rank is done with its work while the others wait for more of it.
 */
#include "job/compiles.h"
#include "verdict/rule.h"
#include "verdict/shards/shards.h"

/*
 * Returns the graphs that all of a camp compiled; none where they differ or those of one are
 * unknown.
 */
static struct compiled_graphs graphs_of_camp(
	const struct inquiry *q, const struct fork_camp *camp)
{
	struct compiled_graphs first = {0};

	for (size_t i = 0; i < camp->n; i++) {
		struct rank_index rank = q->job->members[camp->members[i]].rank;
		struct compiled_graphs own = {0};
		struct graph_difference difference;

		if (is_rank(rank))
			own = compiles_graphs(q->job, rank);
		if (!i) {
			first = own;
			continue;
		}
		if (!own.n || compiles_differ(&first, &own, &difference))
			compiles_release(&first);
		compiles_release(&own);
	}
	return first;
}

/*
 * Returns a side's graph as a thing; one that it did not compile is named by the id that the other
 * side's has.
 */
static const struct verdict_thing *thing_of(
	struct inquiry *q, const struct compiled_graph *graph, const struct compiled_graph *other)
{
	const struct compiled_graph *named = graph ? graph : other;
	bool numbered = compiles_graph_id(named->span) != NULL;

	return draft_thing(q, (struct verdict_thing){.kind = THING_GRAPH,
				     .name = numbered || !graph ? named->id : "",
				     .text = graph ? graph->identity : NULL});
}

/* Adds in which graph two sides differ first. */
static void tell_difference(struct inquiry *q, const struct graph_difference *difference,
	const struct rank_list *who, struct draft *draft)
{
	const struct compiled_graph *mine = difference->mine, *theirs = difference->theirs;
	const char *cite = mine ? mine->span->cite : "ring:*";
	struct verdict_fact *fact = draft_fact_of(q, draft, FACT_GRAPH, who, cite);

	fact->thing = thing_of(q, mine, theirs);
	fact->thing2 = thing_of(q, theirs, mine);
}

/*
 * True if the graphs of two camps are known and differ; adds where they do first, if there is a
 * draft.
 */
static bool camps_differ(struct inquiry *q, const struct fork_camp *camp,
	const struct fork_camp *others, const struct rank_list *who, struct draft *draft)
{
	struct compiled_graphs mine = graphs_of_camp(q, camp), theirs = graphs_of_camp(q, others);
	struct graph_difference difference;
	bool differ = compiles_differ(&mine, &theirs, &difference);

	if (differ && draft)
		tell_difference(q, &difference, who, draft);
	compiles_release(&mine);
	compiles_release(&theirs);
	return differ;
}

void fork_tell_graphs(struct inquiry *q, const struct fork *fork, size_t camp, struct draft *draft)
{
	camps_differ(q, &fork->camps[camp], &fork->camps[camp ? 0 : 1], &draft->culprits, draft);
}

bool is_graphs_fork(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	if (!camps_differ(q, &fork->camps[1], &fork->camps[0], NULL, NULL))
		return false;
	draft->verdict.confidence = fork->exact ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_COMPARE_GRAPHS;
	fork_share_out(q, fork, fork_minority(fork), draft);
	fork_tell_first(q, fork, draft);
	camps_differ(q, &fork->camps[1], &fork->camps[0],
		draft->culprits.list.nr ? &draft->culprits : &draft->camp_b, draft);
	fork_tell_camps(q, fork, draft);
	return true;
}

/* -- a rank that is done, having issued less ------------------------------------------------- */

/* Finds the first difference to the graphs of a rank that waits; false: there is none. */
static bool differs_from_waiting(const struct inquiry *q, struct rank_index rank,
	struct compiled_graphs *mine, struct compiled_graphs *theirs, struct graph_difference *ret)
{
	*mine = compiles_graphs(q->job, rank);
	*theirs = (struct compiled_graphs){0};
	for (struct rank_index at = {0}; mine->n && job_has_rank(q->job, at) && !theirs->n; at.i++)
		if (!same_rank(at, rank) && inquiry_longest_wait(q, at))
			*theirs = compiles_graphs(q->job, at);
	return compiles_differ(mine, theirs, ret);
}

void tell_graphs(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	struct compiled_graphs mine, theirs;
	struct graph_difference difference;
	struct rank_list who = {0};

	rank_list_add(&who, rank);
	if (differs_from_waiting(q, rank, &mine, &theirs, &difference))
		tell_difference(q, &difference, &who, draft);
	array_release(&who.list);
	compiles_release(&mine);
	compiles_release(&theirs);
}

/* True if the rank did as much as all others, so far as marks tell. */
static bool did_as_much(const struct inquiry *q, struct rank_index rank)
{
	struct amount batches = shards_batches(q, rank), steps = shards_steps(q, rank);

	if (!batches.known && !steps.known)
		return false;
	return (!batches.known ||
		       (batches.mine == batches.least && batches.mine == batches.most)) &&
	       (!steps.known || (steps.mine == steps.least && steps.mine == steps.most));
}

/*
 * A rank that is done with as many batches as the others, who still wait for it: if it compiled
 * other graphs, it issued fewer operations by them.
 */
bool explains_other_graphs(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];
	struct compiled_graphs mine, theirs;
	struct graph_difference difference;
	bool differ;

	if (p->empty_once || !shards_has_left(p) || !did_as_much(q, rank))
		return false;
	differ = differs_from_waiting(q, rank, &mine, &theirs, &difference);
	compiles_release(&mine);
	compiles_release(&theirs);
	if (!differ)
		return false;
	why->confidence = VERDICT_SUPPORTED;
	why->outlook = VERDICT_KILL;
	why->cause = p->death == DEATH_CLEAN ? VERDICT_BY_EARLY_EXIT : VERDICT_NO_CAUSE;
	why->next = VERDICT_NEXT_COMPARE_GRAPHS;
	why->left = true;
	return true;
}
