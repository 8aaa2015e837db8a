/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds what records of others say: of a watchdog, of NCCL, of the kernel, of a scheduler. They are
 * told beside whatever was found and accuse nobody, since each of them may tell of an echo. Where
 * texts are all that is known of a rank, one kind of text is one witness: a finding about such a
 * rank is supported at most, until a second kind agrees.
 */
#include <string.h>

#include "verdict/judge.h"

#define TOLD_OF_JOB 4 /* lines of each kind, at most */

static const enum verdict_fact_kind facts[JOB_SAYING_KINDS] = {
	[JOB_SAYS_WATCHDOG] = FACT_WATCHDOG,
	[JOB_SAYS_LIBRARY] = FACT_LIBRARY_WARNS,
	[JOB_SAYS_INIT] = FACT_INIT_OPEN,
	[JOB_SAYS_RAS] = FACT_RAS_SAYS,
	[JOB_SAYS_KERNEL] = FACT_KERNEL_SAYS,
	[JOB_SAYS_XID] = FACT_XID,
	[JOB_SAYS_SLURM] = FACT_SLURM_SAYS,
	[JOB_SAYS_COMPILE] = FACT_COMPILE_OPEN,
	[JOB_SAYS_BARRIER] = FACT_BARRIER_MISSED,
	[JOB_SAYS_SPAWN] = FACT_SPAWN_SAYS,
	[JOB_SAYS_LAUNCHER] = FACT_LAUNCHER_SAYS,
	[JOB_SAYS_UNANSWERED] = FACT_DEBUG_UNANSWERED,
	[JOB_SAYS_SERVED] = FACT_DEBUG_SAYS,
};

/* True if two sayings differ only in the rank they are about. */
static bool are_alike(const struct job_saying *a, const struct job_saying *b)
{
	return a->kind == b->kind && a->a == b->a && !strcmp(a->text, b->text) &&
	       !strcmp(a->text2, b->text2) && is_rank(a->rank) == is_rank(b->rank);
}

/* The lines that a draft already has, by kind: the first saying of each. */
struct told_lines {
	size_t n[JOB_SAYING_KINDS];
	const struct job_saying *at[JOB_SAYING_KINDS][TOLD_OF_JOB];
};

/*
 * True if there is room for a saying. It is compared with these lines alone: files of others may
 * have a hundred thousand lines.
 */
static bool has_room(const struct told_lines *lines, const struct job_saying *saying)
{
	if (lines->n[saying->kind] >= TOLD_OF_JOB)
		return false;
	for (size_t i = 0; i < lines->n[saying->kind]; i++)
		if (are_alike(lines->at[saying->kind][i], saying))
			return false;
	return true;
}

/* Adds one line for all ranks of which it is said, with the longest of their times. */
static void tell(struct inquiry *q, struct draft *draft, const struct job_saying *saying)
{
	struct rank_list ranks = {0};
	struct verdict_fact *fact;
	int64_t longest = saying->b;

	for (size_t k = 0; k < q->job->nsayings; k++)
		if (are_alike(saying, &q->job->sayings[k])) {
			rank_list_add(&ranks, q->job->sayings[k].rank);
			if (q->job->sayings[k].b > longest)
				longest = q->job->sayings[k].b;
		}
	rank_list_settle(&ranks);
	fact = draft_fact_of(q, draft, facts[saying->kind], &ranks, saying->cite);
	fact->text = saying->text;
	fact->text2 = saying->text2;
	fact->a = saying->a;
	fact->b = longest;
	array_release(&ranks.list);
}

/*
 * Returns the turn in which a saying is told: sayings of ranks come first, and among these sayings
 * of those to blame.
 */
static int turn_of(const struct draft *draft, const struct job_saying *saying)
{
	if (!is_rank(saying->rank))
		return 2;
	return rank_list_has(&draft->culprits, saying->rank) ? 0 : 1;
}

