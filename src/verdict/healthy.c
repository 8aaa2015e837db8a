/* SPDX-License-Identifier: Apache-2.0 */
/* healthy: nobody waits, and nothing else is wrong. */
#include "verdict/judge.h"
#include "verdict/rule.h"

static void tell_healthy(struct inquiry *q, struct draft *draft)
{
	int64_t alive = 0, ended = 0;
	struct verdict_fact *fact;

	job_for_each_rank(q->job, rank) {
		alive += q->profiles[rank.i].process &&
			 q->profiles[rank.i].process->end == JOB_ALIVE;
		ended += q->profiles[rank.i].death == DEATH_END;
	}
	if (alive) {
		fact = draft_fact(q, draft, FACT_ALIVE, NO_RANK, "procs");
		fact->a = alive;
	}
	if (ended) {
		draft_fact(q, draft, FACT_ENDED_TOGETHER, NO_RANK, "procs");
		return;
	}
	draft_fact(q, draft, inquiry_by_dumps(q) ? FACT_DUMPS_COMPLETE : FACT_NOBODY_WAITS,
		NO_RANK, inquiry_cite_all(q));
}

void judge_healthy(struct inquiry *q)
{
	struct draft *draft = inquiry_draft(q, VERDICT_HEALTHY);

	bool unproved = standstill_may_be(q);

	draft->verdict.confidence = inquiry_unreadable(q) || inquiry_by_dumps(q) || unproved
					    ? VERDICT_SUPPORTED
					    : VERDICT_ESTABLISHED;
	if (unproved)
		inquiry_not_judged(q, VERDICT_HEALTHY, NEED_RANKS_STACKS, NO_RANK);
	tell_healthy(q, draft);
	tell_past_lateness(q, draft);
}
