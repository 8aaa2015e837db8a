/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds who waits for what a finding is about, and adds the facts about that which all findings
 * have in common.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/rollcall.h"
#include "verdict/rule.h"

/*
 * Returns a flag per node: these ranks have long waited in it, each in its longest wait; to be
 * freed.
 */
static bool *nodes_of(const struct inquiry *q, const struct rank_list *ranks)
{
	bool *nodes = alloc_zeroed(q->graph->nnodes + 1, sizeof(*nodes));

	for (size_t i = 0; i < ranks->list.nr; i++) {
		const struct wait *wait = inquiry_longest_wait(q, ranks->list.items[i]);

		if (wait)
			nodes[q->graph->node_of_wait[wait - q->waits->at]] = true;
	}
	return nodes;
}

/* Returns the wait of a rank in one of these nodes, however short; NULL. */
static const struct wait *wait_in(
	const struct inquiry *q, struct rank_index rank, const bool *nodes)
{
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++)
		if (nodes[q->graph->node_of_wait[i]] &&
			(q->waits->at[i].sure || q->waits->at[i].held))
			return &q->waits->at[i];
	return NULL;
}

/*
 * Adds as victims ranks in the same operation in which victims have long waited, however short
 * their own wait is: they came later, or were ended sooner.
 */
static void add_fellows(struct inquiry *q, struct draft *draft)
{
	bool *nodes = nodes_of(q, &draft->victims);

	job_for_each_rank(q->job, rank)
		if (!rank_list_has(&draft->culprits, rank) &&
			!rank_list_has(&draft->victims, rank) && wait_in(q, rank, nodes))
			rank_list_add(&draft->victims, rank);
	free(nodes);
}

void find_victims(struct inquiry *q, const bool *marked, struct draft *draft)
{
	bool *victims = alloc_zeroed(q->job->nranks + 1, sizeof(*victims));

	waitfor_victims(q->graph, &q->given, marked, victims);
	job_for_each_rank(q->job, rank)
		if (victims[rank.i] && !rank_list_has(&draft->culprits, rank))
			rank_list_add(&draft->victims, rank);
	free(victims);
	add_fellows(q, draft);
}

void find_victims_of_part(struct inquiry *q, int part, struct draft *draft)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));

	for (size_t i = 0; i < q->graph->nnodes; i++)
		marked[i] =
			q->graph->nodes[i].part == part && q->graph->nodes[i].kind != WAITFOR_RANK;
	find_victims(q, marked, draft);
	free(marked);
}

/* -- where they wait --------------------------------------------------------------------------- */

/* True if the wait is in something that others may wait in, too. */
static bool has_place(const struct wait *wait)
{
	return wait && !waits_is_told(wait) &&
	       (wait->member != JOB_NONE || wait->kind == WAIT_STORE);
}

/* True if two waits are for the same. At a fork there are different ops at one index. */
static bool same_place(const struct inquiry *q, const struct wait *a, const struct wait *b)
{
	if (!has_place(a) || !has_place(b) || a->kind != b->kind || a->index != b->index)
		return false;
	if (a->kind == WAIT_STORE)
		return strcmp(a->key, b->key) == 0;
	if (q->job->members[a->member].group != q->job->members[b->member].group)
		return false;
	if (a->kind == WAIT_P2P && a->peer != b->peer)
		return false;
	return !a->op || !b->op || a->op->sig.op == b->op->sig.op;
}

/* True if the wait is for an id that seat 0 of its group has to give. */
static bool is_for_id(const struct inquiry *q, const struct wait *wait)
{
	return wait->kind == WAIT_INIT &&
	       rollcall_is_bootstrap(&q->job->groups[q->job->members[wait->member].group]);
}

/* Fills in what is waited in, where, and for how long; of P2P also for whom. */
static void fill_wait_fact(
	struct inquiry *q, const struct wait *wait, int64_t age, struct verdict_fact *fact)
{
	const struct job_member *m =
		wait->member == JOB_NONE ? NULL : &q->job->members[wait->member];

