/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/circles/own-seats.h"

#include "job/rollcall.h"
#include "verdict/rule.h"

/* Returns the only operation that ranks of the part wait in; NULL: there are several, or none. */
static const struct waitfor_node *only_op(const struct inquiry *q, int part)
{
	const struct waitfor_node *op = NULL;

	for (size_t i = 0; i < q->graph->nnodes; i++) {
		const struct waitfor_node *node = &q->graph->nodes[i];

		if (node->part != part || node->kind <= WAITFOR_THREAD ||
			node->kind == WAITFOR_EARLIER)
			continue;
		if (op || node->kind != WAITFOR_OP)
			return NULL;
		op = node;
	}
	return op;
}

/* Returns another seat of the same rank in the group that has come so far; NULL: there is none. */
static const struct job_member *came_with(
	const struct inquiry *q, const struct job_member *absent, uint64_t index)
{
	by_rank_each(&q->seats, absent->rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];

		if (m->group == absent->group && m != absent &&
			rollcall_of(q->job, m, index) >= ROLL_HERE)
			return m;
	}
	return NULL;
}

/* Names the rank of a seat that has not come, if another seat of that rank has. */
static void blame(struct inquiry *q, const struct job_member *absent,
	const struct waitfor_node *op, struct draft *draft)
{
	const struct job_member *other =
		is_rank(absent->rank) ? came_with(q, absent, op->index) : NULL;
	struct verdict_fact *fact;

	if (!other)
		return;
	rank_list_add(&draft->culprits, absent->rank);
	fact = draft_fact(q, draft, FACT_NEVER_ENTERED, absent->rank, absent->cite);
	fact->text = inquiry_op_name(rollcall_op(other, op->index));
	fact->text2 = q->job->groups[op->group].name;
	fact->a = (int64_t)op->index;
	fact->b = (int64_t)absent->head;
	draft_fact(q, draft, FACT_CAME_IN_PART, absent->rank, other->cite);
}

/* True if some seat of the group lacks that operation, while another one of its rank has it. */
static bool is_split(const struct inquiry *q, const struct waitfor_node *op)
{
	const struct job_group *g = &q->job->groups[op->group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (rollcall_of(q->job, m, op->index) == ROLL_ABSENT && is_rank(m->rank) &&
			came_with(q, m, op->index))
			return true;
	}
	return false;
}

bool own_seats_write(struct inquiry *q, int part, bool sure)
{
	const struct waitfor_node *op = only_op(q, part);
	const struct job_group *g = op ? &q->job->groups[op->group] : NULL;
	struct draft *draft;

	if (!op || !is_split(q, op))
		return false;
	draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (rollcall_of(q->job, m, op->index) == ROLL_ABSENT)
			blame(q, m, op, draft);
	}
	draft->verdict.group = op->group;
	draft->verdict.op_index = op->index;
	draft->verdict.cause = VERDICT_BY_SKIPPED;
	draft->verdict.confidence = sure ? VERDICT_SUPPORTED : VERDICT_HYPOTHESIS;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_CALLS;
	rank_list_settle(&draft->culprits);
	find_victims_of_part(q, part, draft);
	return true;
}
