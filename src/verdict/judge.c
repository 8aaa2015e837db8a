/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge: asks the queries, runs the table of rules, ranks the findings and seals what stands.
 *
 *	1. who waits for whom (job/waitfor/waitfor.h), with forks and each rank's own state
 *	   worked in; what contradicts itself, groups made in different orders, comes first;
 *	2. sinks, forks, circles, devices: each end of the graph is one reason to wait;
 *	3. own deaths that nobody waits for yet;
 *	4. only where nothing was found and only stacks tell: other call sites, who stalls, healthy;
 *	5. only where nothing was found: slow, inconclusive, too early to tell, healthy;
 *	6. what was not seen bounds how sure each finding may be;
 *	7. look-alikes excluded by facts, the longest wait, the seconds left, the order.
 */
#include "verdict/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "verdict/limits.h"

const struct rule *const judge_rules[] = {
	&rule_node_loss,
	&rule_rank_death,
	&rule_compile_stuck,
	&rule_compile_skew,
	&rule_empty_shard,
	&rule_graph_left,
	&rule_uneven_shard,
	&rule_early_exit,
	&rule_thread_death,
	&rule_wrong_address,
	&rule_host_stall,
	&rule_not_started,
	&rule_gpu_stall,
	&rule_slow,
	&rule_host_stall_unknown,
	&rule_graph_divergence,
	&rule_collective_mismatch,
	&rule_order_inversion,
	&rule_transport_stall,
};
const size_t judge_nrules = sizeof(judge_rules) / sizeof(*judge_rules);

/* -- order ------------------------------------------------------------------------------------- */

/* Smaller is more important. Findings that explain a wait come first, then the surer ones. */
static int compare_drafts(const void *va, const void *vb)
{
	const struct draft *a = va, *b = vb;
	int culprit_a, culprit_b;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->verdict.class != b->verdict.class)
		return a->verdict.class < b->verdict.class ? -1 : 1;
	if (a->verdict.group != b->verdict.group)
		return a->verdict.group < b->verdict.group ? -1 : 1;
	if (a->verdict.op_index != b->verdict.op_index)
		return a->verdict.op_index < b->verdict.op_index ? -1 : 1;
	culprit_a = a->culprits.list.nr ? a->culprits.list.items[0] : JOB_NONE;
	culprit_b = b->culprits.list.nr ? b->culprits.list.items[0] : JOB_NONE;
	if (culprit_a != culprit_b)
		return culprit_a < culprit_b ? -1 : 1;
	return a->verdict.cause < b->verdict.cause ? -1 : a->verdict.cause > b->verdict.cause;
}

/* First that somebody waits for it, then that somebody is to blame, then how sure; then victims. */
static int64_t weigh(const struct draft *draft)
{
	const struct verdict *v = &draft->verdict;
	int64_t weight = 0;

	if (v->class == VERDICT_INCONCLUSIVE || v->class == VERDICT_HEALTHY ||
		v->class == VERDICT_SLOW || v->class == VERDICT_TOO_EARLY)
		return 0;
	weight += draft->victims.list.nr ? 1 << 28 : 0;
	weight += draft->culprits.list.nr ? 1 << 27 : 0;
	weight += (int64_t)v->confidence << 24;
	weight += v->outlook >= VERDICT_KILL ? 1 << 23 : 0;
	return weight + (int64_t)draft->victims.list.nr;
}

/* -- what all findings have -------------------------------------------------------------------- */

/* Of all victims, ns; JOB_UNKNOWN where no wait of theirs stands. */
static int64_t longest_wait(const struct inquiry *q, const struct draft *draft)
{
	int64_t longest = JOB_UNKNOWN;

	for (size_t i = 0; i < draft->victims.list.nr; i++) {
		const struct wait *wait = inquiry_longest_wait(q, draft->victims.list.items[i]);

		if (wait && wait->age > longest)
			longest = wait->age;
	}
	return longest;
}

/* Nobody whom some finding blames is another one's victim. */
static void clear_culprits(struct inquiry *q, struct draft *draft, const bool *blamed)
{
	size_t n = 0;

	(void)q;
	for (size_t i = 0; i < draft->victims.list.nr; i++)
		if (!blamed[draft->victims.list.items[i]])
			draft->victims.list.items[n++] = draft->victims.list.items[i];
	draft->victims.list.nr = n;
}

