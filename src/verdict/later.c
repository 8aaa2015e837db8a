/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deaths that came out of a hang. A standing wait stays one: a rank that had come to an operation
 * at which others went another way, or did not come, and that was killed after that, is a killed
 * victim. It does not take the headline; its end is told after the cause of its wait.
 */
#include "verdict/judge.h"

/* True if the end may be somebody's answer to a hang. A fault, memory or an exception is none. */
static bool is_killed(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	return p->cause == VERDICT_BY_KILLED || p->cause == VERDICT_NO_CAUSE ||
	       p->cause == VERDICT_BY_ABORT;
}

/* True if the rank itself entered that operation of that group. */
static bool has_entered(const struct inquiry *q, struct rank_index rank, int group, uint64_t index)
{
	by_rank_each(&q->seats, rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];

		if (m->group == group && m->head_known && m->head >= index)
			return true;
	}
	return false;
}

static bool explains_hangs(const struct draft *draft)
{
	static const bool never[VERDICT_CLASSES] = {
		[VERDICT_RANK_DEATH] = true,
		[VERDICT_NODE_LOSS] = true,
		[VERDICT_SLOW] = true,
		[VERDICT_HEALTHY] = true,
		[VERDICT_INCONCLUSIVE] = true,
	};

	return !never[draft->verdict.class] && draft->verdict.group != JOB_NONE &&
	       draft->verdict.op_index;
}

/*
 * True if all these deaths came out of what the other finding is about, and nobody waits for them
 * who does not wait there, too.
 */
static bool is_later(const struct inquiry *q, const struct draft *death, const struct draft *other)
{
	if (!explains_hangs(other) || (death->victims.list.nr && !other->victims.list.nr))
		return false;
	for (size_t i = 0; i < death->culprits.list.nr; i++) {
		struct rank_index rank = death->culprits.list.items[i];

		if (!is_killed(q, rank) ||
			!has_entered(q, rank, other->verdict.group, other->verdict.op_index))
			return false;
	}
	return death->culprits.list.nr > 0;
}

/*
 * True if all of them aborted: that is how backends and watchdogs end ranks that wait for others.
 */
static bool are_aborts(const struct inquiry *q, const struct draft *death)
{
	for (size_t i = 0; i < death->culprits.list.nr; i++)
		if (q->profiles[death->culprits.list.items[i].i].cause != VERDICT_BY_ABORT)
			return false;
	return death->culprits.list.nr > 0;
}

/*
 * Puts a death behind the finding it came of. That an abort came of its rank alone is then a guess.
 */
static void stand_behind(const struct inquiry *q, struct draft *death, const struct draft *other)
{
	if (death->weight >= other->weight)
		death->weight = other->weight - 1;
	if (are_aborts(q, death) && death->verdict.confidence > VERDICT_HYPOTHESIS)
		death->verdict.confidence = VERDICT_HYPOTHESIS;
}

void judge_later_ends(struct inquiry *q)
{
	for (size_t i = 0; i < q->drafts.nr; i++) {
		struct draft *death = &q->drafts.items[i];

		if (death->verdict.class != VERDICT_RANK_DEATH)
			continue;
		for (size_t k = 0; k < q->drafts.nr; k++) {
			const struct draft *other = &q->drafts.items[k];

			if (is_later(q, death, other))
				stand_behind(q, death, other);
		}
	}
}
