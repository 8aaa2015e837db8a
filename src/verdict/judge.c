/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge: asks the queries, goes through the stages, ranks the findings and seals what stands.
 * Each stage decides one thing; which class a rank or a fork is of, is asked in the order of
 * lists/class.def. After the stages all findings are finished alike: look-alikes are excluded by
 * facts, and the longest wait, the seconds left and the order are found.
 */
#include "verdict/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "verdict/limits.h"
#include "verdict/profiles/unnumbered.h"
#include "verdict/rule.h"

/* -- the stages -------------------------------------------------------------------------------- */

/* When a stage is asked. */
enum when {
	ALWAYS,
	IF_GROUPS_AGREE, /* unless ranks made groups in different orders */
	IF_NOTHING_FOUND /* unless there is a finding */
};

static const struct stage {
	void (*judge)(struct inquiry *q);
	enum when when;
} stages[] = {
	/* Contradictions: groups made in different orders. First, since nothing else that is seen
	 * of such groups means what it seems to. */
	{judge_creations, ALWAYS},

	/*
	 * Each end of the wait-for graph is a reason to wait. Ranks that are waited for, and wait
	 * not.
	 */
	{judge_sinks, IF_GROUPS_AGREE},
	/* Ranks that entered other operations: behind sinks, whose order of facts is theirs. */
	{judge_forks, IF_GROUPS_AGREE},
	/* Ranks that wait for each other: if a circle has a fork in it, the fork was told. */
	{judge_cycles, IF_GROUPS_AGREE},
	/* All are in an all-to-all, and one awaits from another what that does not give. */
	{judge_parts, IF_GROUPS_AGREE},
	/* All are in, and nothing moves: last of the ends, since of ops that nobody tracks it is
	 * asked only where nothing surer was found. */
	{judge_devices, IF_GROUPS_AGREE},

	/* Own deaths that nobody waits for: behind the ends, which have the others. */
	{judge_quiet_deaths, ALWAYS},
	/* An early exit of which the others died: unless something else explains that. */
	{judge_quiet_exits, IF_NOTHING_FOUND},
	/* All is over, and some had closed the group in which the others died. */
	{judge_left_behind, IF_NOTHING_FOUND},
	/* A process ended that should have become a rank, and the launcher ended all others. */
	{judge_unnumbered, IF_NOTHING_FOUND},

	/* Only stacks tell, and the graph leads to nobody: other call sites, who stalls, all go
	 * on. Before all that ask what is recorded, of which there is nothing. */
	{judge_by_stacks, IF_NOTHING_FOUND},
	/* A mismatch that ranks died of, by their own words: more than that nothing is known. */
	{judge_told_mismatch, IF_NOTHING_FOUND},
	/* Ends of the graph of which nothing is known: somebody waits there, for whom is open. */
	{judge_unknown, IF_NOTHING_FOUND},
	/* Somebody waits for long, and nothing above says why: from here on nobody does. */
	{judge_unexplained, IF_NOTHING_FOUND},
	/* Somebody came late, a short time ago. */
	{judge_slow, IF_NOTHING_FOUND},
	/* Dumps without any operation: nothing was called, or nothing is recorded. */
	{judge_empty_dumps, IF_NOTHING_FOUND},
	/* Held in what may be an operation that nobody records: of a replayed graph, of NVSHMEM. */
	{judge_hidden_ops, IF_NOTHING_FOUND},
	/* Nobody can be seen to wait where nobody can be seen. */
	{judge_unreadable, IF_NOTHING_FOUND},
	/* Ranks ended badly, and no end was the first. */
	{judge_bad_ends, IF_NOTHING_FOUND},
	/* Dumps of some ranks only: the others may wait. */
	{judge_some_dumps, IF_NOTHING_FOUND},
	/* Somebody waits, and for less than a hang's time. */
	{judge_early, IF_NOTHING_FOUND},
	/* Nobody waits yet, and ranks are stopped. */
	{judge_stopped, IF_NOTHING_FOUND},
	/* Nobody waits in a ring, and yet all stand: what for, no ring tells. */
	{judge_standstill, IF_NOTHING_FOUND},
	/* Ranks, and no communicator of theirs. */
	{judge_no_groups, IF_NOTHING_FOUND},
	/* Dumps that never have sends and receives: somebody may wait in one. */
	{judge_hidden_p2p, IF_NOTHING_FOUND},
	/* Stacks stand in calls that wait for others, of which no ring tells. */
	{judge_unrecorded, IF_NOTHING_FOUND},
	/* The job failed, since a rank aborted behind the end of its script. */
	{judge_teardown, IF_NOTHING_FOUND},
	/* Last of those that find: nothing is wrong, as far as was seen. */
	{judge_healthy, IF_NOTHING_FOUND},

	/*
	 * Functions that could not be hooked are named as not judged, whatever was found, unless
	 * all is well.
	 */
	{judge_unhooked, ALWAYS},
	/* Variables of the launch that explain what was found. */
	{judge_settings, ALWAYS},
	/* What others' records say of the job: told beside whatever was found, and it bounds what
	 * texts alone have led to. */
	{judge_sayings, ALWAYS},
	/* Bounds by what was not seen: behind all findings, which they bound. */
	{judge_bounds, ALWAYS},
};

