/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of CUDA that are replayed: what runs in them is not recorded. */
#include "verdict/judge.h"

/* A seat that captured once may replay ever after, and replays are not recorded. */
static bool replays_graphs(const struct inquiry *q, struct rank_index rank)
{
	by_rank_each(&q->seats, rank, k)
		if (q->job->members[q->seats.at[k]].saw_capture)
			return true;
	return false;
}

/* Held in a synchronisation, by what may be a replayed graph: its operations are not recorded. */
void judge_replays(struct inquiry *q)
{
	struct draft *draft = NULL;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind == WAIT_P2P || !wait->held || wait->age == JOB_UNKNOWN ||
			wait->age <= q->given.threshold_else || !replays_graphs(q, wait->rank) ||
			(wait->kind != WAIT_SYNC && wait->sure))
			continue;
		if (!draft)
			draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		rank_list_add(&draft->victims, wait->rank);
		draft->verdict.waiting = wait->age;
	}
	if (!draft)
		return;
	draft->verdict.next = VERDICT_NEXT_STACK_OF_RANK;
	rank_list_settle(&draft->victims);
	draft_fact_of(q, draft, FACT_IN_REPLAY, &draft->victims, inquiry_cite_all(q));
	inquiry_not_judged(q, VERDICT_HOST_STALL, NEED_REPLAYED_OPS, NO_RANK);
}
