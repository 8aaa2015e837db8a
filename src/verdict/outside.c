/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/outside.h"

/* At most so many children of a rank are named. */
#define TOLD_CHILDREN 2

/* Adds what living children of the rank wait for in the kernel; the rank may wait for the child. */
static void tell_children(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	size_t told = 0;

	for (size_t i = 0; i < q->job->nprocesses && told < TOLD_CHILDREN; i++) {
		const struct job_process *child = &q->job->processes[i];
		struct verdict_fact *fact;

		if (!same_rank(child->rank, rank) || child->role != JOB_ROLE_CHILD ||
			child->end > JOB_ALIVE || !*child->on)
			continue;
		fact = draft_fact(q, draft, FACT_CHILD_OUTSIDE, rank, child->on_cite);
		fact->text = *child->what ? child->what : child->comm;
		fact->text2 = child->on;
		fact->a = child->pid;
		told++;
	}
}

/*
 * True if the draft already tells who has the lock for which the rank waits, and so of which file.
 */
static bool holder_is_told(const struct draft *draft, struct rank_index rank)
{
	for (size_t i = 0; i < draft->facts.nr; i++) {
		const struct verdict_fact *fact = &draft->facts.items[i];

		if ((fact->kind == FACT_LOCK_OF_RANK || fact->kind == FACT_LOCK_OF_OTHER) &&
			fact->ranks.n == 1 && same_rank(*fact->ranks.at, rank))
			return true;
	}
	return false;
}

void outside_tell(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	struct verdict_fact *fact;

	if (!p->process || p->ended || p->frozen)
		return;
	if (*p->process->on && !holder_is_told(draft, rank)) {
		fact = draft_fact(q, draft, FACT_WAITS_OUTSIDE, rank, p->process->on_cite);
		fact->text = p->process->call;
		fact->text2 = p->process->on;
	}
	tell_children(q, rank, draft);
}