static bool is_asked(const struct inquiry *q, enum when when)
{
	return when == ALWAYS || (when == IF_GROUPS_AGREE ? !q->groups_clash : !q->drafts.nr);
}

/* What excludes each class from findings of others, in the order in which it is told. */
static const struct {
	enum verdict_class class;
	void (*rule_out)(struct inquiry *q, struct draft *draft);
	uint32_t other; /* bits: classes that are never taken for it */
} look_alikes[] = {
#define IS(class)		   (UINT32_C(1) << VERDICT_##class)
#define UNLIKE(class, name, other) {VERDICT_##class, rule_out_##name, other},
#include "lists/class.def"
#undef IS
};

_Static_assert(VERDICT_CLASSES <= 32, "class-bits");

/* -- order ------------------------------------------------------------------------------------- */

/* Orders findings by importance: those that explain a wait come first, then the surer ones. */
static int compare_drafts(const void *va, const void *vb)
{
	const struct draft *a = va, *b = vb;
	struct rank_index culprit_a, culprit_b;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->verdict.class != b->verdict.class)
		return a->verdict.class < b->verdict.class ? -1 : 1;
	if (a->verdict.group != b->verdict.group)
		return a->verdict.group < b->verdict.group ? -1 : 1;
	if (a->verdict.op_index != b->verdict.op_index)
		return a->verdict.op_index < b->verdict.op_index ? -1 : 1;
	culprit_a = a->culprits.list.nr ? a->culprits.list.items[0] : NO_RANK;
	culprit_b = b->culprits.list.nr ? b->culprits.list.items[0] : NO_RANK;
	if (!same_rank(culprit_a, culprit_b))
		return culprit_a.i < culprit_b.i ? -1 : 1;
	return a->verdict.cause < b->verdict.cause ? -1 : a->verdict.cause > b->verdict.cause;
}

/* True for findings that nothing is wrong, or that too little is known. */
static bool blames_nothing(enum verdict_class class)
{
	return class == VERDICT_INCONCLUSIVE || class == VERDICT_HEALTHY ||
	       class == VERDICT_SLOW || class == VERDICT_TOO_EARLY;
}

/*
 * Returns a finding's weight. It counts, in this order: victims, culprits, confidence, that it
 * cannot resolve, the number of victims.
 */
static int64_t weigh(const struct draft *draft)
{
	const struct verdict *v = &draft->verdict;
	int64_t weight = 0;

	if (blames_nothing(v->class))
		return 0;
	weight += draft->victims.list.nr ? 1 << 28 : 0;
	weight += draft->culprits.list.nr ? 1 << 27 : 0;
	weight += (int64_t)v->confidence << 24;
	weight += v->outlook >= VERDICT_KILL ? 1 << 23 : 0;
	return weight + (int64_t)draft->victims.list.nr;
}

/* -- what all findings have -------------------------------------------------------------------- */

/* Returns the longest wait of all victims, ns; JOB_UNKNOWN where no wait of theirs stands. */
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

/* True if some rank was seen to live. */
static bool somebody_lives(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank)
		if (q->profiles[rank.i].process && q->profiles[rank.i].process->end == JOB_ALIVE)
			return true;
	return false;
}

/*
 * True if the launcher said that the job has ended. A rank that lives all the same is another
 * launcher's, on another node, or has outlived its own.
 */
static bool is_said_to_be_over(const struct inquiry *q)
{
	return q->job->ended == JOB_YES && !somebody_lives(q);
}

/* True if the launcher said that the job has ended, or every rank that it should have has. */
static bool has_ended(const struct inquiry *q)
{
	if (is_said_to_be_over(q))
		return true;
	job_for_each_rank(q->job, rank)
		if (!q->profiles[rank.i].ended)
			return false;
	return q->job->nranks > 0 && inquiry_lack(q, NULL) == VERDICT_LACKS_NOTHING;
}

/* True if every rank that the next step concerns has exited. */
static bool is_over(const struct inquiry *q, const struct draft *draft)
{
	for (size_t i = 0; i < draft->culprits.list.nr; i++)
		if (!q->profiles[draft->culprits.list.items[i].i].ended)
			return false;
	for (struct rank_index rank = {0}; job_has_rank(q->job, rank) && !draft->culprits.list.nr;
		rank.i++)
		if (!q->profiles[rank.i].ended)
			return is_said_to_be_over(q);
	return q->job->nranks > 0;
}