	fact->b = age;
	if (m)
		fact->text2 = q->job->groups[m->group].name;
	if (wait->kind == WAIT_COLLECTIVE) {
		fact->text = inquiry_op_name(wait->op);
		fact->a = (int64_t)wait->index;
	} else if (wait->kind == WAIT_SPLIT) {
		fact->text = "CommSplit";
		fact->a = (int64_t)wait->index;
	} else if (waits_is_for(wait, WAITS_FOR_STORE) || waits_is_for(wait, WAITS_FOR_RANKS)) {
		fact->text = q->job->threads[wait->thread].detail;
	} else if (wait->kind == WAIT_STORE && !waits_in_some_init(wait)) {
		fact->text = wait->key;
	} else if (wait->kind == WAIT_P2P) {
		struct rank_index peer = q->job->members[wait->peer].rank;

		fact->text = inquiry_op_name(wait->op);
		if (is_rank(peer))
			fact->a = job_rank(q->job, peer)->world_rank.n;
	}
}

/* Returns the kind of fact that tells of such a wait. */
static enum verdict_fact_kind kind_of_wait(const struct inquiry *q, const struct wait *wait)
{
	static const enum verdict_fact_kind kinds[] = {
		[WAIT_COLLECTIVE] = FACT_WAITS_IN_OP,
		[WAIT_P2P] = FACT_WAITS_FOR_PEER,
		[WAIT_SPLIT] = FACT_WAITS_IN_OP,
		[WAIT_INIT] = FACT_WAITS_IN_INIT,
		[WAIT_STORE] = FACT_WAITS_IN_STORE,
		[WAIT_SYNC] = FACT_NONE,
		[WAIT_CLOSE] = FACT_NONE,
		[WAIT_OTHER] = FACT_NONE,
	};

	if (waits_in_some_init(wait))
		return FACT_WAITS_IN_INIT;
	if (waits_is_for(wait, WAITS_FOR_STORE))
		return FACT_WAITS_FOR_STORE;
	if (waits_is_for(wait, WAITS_FOR_RANKS))
		return FACT_WAITS_FOR_RANKS;
	return is_for_id(q, wait) ? FACT_WAITS_FOR_ID : kinds[wait->kind];
}

/* Adds one fact for all victims that wait at the same place. */
static void tell_place(struct inquiry *q, struct draft *draft, const struct wait *place,
	const struct wait *const *waits)
{
	struct rank_list ranks = {0};
	int64_t age = JOB_UNKNOWN;
	struct verdict_fact *fact;
	size_t n = draft->victims.list.nr;

	for (size_t i = 0; i < n; i++) {
		if (!same_place(q, place, waits[i]))
			continue;
		rank_list_add(&ranks, draft->victims.list.items[i]);
		age = waits[i]->age > age ? waits[i]->age : age;
	}
	fact = draft_fact_of(q, draft, kind_of_wait(q, place), &ranks, place->cite);
	fill_wait_fact(q, place, age, fact);
	if (place->op && *place->op->place)
		draft_fact_of(q, draft, FACT_CALLED_AT, &ranks, place->cite)->text =
			place->op->place;
	array_release(&ranks.list);
}

/* True if an earlier victim waits at the same place, which was told then. */
static bool told_before(const struct inquiry *q, const struct wait *const *waits, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_place(q, waits[i], waits[at]))
			return true;
	return false;
}

void tell_victims(struct inquiry *q, struct draft *draft)
{
	size_t n = draft->victims.list.nr, places = 0;
	const struct wait **waits = alloc_zeroed(n + 1, sizeof(*waits));
	bool *nodes = nodes_of(q, &draft->victims);

	for (size_t i = 0; i < n; i++) {
		waits[i] = inquiry_longest_wait(q, draft->victims.list.items[i]);
		if (!waits[i])
			waits[i] = wait_in(q, draft->victims.list.items[i], nodes);
	}
	for (size_t i = 0; i < n && places < 6; i++) {
		if (!has_place(waits[i]) || told_before(q, waits, i))
			continue;
		tell_place(q, draft, waits[i], waits);
		places++;
	}
	free(nodes);
	free(waits);
	stacks_tell_waiters(q, draft);
}
