/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "verdict/inquiry.h"

struct draft *inquiry_draft(struct inquiry *q, enum verdict_class class)
{
	struct draft *draft = array_add(&q->drafts);

	draft->verdict = (struct verdict){.class = class,
		.group = JOB_NONE,
		.waiting = JOB_UNKNOWN,
		.watchdog_left = JOB_UNKNOWN,
		.watchdog_cite = ""};
	return draft;
}

void inquiry_drop_draft(struct inquiry *q)
{
	struct draft *draft = &q->drafts.items[q->drafts.nr - 1];

	array_release(&draft->culprits.list);
	array_release(&draft->victims.list);
	array_release(&draft->camp_a.list);
	array_release(&draft->camp_b.list);
	array_release(&draft->facts);
	array_release(&draft->ruled_out);
	array_release(&draft->unknown);
	*draft = (struct draft){0};
	q->drafts.nr--;
}

static void init_fact(struct verdict_fact *fact, enum verdict_fact_kind kind, const char *cite)
{
	fact->kind = kind;
	fact->a = fact->b = fact->c = JOB_UNKNOWN;
	fact->text = fact->text2 = "";
	fact->cite = cite ? cite : "job";
}

void draft_at_most(struct draft *draft, enum verdict_confidence confidence)
{
	if (draft->verdict.confidence > confidence)
		draft->verdict.confidence = confidence;
}

struct verdict_fact *draft_fact(struct inquiry *q, struct draft *draft, enum verdict_fact_kind kind,
	struct rank_index rank, const char *cite)
{
	struct verdict_fact *fact = array_add(&draft->facts);

	init_fact(fact, kind, cite);
	if (is_rank(rank)) {
		struct rank_index *at = arena_new(q->arena, struct rank_index);

		*at = rank;
		fact->ranks = (struct verdict_ranks){at, 1};
	}
	return fact;
}

struct verdict_fact *draft_fact_of(struct inquiry *q, struct draft *draft,
	enum verdict_fact_kind kind, const struct rank_list *ranks, const char *cite)
{
	struct verdict_fact *fact = array_add(&draft->facts);

	init_fact(fact, kind, cite);
	fact->ranks = rank_list_seal(q, ranks);
	return fact;
}

const struct verdict_thing *draft_thing(struct inquiry *q, struct verdict_thing thing)
{
	struct verdict_thing *copy = arena_new(q->arena, struct verdict_thing);

	*copy = thing;
	return copy;
}

const struct verdict_thing *draft_frame(
	struct inquiry *q, const struct job_stack *stack, long at)
{
	const struct job_frame **frames;

	if (at < 0 || (size_t)at >= stack->nframes)
		return NULL;
	frames = arena_new(q->arena, const struct job_frame *);
	*frames = stackfacts_frame(q->job, stack, (size_t)at);
	return draft_thing(
		q, (struct verdict_thing){.kind = THING_FRAME, .frames = frames, .n = 1});
}

const struct verdict_thing *draft_sig(struct inquiry *q, const struct job_sig *sig)
{
	return draft_thing(q, (struct verdict_thing){.kind = THING_SIG, .sig = *sig});
}

void draft_frozen(struct inquiry *q, struct draft *draft, struct rank_index rank, const char *cite)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->traced)
		draft_fact(q, draft, FACT_TRACED, rank, cite)->a = p->process->tracer;
	else
		draft_fact(q, draft, FACT_FROZEN, rank, cite)->a = p->process->state;
}

void draft_dead_child(struct inquiry *q, struct draft *draft, struct rank_index rank)
{
	const struct job_process *child = q->profiles[rank.i].dead_child;
	struct verdict_fact *fact;

	if (!child)
		return;
	fact = draft_fact(q, draft, FACT_CHILD_DIED, rank, child->end_cite);
	fact->text = *child->what ? child->what : child->comm;
	fact->a = child->pid;
	if (child->end == JOB_EXITED)
		fact->b = child->status;
	if (child->end == JOB_SIGNALED)
		fact->c = child->status;
}

struct verdict_fact *draft_rule_out(struct draft *draft, enum verdict_class class,
	enum verdict_fact_kind kind, const char *cite)
{
	struct verdict_ruled_out *out;

	for (size_t i = 0; i < draft->ruled_out.nr; i++)
		if (draft->ruled_out.items[i].class == class)
			return &draft->ruled_out.items[i].why;
	out = array_add(&draft->ruled_out);
	out->class = class;
	init_fact(&out->why, kind, cite);
	return &out->why;
}

static bool same_ranks(const struct verdict_ranks *a, const struct verdict_ranks *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (!same_rank(a->at[i], b->at[i]))
			return false;
	return a->n == b->n;
}

static bool same_need(const struct verdict_not_judged *a, const struct verdict_not_judged *b)
{
	return a->class == b->class && a->need == b->need && a->index == b->index &&
	       !strcmp(a->name, b->name) && same_ranks(&a->ranks, &b->ranks);
}

/* Adds what was lacking, once. */
static void lack(struct inquiry *q, const struct verdict_not_judged *what)
{
	for (size_t i = 0; i < q->not_judged.nr; i++)
		if (same_need(&q->not_judged.items[i], what))
			return;
	*array_add(&q->not_judged) = *what;
}

void inquiry_not_judged(
	struct inquiry *q, enum verdict_class class, enum verdict_need need, struct rank_index rank)
{
	struct verdict_not_judged what = {.class = class, .need = need, .name = ""};

	if (is_rank(rank)) {
		struct rank_index *at = arena_new(q->arena, struct rank_index);

		*at = rank;
		what.ranks = (struct verdict_ranks){at, 1};
	}
	lack(q, &what);
}

void inquiry_not_judged_each(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	const struct rank_list *ranks)
{
	if (ranks->list.nr)
		lack(q, &(struct verdict_not_judged){.class = class,
				.need = need,
				.name = "",
				.ranks = rank_list_seal(q, ranks)});
}

void inquiry_not_judged_of(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	const char *name, uint64_t index)
{
	lack(q, &(struct verdict_not_judged){
			.class = class, .need = need, .name = name, .index = index});
}
