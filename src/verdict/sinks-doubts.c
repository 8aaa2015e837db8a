/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a finding of sinks may be less sure than its reasons: others only seem to lack the rank, what
 * it did may be among what was lost, most of its group was not seen, or a suspect that moves may
 * wait for another one.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "job/messages.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "verdict/judge.h"
#include "verdict/sinks.h"

/*
 * Marks the ranks, by index, that others are known to lack; or, if `guessed`, are guessed to lack.
 * The caller frees the marks.
 */
static bool *find_lacked(const struct inquiry *q, bool guessed)
{
	const struct waitfor *graph = q->graph;
	bool *lacked = alloc_zeroed(q->job->nranks + 1, sizeof(*lacked));

	for (size_t i = 0; i < graph->nnodes; i++) {
		const struct waitfor_node *node = &graph->nodes[i];

		if (node->kind == WAITFOR_RANK || node->guessed != guessed ||
			node->reached == JOB_UNKNOWN)
			continue;
		for (size_t e = graph->first_edge[i]; e < graph->first_edge[i + 1]; e++)
			if ((size_t)graph->edges[e] < q->job->nranks)
				lacked[graph->edges[e]] = true;
	}
	return lacked;
}

/*
 * True if the rank has no dump, and is known to have died of itself: then it does not rest on dumps
 * that it is away. One that left a dump lived on when the others waited.
 */
static bool died_undumped(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	return !p->readable && (p->death == DEATH_OWN || p->death == DEATH_KILLED);
}

/* Makes a finding a hypothesis if others only seem to lack one of its ranks. */
static void cap_by_guess(struct inquiry *q, struct draft *draft)
{
	const struct rank_list *late = draft->culprits.list.nr ? &draft->culprits : &draft->camp_a;
	bool *known = find_lacked(q, false), *guessed = find_lacked(q, true);
	bool by_dumps = inquiry_by_dumps(q);

	for (size_t i = 0; i < late->list.nr; i++) {
		struct rank_index rank = late->list.items[i];

		if (known[rank.i] || !(by_dumps || guessed[rank.i]) || died_undumped(q, rank))
			continue;
		if (by_dumps)
			draft_fact(q, draft, FACT_ONLY_IDLE, rank, inquiry_cite_all(q));
		draft_at_most(draft, VERDICT_HYPOTHESIS);
	}
	free(known);
	free(guessed);
}

/* True if the rank's dump tells that it waits in nothing. */
static bool idles(const struct inquiry *q, struct rank_index rank)
{
	return q->profiles[rank.i].readable && !q->profiles[rank.i].ended &&
	       q->waits->first[rank.i] == q->waits->first[rank.i + 1];
}

/*
 * Makes a finding a hypothesis if dumps show that other ranks wait in nothing, too, and nobody
 * waits for those: it may be well for a rank to be where it is, and whoever waits for it has called
 * too much, or left something out.
 */
static void cap_by_idle(struct inquiry *q, const struct reason *why, struct draft *draft)
{
	struct rank_list others = {0};

	job_for_each_rank(q->job, rank)
		if (idles(q, rank) && !q->wanted[rank.i])
			rank_list_add(&others, rank);
	rank_list_settle(&others);
	if (inquiry_by_dumps(q) && why->by_absence && draft->culprits.list.nr &&
		others.list.nr) {
		draft_fact_of(q, draft, FACT_IDLE_TOO, &others, inquiry_cite_all(q));
		draft_at_most(draft, VERDICT_HYPOTHESIS);
	}
	array_release(&others.list);
}

/*
 * True if another rank than that late one stands in a message to, or from, the rank that waits here
 * for one of the late rank, and that one has not made its side of it: which of the two is its peer,
 * they do not agree.
 */
static bool is_sought_by_another(
	const struct inquiry *q, const struct wait *wait, struct rank_index late)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *other = &q->waits->at[i];

		if (other->kind == WAIT_P2P && other->op && other->peer == wait->member &&
			!other->perhaps && !same_rank(other->rank, late) &&
			(other->op->sig.op == JOB_OP_RECV) != (wait->op->sig.op == JOB_OP_RECV) &&
			message_came(q->job, other->member, other->op) != JOB_YES)
			return true;
	}
	return false;
}

/* True if all who wait for the rank do so for its first message with them, and are disputed. */
static bool is_disputed(const struct inquiry *q, struct rank_index rank)
{
	bool disputed = false;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind != WAIT_P2P || wait->peer == JOB_NONE || wait->perhaps ||
			!same_rank(q->job->members[wait->peer].rank, rank))
			continue;
		if (!wait->op || wait->index != 1 || !is_sought_by_another(q, wait, rank))
			return false;
		disputed = true;
	}
	return disputed;
}

/*
 * Makes a finding a hypothesis if only one's word tells that the late rank is to send or receive
 * something, these two have never exchanged anything like it, and another rank stands there for the
 * same one: that may have named the wrong peer.
 */
