/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/unmet.h"

#include "job/message-index.h"
#include "job/names.h"
#include "verdict/rule.h"

/*
 * Returns the call of another tag in which the peer waits for this rank, and to which nobody came
 * either; NULL.
 */
static const struct job_op *find_other_tag(const struct inquiry *q, const struct wait *wait)
{
	struct rank_index peer = q->job->members[wait->peer].rank;

	for (size_t i = q->waits->first[peer.i]; i < q->waits->first[peer.i + 1]; i++) {
		const struct wait *other = &q->waits->at[i];

		if (other->kind == WAIT_P2P && other->held && other->op && wait->op->tagged &&
			other->member == wait->peer && other->peer == wait->member &&
			other->op->sig.op != wait->op->sig.op && other->op->tagged &&
			other->op->tag != wait->op->tag && other->lacking)
			return other->op;
	}
	return NULL;
}

/*
 * Returns a wait in that part of the graph whose peer has not made the call; if `crossed`, one to
 * which the peer answers with another tag; NULL.
 */
static const struct wait *find_lacking(const struct inquiry *q, int part, bool crossed)
{
	for (size_t i = 0; i < q->graph->nnodes; i++) {
		const struct waitfor_node *node = &q->graph->nodes[i];
		const struct wait *wait =
			node->kind == WAITFOR_PAIR ? &q->waits->at[node->wait] : NULL;

		if (wait && node->part == part && wait->lacking && wait->op &&
			is_rank(q->job->members[wait->peer].rank) &&
			(!crossed || (wait->held && find_other_tag(q, wait))))
			return wait;
	}
	return NULL;
}

/* Returns how often the peer made that call towards the rank that waits. */
static uint64_t count_calls(const struct inquiry *q, const struct wait *wait, uint8_t op)
{
	return message_last(&q->job->members[wait->peer], op, q->job->members[wait->member].seat);
}

/* Adds what the peer did not call. If it made as many calls, they may be of other tags. */
static void tell_lacking(struct inquiry *q, const struct wait *wait, struct draft *draft)
{
	const struct job_member *peer = &q->job->members[wait->peer];
	uint8_t op = wait->op->sig.op == JOB_OP_SEND ? JOB_OP_RECV : JOB_OP_SEND;
	uint64_t calls = count_calls(q, wait, op);
	struct verdict_fact *fact =
		draft_fact(q, draft, FACT_MADE_NO_CALL, peer->rank, peer->cite);

	fact->text = job_op_name(op);
	fact->a = (int64_t)wait->index;
	fact->b = job_rank(q->job, wait->rank)->world_rank.n;
	fact->c = calls < wait->index ? (int64_t)calls : 0;
}

static void tell_tags(struct inquiry *q, const struct wait *wait, const struct job_op *other,
	struct draft *draft)
{
	struct rank_index peer = q->job->members[wait->peer].rank;
	struct verdict_fact *fact =
		draft_fact(q, draft, FACT_TAGS_DIFFER, wait->rank, wait->cite);

	fact->text = job_op_name(wait->op->sig.op);
	fact->text2 = job_op_name(other->sig.op);
	fact->a = job_rank(q->job, peer)->world_rank.n;
	fact->b = (int64_t)wait->op->tag;
	fact->c = (int64_t)other->tag;
}

static struct draft *draft_unmet(struct inquiry *q, const struct wait *wait)
{
	const struct job_member *peer = &q->job->members[wait->peer];
	struct draft *draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);

	draft->verdict.next = VERDICT_NEXT_COMPARE_CALL_SITES;
	draft->verdict.group = peer->group;
	draft->verdict.op = wait->op->sig;
	draft->verdict.op_index = wait->index;
	rank_list_add(&draft->camp_a, peer->rank);
	rank_list_add(&draft->camp_b, wait->rank);
	return draft;
}

static struct draft *draft_lacking(struct inquiry *q, const struct wait *wait, int part)
{
	struct draft *draft = draft_unmet(q, wait);

	draft->verdict.confidence =
		inquiry_by_dumps(q) ? VERDICT_HYPOTHESIS : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	find_victims_of_part(q, part, draft);
	return draft;
}

bool unmet_write(struct inquiry *q, int part)
{
	const struct wait *wait = find_lacking(q, part, false);
	struct draft *draft;

	if (!wait)
		return false;
	draft = draft_lacking(q, wait, part);
	tell_lacking(q, wait, draft);
	draft_fact(q, draft, FACT_UNALIGNED, NO_RANK, inquiry_cite_all(q));
	return true;
}

bool unmet_write_crossed(struct inquiry *q, int part)
{
	const struct wait *wait = find_lacking(q, part, true);

	if (!wait)
		return false;
	tell_tags(q, wait, find_other_tag(q, wait), draft_lacking(q, wait, part));
	return true;
}

void unmet_write_tags(struct inquiry *q, const struct wait *wait, const bool *marked)
{
	struct draft *draft = draft_unmet(q, wait);
	int group = q->job->members[wait->member].group;

	draft->verdict.confidence = VERDICT_HYPOTHESIS;
	find_victims(q, marked, draft);
	draft_fact(q, draft, FACT_TAGS_UNSEEN, NO_RANK, q->job->groups[group].cite);
}