static void tell_all(struct inquiry *q, struct draft *draft)
{
	struct told_lines lines = {0};

	for (int turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < q->job->nsayings; i++) {
			const struct job_saying *saying = &q->job->sayings[i];

			if (turn_of(draft, saying) != turn || !has_room(&lines, saying))
				continue;
			lines.at[saying->kind][lines.n[saying->kind]++] = saying;
			tell(q, draft, saying);
		}
}

/* True if such a finding rests on how ranks ended. */
static bool is_of_ends(enum verdict_class class)
{
	return class == VERDICT_RANK_DEATH || class == VERDICT_EARLY_EXIT;
}

/* Returns how many kinds of text tell that of the rank; 2 if not only texts do. */
static size_t witnesses_of(
	const struct inquiry *q, struct rank_index rank, enum verdict_class class)
{
	const struct profile *p = &q->profiles[rank.i];
	size_t n = 0;

	if (!p->process || !p->process->by_texts)
		return p->process && p->process->end_by_text && is_of_ends(class) ? 1 : 2;
	for (unsigned kinds = p->process->by_texts; kinds; kinds &= kinds - 1)
		n++;
	return n;
}

/*
 * Returns why a scheduler ended the job: JOB_ENDED_UNTOLD if no record says so, its records do not
 * agree, or somebody else's records say that something was wrong before.
 */
static enum job_ended_by ended_by(const struct job *job)
{
	enum job_ended_by reason = JOB_ENDED_UNTOLD;

	for (size_t i = 0; i < job->nsayings; i++) {
		const struct job_saying *one = &job->sayings[i];

		if (one->kind != JOB_SAYS_SLURM)
			return JOB_ENDED_UNTOLD;
		if (one->a <= JOB_ENDED_UNTOLD || one->a >= JOB_ENDED_REASONS)
			continue;
		if (reason && one->a != reason)
			return JOB_ENDED_UNTOLD;
		reason = (enum job_ended_by)one->a;
	}
	return reason == JOB_ENDED_OTHERWISE ? JOB_ENDED_UNTOLD : reason;
}

/* True if some rank ended by itself, and badly: it may have done so before the job was ended. */
static bool some_rank_failed(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank) {
		const struct job_process *process = q->profiles[rank.i].process;

		if (process && process->end == JOB_EXITED && process->status)
			return true;
	}
	return false;
}

/*
 * Tells the scheduler's reason, if nobody is known to be to blame, nor to have waited: it is all
 * there is to say.
 */
static void tell_why_ended(struct inquiry *q, struct draft *draft)
{
	static const enum verdict_next next[JOB_ENDED_REASONS] = {
		[JOB_ENDED_BY_LIMIT] = VERDICT_NEXT_MORE_TIME,
		[JOB_ENDED_BY_NODE] = VERDICT_NEXT_FAILED_NODE,
		[JOB_ENDED_BY_PREEMPTION] = VERDICT_NEXT_WHO_CANCELLED,
		[JOB_ENDED_BY_CANCEL] = VERDICT_NEXT_WHO_CANCELLED,
	};
	enum job_ended_by reason = ended_by(q->job);

	if (!reason || q->job->ended != JOB_YES || some_rank_failed(q) ||
		draft->verdict.class != VERDICT_INCONCLUSIVE || draft->culprits.list.nr ||
		draft->victims.list.nr)
		return;
	draft->verdict.ended_by = reason;
	draft->verdict.next = next[reason];
}

/* Returns how sure a finding of that kind may be about the rank. */
static enum verdict_confidence most_of(
	const struct inquiry *q, struct rank_index rank, enum verdict_class class)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->process && p->process->end_in_doubt && is_of_ends(class))
		return VERDICT_HYPOTHESIS;
	return witnesses_of(q, rank, class) < 2 ? VERDICT_SUPPORTED : VERDICT_ESTABLISHED;
}

void judge_sayings(struct inquiry *q)
{
	for (size_t d = 0; d < q->drafts.nr; d++) {
		struct draft *draft = &q->drafts.items[d];

		for (size_t i = 0; i < draft->culprits.list.nr; i++)
			draft_at_most(draft, most_of(q, draft->culprits.list.items[i],
						     draft->verdict.class));
		tell_all(q, draft);
		tell_why_ended(q, draft);
	}
}
