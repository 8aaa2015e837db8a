/* SPDX-License-Identifier: Apache-2.0 */
/* healthy: nobody waits, and nothing else is wrong. */
#include "verdict/judge.h"
#include "verdict/rule.h"

static void tell_healthy(struct inquiry *q, struct draft *draft)
{
	int64_t alive = 0, ended = 0;
	struct verdict_fact *fact;

	for (size_t i = 0; i < q->job->nranks; i++) {
		alive += q->profiles[i].process && q->profiles[i].process->end == JOB_ALIVE;
		ended += q->profiles[i].death == DEATH_END;
	}
	if (alive) {
		fact = draft_fact(q, draft, FACT_ALIVE, JOB_NONE, "procs");
		fact->a = alive;
	}
	if (ended) {
		draft_fact(q, draft, FACT_ENDED_TOGETHER, JOB_NONE, "procs");
		return;
	}
	draft_fact(q, draft, inquiry_by_dumps(q) ? FACT_DUMPS_COMPLETE : FACT_NOBODY_WAITS,
		JOB_NONE, inquiry_cite_all(q));
}

void judge_healthy(struct inquiry *q)
{
	struct draft *draft = inquiry_draft(q, VERDICT_HEALTHY);

	draft->verdict.confidence = inquiry_unreadable(q) || inquiry_by_dumps(q)
					    ? VERDICT_SUPPORTED
					    : VERDICT_ESTABLISHED;
	tell_healthy(q, draft);
	tell_past_lateness(q, draft);
}