static void cap_by_dispute(const struct inquiry *q, const struct reason *why, struct draft *draft)
{
	const struct job_member *seat = NULL;

	for (size_t i = 0; why->by_absence && i < draft->culprits.list.nr; i++)
		if (!sinks_wait_for(q, draft, draft->culprits.list.items[i], &seat) &&
			is_disputed(q, draft->culprits.list.items[i]))
			draft_at_most(draft, VERDICT_HYPOTHESIS);
}

/*
 * Makes a finding about keys of a store supported at most: the rank that has to set a key is
 * guessed from who is missing.
 */
static void cap_by_store(const struct inquiry *q, struct draft *draft)
{
	for (size_t i = 0; i < draft->victims.list.nr; i++) {
		const struct wait *wait = inquiry_longest_wait(q, draft->victims.list.items[i]);

		if (wait && !waits_is_told(wait) &&
			(wait->kind != WAIT_STORE || waits_is_for(wait, WAITS_FOR_STORE) ||
				waits_is_for(wait, WAITS_FOR_RANKS)))
			return;
	}
	if (draft->victims.list.nr)
		draft_at_most(draft, VERDICT_SUPPORTED);
}

/*
 * True if a dump tells how far the rank came, and stacks that somebody printed once tell where it
 * was.
 */
static bool was_glimpsed(const struct inquiry *q, struct rank_index rank)
{
	return job_rank(q->job, rank)->knows == (JOB_KNOWS_DUMP | JOB_KNOWS_STACKS);
}

/*
 * Makes a finding less sure if ops of its ranks may be among what was lost: it rests on their never
 * having come.
 */
static void downgrade_by_losses(struct inquiry *q, const struct reason *why, struct draft *draft)
{
	const struct rank_list *late = draft->culprits.list.nr ? &draft->culprits : &draft->camp_a;
	struct verdict_fact *fact;

	for (size_t i = 0; i < late->list.nr; i++) {
		struct rank_index rank = late->list.items[i];

		if (!inquiry_lost_ops(q, rank) || !(why->by_absence || was_glimpsed(q, rank)))
			continue;
		fact = draft_fact(q, draft, FACT_LOST, rank, "losses");
		if (job_rank(q->job, rank)->lost_records > 0)
			fact->a = job_rank(q->job, rank)->lost_records;
		if (draft->verdict.confidence > VERDICT_HYPOTHESIS)
			draft->verdict.confidence--;
		return;
	}
}

/*
 * Returns how many members are unseen in the groups in which these ranks are waited for: the most
 * of any.
 */
static size_t unseen_beside(const struct inquiry *q, const struct draft *draft)
{
	size_t most = 0;

	for (size_t i = 0; i < draft->culprits.list.nr && i < TOLD_CULPRITS; i++) {
		const struct job_member *seat = NULL;
		size_t n = 0;

		if (sinks_wait_for(q, draft, draft->culprits.list.items[i], &seat))
			n = inquiry_unseen_members(q, seat->group);
		most = n > most ? n : most;
	}
	return most;
}

/*
 * Makes a finding a hypothesis if the late rank may be one of most of its group, which nobody saw:
 * then whoever waits is the odd one.
 */
static void downgrade_by_unseen(struct inquiry *q, const struct reason *why, struct draft *draft)
{
	size_t absent = draft->culprits.list.nr, waiting = draft->victims.list.nr, unseen;

	if (!absent || !waiting || !(why->progresses || why->by_absence))
		return;
	unseen = unseen_beside(q, draft);
	if (!unseen || absent + unseen <= waiting)
		return;
	if (unseen < ROLLCALL_ANY_NUMBER)
		draft_fact(q, draft, FACT_UNSEEN_MEMBERS, NO_RANK, inquiry_cite_all(q))->a =
			(int64_t)unseen;
	else
		draft_fact(q, draft, FACT_UNSIZED_GROUP, NO_RANK, inquiry_cite_all(q));
	draft_at_most(draft, VERDICT_HYPOTHESIS);
}

/*
 * True if some suspects are known to stay away since the others wait, while other suspects may have
 * come meanwhile: one finding names them together, as a guess.
 */
static bool are_looks_mixed(const struct inquiry *q, const struct suspect *from, size_t n)
{
	size_t since = 0, lasting = 0;

	for (size_t i = 0; i < n; i++) {
		lasting += (from[i].away->traits & AWAY_LASTS) != 0;
		since += inquiry_look(q, from[i].rank) == LOOKED_SINCE;
	}
	return !lasting && since && since < n;
}

void sinks_doubt(struct inquiry *q, const struct suspect *from, size_t n, bool blamed,
	struct draft *draft)
{
	cap_by_store(q, draft);
	if (blamed) {
		cap_by_guess(q, draft);
		cap_by_idle(q, &from->why, draft);
		cap_by_dispute(q, &from->why, draft);
	}
	downgrade_by_losses(q, &from->why, draft);
	downgrade_by_unseen(q, &from->why, draft);
	if (are_looks_mixed(q, from, n))
		draft_at_most(draft, VERDICT_HYPOTHESIS);
}

bool sinks_may_follow(const struct suspect *late, const struct suspects *all)
{
	const struct suspect *other;

	if (late->why.class != VERDICT_SLOW)
		return false;
	array_for_each(&all->list, other)
		if (other->why.class != VERDICT_SLOW)
			return true;
	return false;
}