/* True if the launcher said that the job has ended, or every rank that it should have has. */
static bool has_ended(const struct inquiry *q)
{
	if (q->job->ended == JOB_YES)
		return true;
	for (size_t i = 0; i < q->job->nranks; i++)
		if (!q->profiles[i].ended)
			return false;
	return q->job->nranks > 0 && inquiry_lack(q, NULL) == VERDICT_LACKS_NOTHING;
}

/* True if every rank that the next step concerns has exited. */
static bool is_over(const struct inquiry *q, const struct draft *draft)
{
	for (size_t i = 0; i < draft->culprits.list.nr; i++)
		if (!q->profiles[draft->culprits.list.items[i]].ended)
			return false;
	for (size_t i = 0; i < q->job->nranks && !draft->culprits.list.nr; i++)
		if (q->profiles[i].process && !q->profiles[i].ended)
			return q->job->ended == JOB_YES;
	return q->job->nranks > 0;
}

/* Nobody can look at the stack of what is gone, nor attach to it again. */
static enum verdict_next next_of_past(enum verdict_next next)
{
	if (next == VERDICT_NEXT_STACK_OF_RANK || next == VERDICT_NEXT_LOOK_AT_LOCK ||
		next == VERDICT_NEXT_LOOK_AT_THREADS)
		return VERDICT_NEXT_STACK_NEXT_TIME;
	return next == VERDICT_NEXT_MORE_EVIDENCE ? VERDICT_NEXT_ATTACH_NEXT_TIME : next;
}

/* What all findings say alike: who waits, how long, how long it may, and what it is not. */
static void finish(struct inquiry *q, struct draft *draft)
{
	struct verdict *v = &draft->verdict;
	struct limit limit;

	rank_list_settle(&draft->culprits);
	rank_list_settle(&draft->victims);
	rank_list_settle(&draft->camp_a);
	rank_list_settle(&draft->camp_b);
	if (v->waiting == JOB_UNKNOWN)
		v->waiting = longest_wait(q, draft);
	if (has_ended(q))
		v->outlook = VERDICT_OVER;
	if (v->class == VERDICT_HEALTHY)
		return;
	if (is_over(q, draft))
		v->next = next_of_past(v->next);
	tell_killed_since(q, draft);
	tell_handling(q, draft);
	tell_victims(q, draft);
	limit = limits_first(q, &draft->victims);
	if (limit.kind && v->outlook != VERDICT_OVER) {
		v->watchdog = limit.kind;
		v->watchdog_left = limit.left;
		v->watchdog_cite = limit.cite;
	}
	for (size_t i = 0; v->class != VERDICT_SLOW && v->class != VERDICT_INCONCLUSIVE &&
			   v->class != VERDICT_TOO_EARLY && i < judge_nrules;
		i++)
		if (judge_rules[i]->rule_out && judge_rules[i]->class != v->class)
			judge_rules[i]->rule_out(q, draft);
}

/* A finding that names no op is shown at the one that its victims have waited in for longest. */
static void find_common_wait(struct inquiry *q, struct draft *draft)
{
	const struct wait *longest = NULL;

	if (draft->verdict.group != JOB_NONE)
		return;
	for (size_t i = 0; i < draft->victims.list.nr; i++) {
		const struct wait *wait = inquiry_longest_wait(q, draft->victims.list.items[i]);

		if (wait && wait->member != JOB_NONE &&
			(!longest || inquiry_waits_longer(wait, longest)))
			longest = wait;
	}
	if (!longest)
		return;
	draft->verdict.group = q->job->members[longest->member].group;
	draft->verdict.op_index = longest->kind == WAIT_SPLIT ? 0 : longest->index;
	if (longest->op)
		draft->verdict.op = longest->op->sig;
}

/* Blame is settled over all findings before any of them is told. */
static void finish_all(struct inquiry *q)
{
	bool *blamed = alloc_zeroed(q->job->nranks + 1, sizeof(*blamed));

	for (size_t i = 0; i < q->drafts.nr; i++)
		for (size_t k = 0; k < q->drafts.items[i].culprits.list.nr; k++)
			blamed[q->drafts.items[i].culprits.list.items[k]] = true;
	for (size_t i = 0; i < q->drafts.nr; i++) {
		clear_culprits(q, &q->drafts.items[i], blamed);
		find_common_wait(q, &q->drafts.items[i]);
		finish(q, &q->drafts.items[i]);
		q->drafts.items[i].weight = weigh(&q->drafts.items[i]);
	}
	judge_later_ends(q);
	array_sort(&q->drafts, compare_drafts);
	free(blamed);
}

