/* SPDX-License-Identifier: Apache-2.0 */
/* Class gpu-stall, of a rank in a synchronisation that nothing explains. */
#include "job/calls.h"
#include "verdict/hidden-ops.h"
#include "verdict/profiles/stopped.h"
#include "verdict/rule.h"

/*
 * True if the rank waits for a device: not in a call of a library in which the host itself waits.
 */
static bool is_in_sync(const struct inquiry *q, struct rank_index rank)
{
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind == WAIT_SYNC && wait->held &&
			!call_is_on_host(q->job->threads[wait->thread].call))
			return true;
	}
	return false;
}

bool explains_sync(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!p->readable || p->ended || inquiry_lost_ops(q, rank) || !is_in_sync(q, rank))
		return false;
	why->confidence = job_rank(q->job, rank)->knows & JOB_KNOWS_COMPLETION &&
					  !hidden_ops_any(q, rank) && !stopped_maybe(q, rank)
				  ? VERDICT_SUPPORTED
				  : VERDICT_HYPOTHESIS;
	why->outlook = VERDICT_OUTLOOK_UNKNOWN;
	why->next = VERDICT_NEXT_CHECK_GPU;
	why->progresses = true;
	return true;
}

void tell_sync(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	int64_t age = JOB_UNKNOWN;

	inquiry_held_in(q, rank, WAIT_SYNC, &age);
	draft_fact(q, draft, FACT_IN_SYNC, rank, q->profiles[rank.i].outside_cite)->a = age;
	if (stopped_maybe(q, rank))
		inquiry_not_judged(q, VERDICT_HOST_STALL, NEED_STATE, rank);
	if (hidden_ops_any(q, rank))
		draft_fact(q, draft, FACT_MAY_BE_IN_UNSEEN, rank,
			q->profiles[rank.i].outside_cite)
			->text = hidden_ops_of(q, rank).by;
}