/* Nobody can look at a stack that is gone, nor attach to it again. */
enum verdict_next verdict_next_of_past(enum verdict_next next)
{
	switch (next) {
	case VERDICT_NEXT_STACK_OF_RANK:
	case VERDICT_NEXT_LOOK_AT_LOCK:
	case VERDICT_NEXT_LOOK_AT_THREADS:
		return VERDICT_NEXT_STACK_NEXT_TIME;
	case VERDICT_NEXT_MORE_EVIDENCE:
	case VERDICT_NEXT_LOOK_AGAIN:
		return VERDICT_NEXT_ATTACH_NEXT_TIME;
	case VERDICT_NEXT_CONTINUE_PROCESS:
	case VERDICT_NEXT_DETACH_DEBUGGER:
		return VERDICT_NEXT_WHO_STOPPED;
	case VERDICT_NEXT_CONTINUE_CHILD:
		return VERDICT_NEXT_WHO_STOPPED_CHILD;
	default:
		return next;
	}
}

/* Finds how much time is left, if something will end the job. */
static void find_limit(struct inquiry *q, struct draft *draft)
{
	struct limit limit = limits_first(q, &draft->victims);

	if (!limit.kind || draft->verdict.outlook == VERDICT_OVER)
		return;
	draft->verdict.watchdog = limit.kind;
	draft->verdict.watchdog_left = limit.left;
	draft->verdict.watchdog_cite = limit.cite;
}

static void rule_out(struct inquiry *q, struct draft *draft)
{
	for (size_t i = 0; i < sizeof(look_alikes) / sizeof(*look_alikes); i++)
		if (look_alikes[i].class != draft->verdict.class &&
			!(look_alikes[i].other >> draft->verdict.class & 1))
			look_alikes[i].rule_out(q, draft);
}

/*
 * Adds what all findings have in common: who waits, how long, how long that may last, and what it
 * is not.
 */
static void finish(struct inquiry *q, struct draft *draft)
{
	struct verdict *v = &draft->verdict;

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
		v->next = verdict_next_of_past(v->next);
	tell_killed_since(q, draft);
	tell_handling(q, draft);
	tell_victims(q, draft);
	find_limit(q, draft);
	if (!blames_nothing(v->class))
		rule_out(q, draft);
}

/* Shows a finding that names no op at the one in which its victims have waited longest. */
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

/* Finishes all findings. Blame is settled over all of them before any is told. */
static void finish_all(struct inquiry *q)
{
	bool *blamed = alloc_zeroed(q->job->nranks + 1, sizeof(*blamed));

	for (size_t i = 0; i < q->drafts.nr; i++)
		for (size_t k = 0; k < q->drafts.items[i].culprits.list.nr; k++)
			blamed[q->drafts.items[i].culprits.list.items[k].i] = true;
	for (size_t i = 0; i < q->drafts.nr; i++) {
		/* A rank that some finding blames is no other one's victim. */
		rank_list_leave_out(&q->drafts.items[i].victims, blamed);
		find_common_wait(q, &q->drafts.items[i]);
		finish(q, &q->drafts.items[i]);
		q->drafts.items[i].weight = weigh(&q->drafts.items[i]);
	}
	judge_later_ends(q);
	array_sort(&q->drafts, compare_drafts);
	free(blamed);
}

/* -- sealing ----------------------------------------------------------------------------------- */

/*
 * Turns a draft into what the caller gets; the most telling fact, which was added first, heads it.
 */
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
	if (a->need != b->need)
		return a->need < b->need ? -1 : 1;
	if (a->ranks.n && b->ranks.n && !same_rank(*a->ranks.at, *b->ranks.at))
		return a->ranks.at->i < b->ranks.at->i ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return strcmp(a->name, b->name);
}

static const struct posture *postures_of(struct inquiry *q)
{
	struct posture *at = arena_new_many(q->arena, struct posture, q->job->nranks + 1);

	job_for_each_rank(q->job, rank)
		at[rank.i] = q->profiles[rank.i].posture;
	return at;
}

/* Seals all findings in the inquiry's arena, which the verdicts own from here on. */
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
	verdicts->unnumbered = unnumbered_count(q->job);
	array_release(&lacking.list);
	verdicts->arena = q->arena;
	return verdicts;
}

struct verdicts *verdicts_of(const struct job *job)
{
	struct inquiry *q = inquiry_new(job);
	struct verdicts *verdicts;

	for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++)
		if (is_asked(q, stages[i].when))
			stages[i].judge(q);
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
