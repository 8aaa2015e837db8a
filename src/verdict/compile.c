/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile-skew and compile-stuck: a rank that others wait for has an open compile span. Stuck is
 * what showed no CPU, no child and no span event for 5 s, or lost a worker and does not move.
 */
#include "base/clock.h"
#include "job/spans.h"
#include "verdict/rule.h"

/* A span left open by an exit in good order is no compile. */
static bool compiles(const struct profile *p)
{
	return p->compile && p->death != DEATH_CLEAN;
}

/* Nothing moves; or a compiler process died and nothing proves that the rest goes on. */
static bool is_stuck(const struct profile *p)
{
	if (p->progress == PROGRESS_NO)
		return true;
	return p->dead_child && p->progress != PROGRESS_YES;
}

/* Asked before skew, which any open compile would fit. */
static bool explains_stuck(const struct inquiry *q, int rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank];

	if (!compiles(p) || !is_stuck(p))
		return false;
	why->confidence = p->progress == PROGRESS_NO ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	why->outlook = VERDICT_KILL;
	why->cause = p->dead_child ? VERDICT_BY_CHILD_DEATH : VERDICT_NO_CAUSE;
	why->where = p->frozen ? VERDICT_IN_FROZEN : VERDICT_NOWHERE;
	why->next = p->frozen ? VERDICT_NEXT_CONTINUE_PROCESS : VERDICT_NEXT_LOOK_AT_COMPILER;
	return true;
}

/* It still compiles while others wait: worth waiting for only if it is seen to move. */
static bool explains_skew(const struct inquiry *q, int rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank];

	if (!compiles(p))
		return false;
	why->confidence = p->progress == PROGRESS_YES ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	why->outlook = p->ended                      ? VERDICT_KILL
		       : p->progress == PROGRESS_YES ? VERDICT_WAIT
						     : VERDICT_OUTLOOK_UNKNOWN;
	why->next = VERDICT_NEXT_SEED_CACHE;
	why->progresses = true;
	return true;
}

/* Which compile is open, of what, and for how long. */
static void tell_span(struct inquiry *q, int rank, struct draft *draft)
{
	const struct job_span *span = q->profiles[rank].compile;
	struct verdict_fact *fact = draft_fact(q, draft, FACT_SPAN_OPEN, rank, span->cite);
	int64_t now = q->waits->now[rank];

	fact->text = span->name;
	fact->text2 = span->detail;
	fact->b = span->kind;
	if (now != JOB_UNKNOWN && span->begun != JOB_UNKNOWN)
		fact->a = now - span->begun;
}

/* The compilers that it started, of which by now none may be left. */
static void tell_tools(struct inquiry *q, int rank, struct draft *draft)
{
	const struct job_trait *tools = q->profiles[rank].tools;
	int64_t now = q->waits->now[rank];
	struct verdict_fact *fact;

	if (!tools)
		return;
	fact = draft_fact(q, draft, FACT_TOOLS, rank, tools->cite);
	fact->text = tools->text;
	fact->a = tools->number;
	if (now != JOB_UNKNOWN && tools->when != JOB_UNKNOWN)
		fact->b = now > tools->when ? now - tools->when : 0;
}

/* How long the peers' compiles took, longest span of each. */
static void tell_peers(struct inquiry *q, int rank, struct draft *draft)
{
	int64_t least = INT64_MAX, most = JOB_UNKNOWN;

	for (size_t i = 0; i < q->job->nranks; i++) {
		struct spans_range range = spans_of(q->job, (int)i);
		int64_t longest = JOB_UNKNOWN;

		for (size_t k = range.from; (int)i != rank && k < range.to; k++) {
			const struct job_span *span = &q->job->spans[k];

			if (span->kind == JOB_SPAN_COMPILE && !span->open &&
				span->ended != JOB_UNKNOWN && span->begun != JOB_UNKNOWN &&
				span->ended - span->begun > longest)
				longest = span->ended - span->begun;
		}
		if (longest == JOB_UNKNOWN)
			continue;
		least = longest < least ? longest : least;
		most = longest > most ? longest : most;
	}
	if (most != JOB_UNKNOWN) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_PEERS_COMPILED, JOB_NONE, "ring:*");

		fact->a = least;
		fact->b = most;
	}
}

/* The largest cache of each rank at its start. */
static void tell_cache(struct inquiry *q, int rank, struct draft *draft)
{
	int64_t mine = JOB_UNKNOWN, least = INT64_MAX, most = JOB_UNKNOWN;
	const char *cite = "caches";

	for (size_t i = 0; i < q->job->ncaches; i++) {
		const struct job_cache *cache = &q->job->caches[i];

		if (cache->files == JOB_UNKNOWN)
			continue;
		if (cache->rank == rank) {
			mine = cache->files > mine ? cache->files : mine;
			cite = cache->cite;
			continue;
		}
		least = cache->files < least ? cache->files : least;
		most = cache->files > most ? cache->files : most;
	}
	/* Where all had the same, the cache explains nothing. */
	if (mine != JOB_UNKNOWN && most != JOB_UNKNOWN && (mine != least || mine != most)) {
		struct verdict_fact *fact = draft_fact(q, draft, FACT_CACHE, rank, cite);

		fact->a = mine;
		fact->b = least;
		fact->c = most;
	}
}

/* Whether it moves, and by how much CPU; nothing where samples do not tell. */
static void tell_activity(struct inquiry *q, int rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank];
	const char *cite = p->process ? p->process->sample_cite : p->compile->cite;
	struct verdict_fact *fact;

	if (p->progress == PROGRESS_NO) {
		fact = draft_fact(q, draft, FACT_SPAN_IDLE, rank, cite);
		fact->a = p->idle;
	} else if (p->progress == PROGRESS_YES && p->cpu != JOB_UNKNOWN) {
		fact = draft_fact(q, draft, FACT_SPAN_ACTIVE, rank, cite);
		fact->a = p->cpu;
		fact->b = p->cpu_span;
	}
	if (p->frozen) {
		fact = draft_fact(q, draft, FACT_FROZEN, rank, cite);
		fact->a = p->process->state;
	}
}

static void tell_compile(struct inquiry *q, int rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank];

	tell_span(q, rank, draft);
	tell_activity(q, rank, draft);
	tell_tools(q, rank, draft);
	draft_dead_child(q, draft, rank);
	tell_cache(q, rank, draft);
	tell_peers(q, rank, draft);
	if (p->progress == PROGRESS_UNKNOWN && !p->ended)
		inquiry_not_judged(q, VERDICT_COMPILE_STUCK, rank,
			inquiry_of_rank(q, "5 s of CPU samples", rank));
}

/* No rank compiles, and all could be read: with one unreadable nothing is excluded. */
static void rule_out_compile(struct inquiry *q, struct draft *draft)
{
	if (draft->verdict.class == VERDICT_COMPILE_SKEW ||
		draft->verdict.class == VERDICT_COMPILE_STUCK || inquiry_unreadable(q))
		return;
	for (size_t i = 0; i < q->job->nranks; i++)
		if (q->profiles[i].compile)
			return;
	draft_rule_out(draft, VERDICT_COMPILE_SKEW, FACT_NO_OPEN_SPAN, "ring:*")->b =
		JOB_SPAN_COMPILE;
}

const struct rule rule_compile_stuck = {
	.class = VERDICT_COMPILE_STUCK,
	.explains = explains_stuck,
	.tell = tell_compile,
};

const struct rule rule_compile_skew = {
	.class = VERDICT_COMPILE_SKEW,
	.explains = explains_skew,
	.tell = tell_compile,
	.rule_out = rule_out_compile,
};
