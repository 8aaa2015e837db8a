/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow: progress is late but goes on. Either a wait is longer than usual and no hang yet, or the
 * rank waited for was just now seen to move, or a rank came late to an operation and did come.
 */
#include "base/clock.h"
#include "job/names.h"
#include "job/tempo.h"
#include "verdict/rule.h"

/* A rank that left its last call so recently is moving. */
#define JUST_NOW CLOCK_NS_PER_S

/* For longer than this nobody is merely late. */
#define MERELY_LATE (30 * CLOCK_NS_PER_S)

/* Lateness that people notice. */
#define LATE (2 * CLOCK_NS_PER_S)

static bool explains_slow(const struct inquiry *q, int rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank];
	int64_t since = inquiry_wanted_since(q, rank), now = q->waits->now[rank];

	if (!p->readable || p->ended || p->outside == JOB_UNKNOWN || p->outside > JUST_NOW)
		return false;
	if (since == JOB_UNKNOWN || now == JOB_UNKNOWN || now - since > MERELY_LATE)
		return false;
	why->confidence = VERDICT_SUPPORTED;
	why->outlook = VERDICT_WAIT;
	why->next = VERDICT_NEXT_STACK_OF_RANK;
	why->progresses = true;
	return true;
}

static void tell_slow(struct inquiry *q, int rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank];

	draft_fact(q, draft, FACT_OUTSIDE, rank, p->outside_cite)->a = p->outside;
}

const struct rule rule_slow = {
	.class = VERDICT_SLOW,
	.explains = explains_slow,
	.tell = tell_slow,
};

/* The latest arrival of all groups. */
static struct tempo_late worst_of(const struct inquiry *q, int *ret_group)
{
	struct tempo_late worst = {.rank = JOB_NONE};

	for (size_t i = 0; i < q->job->ngroups; i++) {
		struct tempo_late late = tempo_latest(q->job, q->clocks, (int)i);

		if (late.rank != JOB_NONE && late.late > worst.late) {
			worst = late;
			*ret_group = (int)i;
		}
	}
	return worst;
}

/* The longest wait that is more than usual and less than a hang. */
static const struct wait *longest_doubt(const struct inquiry *q)
{
	const struct wait *longest = NULL;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind != WAIT_COLLECTIVE || !wait->sure || wait->age == JOB_UNKNOWN ||
			wait->age <= LATE || waitfor_stands(q->job, wait, &q->given))
			continue;
		if (wait->age <= 2 * q->gaps[q->job->members[wait->member].group])
			continue;
		if (!longest || wait->age > longest->age)
			longest = wait;
	}
	return longest;
}

void judge_slow(struct inquiry *q)
{
	int group = JOB_NONE;
	struct tempo_late late = worst_of(q, &group);
	bool known = late.rank != JOB_NONE && late.late >= LATE;
	const struct wait *doubt = known ? NULL : longest_doubt(q);
	struct verdict_fact *fact;
	struct draft *draft;

	if (!known && !doubt)
		return;
	draft = inquiry_draft(q, VERDICT_SLOW);
	draft->verdict.outlook = VERDICT_WAIT;
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.next = VERDICT_NEXT_STACK_OF_RANK;
	if (doubt) {
		draft->verdict.group = q->job->members[doubt->member].group;
		draft->verdict.op_index = doubt->index;
		rank_list_add(&draft->victims, doubt->rank);
		fact = draft_fact(q, draft, FACT_WAITS_IN_OP, doubt->rank, doubt->cite);
		fact->text = inquiry_op_name(doubt->op);
		fact->text2 = q->job->groups[draft->verdict.group].name;
		fact->a = (int64_t)doubt->index;
		fact->b = doubt->age;
		return;
	}
	draft->verdict.group = group;
	draft->verdict.op_index = late.index;
	rank_list_add(&draft->culprits, late.rank);
	fact = draft_fact(q, draft, FACT_OTHER, late.rank, late.cite);
	fact->text = arena_printf(q->arena, "came %.1f s after the others to operation #%llu of %s",
		(double)late.late / CLOCK_NS_PER_S, (unsigned long long)late.index,
		q->job->groups[group].name);
	fact->a = late.late;
}
