/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/forks/strays.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "job/names.h"

const struct stray *inquiry_stray(struct inquiry *q)
{
	if (!q->stray) {
		q->stray = alloc_zeroed(1, sizeof(*q->stray));
		*q->stray = counterparts_find_stray(q);
	}
	return is_rank(q->stray->rank) ? q->stray : NULL;
}

/* Returns a call as a thing: "AllReduce #5 TP (1)", "Send with rank 3". */
static const struct verdict_thing *thing_of(struct inquiry *q, const struct usual_op *op, int group)
{
	const struct verdict_thing thing = {
		.kind = job_op_is_p2p(op->op->sig.op) ? THING_PAIR : THING_OP,
		.sig = op->op->sig,
		.index = job_op_is_p2p(op->op->sig.op) ? 0 : op->op->index,
		.name = group == JOB_NONE ? "" : q->job->groups[group].name};

	return draft_thing(q, thing);
}

/*
 * Adds what was left out, or is too many; other kinds are told by what was launched in its place.
 */
static void tell_shift(struct inquiry *q, const struct stray *stray, struct draft *draft)
{
	bool skipped = stray->kind == STRAY_SKIPPED;
	const struct usual_op *op = skipped ? &stray->like : &stray->did;
	int group = skipped ? stray->group : stray->did.group;
	struct verdict_fact *fact;

	if (stray->kind != STRAY_SKIPPED && stray->kind != STRAY_EXTRA)
		return;
	fact = draft_fact(q, draft, skipped ? FACT_SKIPPED : FACT_EXTRA, stray->rank,
		stray->did.op->cite);
	fact->text = job_op_name(op->op->sig.op);
	fact->text2 = group == JOB_NONE ? "" : q->job->groups[group].name;
	fact->a = fact->b = job_op_is_p2p(op->op->sig.op) ? JOB_UNKNOWN : (int64_t)op->op->index;
	fact->c = stray->n > 1 ? (int64_t)stray->n - 1 : JOB_UNKNOWN;
}

void stray_write(struct inquiry *q, const struct stray *stray, struct draft *draft)
{
	static const enum verdict_cause causes[] = {
		[STRAY_SKIPPED] = VERDICT_BY_SKIPPED, [STRAY_EXTRA] = VERDICT_BY_EXTRA,
		[STRAY_TURNED] = VERDICT_NO_CAUSE};
	struct verdict *v = &draft->verdict;
	struct verdict_fact *fact;

	v->class = stray->kind == STRAY_TURNED ? VERDICT_ORDER_INVERSION
					       : VERDICT_COLLECTIVE_MISMATCH;
	v->cause = causes[stray->kind];
	v->confidence = stray->usual ? VERDICT_SUPPORTED : VERDICT_HYPOTHESIS;
	v->outlook = VERDICT_KILL;
	v->next = stray->kind == STRAY_TURNED ? VERDICT_NEXT_ONE_ORDER : VERDICT_NEXT_SAME_CALLS;
	v->group = stray->group;
	v->op = stray->like.op->sig;
	v->op_index = stray->like.op->index;
	rank_list_add(&draft->culprits, stray->rank);
	tell_shift(q, stray, draft);
	fact = draft_fact(q, draft, FACT_STRAYED, stray->rank, stray->did.op->cite);
	fact->thing = thing_of(q, &stray->did, stray->did.group);
	fact->thing2 = thing_of(q, &stray->like, stray->group);
	draft_fact_of(q, draft, FACT_COUNTERPARTS, &stray->agree, stray->like.op->cite)->thing =
		thing_of(q, &stray->like, stray->like.group);
	if (stray->kind == STRAY_UNCLEAR)
		draft_fact(q, draft, FACT_UNALIGNED, NO_RANK, inquiry_cite_all(q));
}