/* -- sealing ----------------------------------------------------------------------------------- */

/* A draft as the caller gets it; the most telling fact, which was added first, heads it. */
static void seal_draft(struct inquiry *q, struct draft *draft, struct verdict *v)
{
	*v = draft->verdict;
	v->culprits = rank_list_seal(q, &draft->culprits);
	v->victims = rank_list_seal(q, &draft->victims);
	v->camp_a = rank_list_seal(q, &draft->camp_a);
	v->camp_b = rank_list_seal(q, &draft->camp_b);
	v->nevidence = draft->facts.nr;
	v->evidence = arena_copy(
		q->arena, draft->facts.items, draft->facts.nr * sizeof(*draft->facts.items));
	v->nruled_out = draft->ruled_out.nr;
	v->ruled_out = arena_copy(q->arena, draft->ruled_out.items,
		draft->ruled_out.nr * sizeof(*draft->ruled_out.items));
	v->nunknown = draft->unknown.nr;
	v->unknown_members = arena_copy(
		q->arena, draft->unknown.items, draft->unknown.nr * sizeof(*draft->unknown.items));
	if (v->nevidence)
		v->headline = v->evidence[0];
	else
		v->headline = (struct verdict_fact){.kind = FACT_NONE,
			.a = JOB_UNKNOWN,
			.b = JOB_UNKNOWN,
			.c = JOB_UNKNOWN,
			.text = "",
			.text2 = "",
			.cite = "job"};
}

static int compare_not_judged(const void *va, const void *vb)
{
	const struct verdict_not_judged *a = va, *b = vb;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return strcmp(a->needs, b->needs);
}

static const struct posture *postures_of(struct inquiry *q)
{
	struct posture *at = arena_new_many(q->arena, struct posture, q->job->nranks + 1);

	for (size_t i = 0; i < q->job->nranks; i++)
		at[i] = q->profiles[i].posture;
	return at;
}

/* All of it, in the inquiry's arena, which the verdicts own from here on. */
static struct verdicts *seal(struct inquiry *q)
{
	struct verdicts *verdicts = alloc_zeroed(1, sizeof(*verdicts));
	struct verdict *at = arena_new_many(q->arena, struct verdict, q->drafts.nr + 1);
	struct rank_list lacking = {0};

	for (size_t i = 0; i < q->drafts.nr; i++)
		seal_draft(q, &q->drafts.items[i], &at[i]);
	array_sort(&q->not_judged, compare_not_judged);
	verdicts->job = q->job;
	verdicts->stage = judge_stage(q);
	verdicts->at = at;
	verdicts->n = q->drafts.nr;
	verdicts->nnot_judged = q->not_judged.nr;
	verdicts->not_judged = arena_copy(
		q->arena, q->not_judged.items, q->not_judged.nr * sizeof(*q->not_judged.items));
	verdicts->postures = postures_of(q);
	verdicts->over = has_ended(q);
	verdicts->early = q->early;
	verdicts->lack = inquiry_lack(q, &lacking);
	verdicts->lacking = rank_list_seal(q, &lacking);
	array_release(&lacking.list);
	verdicts->arena = q->arena;
	return verdicts;
}

struct verdicts *verdicts_of(const struct job *job)
{
	struct inquiry *q = inquiry_new(job);
	struct verdicts *verdicts;

	if (!judge_creations(q)) {
		judge_sinks(q);
		judge_forks(q);
		judge_cycles(q);
		judge_devices(q);
	}
	judge_quiet_deaths(q);
	judge_quiet_exits(q);
	if (!q->drafts.nr)
		judge_rest_of_stacks(q);
	if (!q->drafts.nr)
		judge_rest(q);
	judge_missing(q);
	judge_bounds(q);
	finish_all(q);
	verdicts = seal(q);
	inquiry_free(q);
	return verdicts;
}

void verdicts_free(struct verdicts *verdicts)
{
	if (!verdicts)
		return;
	arena_release(verdicts->arena);
	free(verdicts->arena);
	free(verdicts);
}
