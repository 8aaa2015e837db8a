/* SPDX-License-Identifier: Apache-2.0 */
/* Class uneven-shard: a send and its receive are of different amounts. */
#include "verdict/shards/uneven-pairs.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "job/backends.h"
#include "job/messages.h"
#include "verdict/rule.h"

/* Returns the other side of the message that is waited for; NULL where it is not known. */
static const struct job_op *other_side(const struct inquiry *q, const struct wait *wait)
{
	return wait->op ? message_met(q->job, wait->member, wait->op) : NULL;
}

/*
 * True if both sides gave different amounts, in elements of one type: of different types the bytes
 * may yet be the same. Amounts do not differ where a receive only says how much it has room for, or
 * where the two may be of different messages.
 */
static bool amounts_differ(
	const struct inquiry *q, const struct wait *wait, const struct job_op *met)
{
	int group = q->job->members[wait->member].group;

	return met && !backend_has(q->job->groups[group].maker, BACKEND_UPTO) &&
	       message_is_sure(q->job, wait->member, wait->op) &&
	       met->sig.dtype == wait->op->sig.dtype && met->sig.count != wait->op->sig.count &&
	       met->sig.count != JOB_NO_COUNT && wait->op->sig.count != JOB_NO_COUNT;
}

/* Writes a pair whose amounts differ: two camps, since nobody can tell which of them is right. */
static void write_uneven_pair(
	struct inquiry *q, const struct wait *wait, const struct job_op *met, const bool *marked)
{
	struct draft *draft = inquiry_draft(q, VERDICT_UNEVEN_SHARD);
	const struct job_member *peer = &q->job->members[wait->peer];
	struct verdict_fact *fact;

	draft->verdict.confidence = VERDICT_ESTABLISHED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_COUNTS;
	draft->verdict.group = peer->group;
	rank_list_add(&draft->camp_a, wait->rank);
	if (is_rank(peer->rank))
		rank_list_add(&draft->camp_b, peer->rank);
	find_victims(q, marked, draft);
	fact = draft_fact(q, draft, FACT_UNEVEN_PAIR, wait->rank, wait->cite);
	fact->text = inquiry_op_name(wait->op);
	fact->a = (int64_t)wait->op->sig.count;
	fact->text2 = inquiry_op_name(met);
	fact->b = (int64_t)met->sig.count;
}

bool judge_uneven_pairs(struct inquiry *q)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));
	const struct job_op *met = NULL;
	const struct wait *uneven = NULL;

	for (size_t i = 0; i < q->graph->nnodes; i++) {
		const struct waitfor_node *node = &q->graph->nodes[i];
		const struct wait *wait = node->wait < 0 ? NULL : &q->waits->at[node->wait];

		if (node->kind != WAITFOR_PAIR || node->reached == JOB_UNKNOWN)
			continue;
		marked[i] = true;
		if (uneven || !amounts_differ(q, wait, other_side(q, wait)))
			continue;
		uneven = wait;
		met = other_side(q, wait);
	}
	if (uneven)
		write_uneven_pair(q, uneven, met, marked);
	free(marked);
	return uneven;
}
