/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges forks that somebody waits at, or that were passed or can no longer be mended. Each is a
 * finding of the first class that fits it, else collective-mismatch.
 */
#include "job/rollcall.h"
#include "verdict/judge.h"
#include "verdict/rule.h"

/* The kinds of forks, in the order in which they are tried. */
static const struct {
	enum verdict_class class;
	bool (*is)(struct inquiry *q, const struct fork *fork, struct draft *draft);
} fork_kinds[] = {
#define FORK(class, is) {VERDICT_##class, is_##is##_fork},
#include "lists/class.def"
};

/* Lets the first class that fits the fork write the finding. */
static void classify(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	for (size_t i = 0; i < sizeof(fork_kinds) / sizeof(*fork_kinds); i++)
		if (fork_kinds[i].is(q, fork, draft)) {
			draft->verdict.class = fork_kinds[i].class;
			return;
		}
}

/* True if some member of the fork ended: nothing more will come of it. */
static bool is_over(const struct inquiry *q, const struct fork *fork)
{
	for (size_t i = 0; i < fork->ncamps; i++)
		for (size_t k = 0; k < fork->camps[i].n; k++) {
			struct rank_index rank = q->job->members[fork->camps[i].members[k]].rank;

			if (is_rank(rank) && q->profiles[rank.i].ended)
				return true;
		}
	return false;
}

/*
 * Adds that ranks went on after the fork. Who waits elsewhere has a finding of its own; this one
 * tells nothing of how the job will end.
 */
static void tell_passed(struct inquiry *q, struct draft *draft)
{
	draft->verdict.outlook = VERDICT_OUTLOOK_UNKNOWN;
	draft_fact(q, draft, FACT_WENT_ON, NO_RANK, inquiry_cite_all(q));
}

/* Notes that groups cannot be compared whose threads raced for their operations. */
static void admit_races(struct inquiry *q)
{
	for (size_t i = 0; i < q->job->ngroups; i++)
		if (q->job->groups[i].unordered)
			inquiry_not_judged(
				q, VERDICT_COLLECTIVE_MISMATCH, NEED_THREADS_ORDER, NO_RANK);
}

void judge_forks(struct inquiry *q)
{
	admit_races(q);
	for (size_t i = 0; i < q->forks->n; i++) {
		const struct fork *fork = &q->forks->at[i];
		bool standing = fork_stands(q, fork);
		struct draft *draft;

		if (fork_is_gone(q, fork))
			inquiry_not_judged_of(q, VERDICT_COLLECTIVE_MISMATCH, NEED_OLDER_CALLS,
				q->job->groups[fork->group].name, fork->index);
		if (!standing && !(fork->exact && (fork->passed || is_over(q, fork))))
			continue;
		draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
		classify(q, fork, draft);
		if (standing)
			fork_tell_sites(q, fork, draft);
		else if (fork->completed)
			tell_passed(q, draft);
		if (standing && fork_lacks_member(q, fork)) {
			draft->verdict.outlook = VERDICT_OUTLOOK_UNKNOWN;
			draft_at_most(draft, VERDICT_SUPPORTED);
		}
		if (fork->second)
			draft_at_most(draft, VERDICT_SUPPORTED);
		/* The number of sides decides who is the minority. */
		if (draft->culprits.list.nr && !rollcall_lists_all(&q->job->groups[fork->group]))
			draft_at_most(draft, VERDICT_SUPPORTED);
	}
}
