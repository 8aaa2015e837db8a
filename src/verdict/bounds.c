/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was not seen bounds what may be said. Rules look at what is there; whether that is all, is
 * asked here, once and for all of them: while the size of the job is not known, or any of its ranks
 * has not testified, a finding is supported at most, and a job of which nobody seen waits is not
 * called well.
 *
 * A rank has testified if its own boards were read, or it is known to have ended, or its stack
 * tells what it does. That it was merely seen to live is no testimony.
 */
#include "verdict/rule.h"

static bool has_testified(const struct inquiry *q, int rank)
{
	const struct profile *p = &q->profiles[rank];

	if (!p->process)
		return false;
	return p->readable || p->ended || (p->posture.pose != POSE_UNKNOWN && !p->posture.unsure);
}

/* Whether the ranks of the job are fewer than somebody says that there should be. */
static bool lacks_unlisted(const struct job *job)
{
	return (int64_t)job->coverage.ranks.n > (int64_t)job->nranks;
}

enum verdict_lack inquiry_lack(const struct inquiry *q, struct rank_list *lacking)
{
	const struct job *job = q->job;
	enum verdict_lack lack = VERDICT_LACKS_NOTHING;

	if (job->coverage.ranks.n == JOB_NONE)
		return VERDICT_LACKS_SIZE;
	for (size_t i = 0; i < job->nranks; i++)
		if (!q->profiles[i].process)
			lack = VERDICT_LACKS_RANKS;
	if (lack == VERDICT_LACKS_NOTHING && lacks_unlisted(job))
		lack = VERDICT_LACKS_RANKS;
	for (size_t i = 0; i < job->nranks; i++) {
		bool lacks = lack == VERDICT_LACKS_RANKS ? !q->profiles[i].process
							 : !has_testified(q, (int)i);

		if (!lacks)
			continue;
		if (lack == VERDICT_LACKS_NOTHING)
			lack = VERDICT_LACKS_TESTIMONY;
		if (lacking)
			rank_list_add(lacking, (int)i);
	}
	return lack;
}

/* What would have to be there, in words. */
static const char *needs_of(enum verdict_lack lack)
{
	switch (lack) {
	case VERDICT_LACKS_SIZE:
		return "how many ranks the job should have: nobody says";
	case VERDICT_LACKS_RANKS:
		return "evidence of the ranks that were not seen";
	default:
		return "a ring or a telling stack of each rank";
	}
}

/* Nobody of those seen waits; that is no word about the others. */
static void withdraw_health(struct inquiry *q, struct draft *draft, enum verdict_lack lack)
{
	draft->verdict.class = VERDICT_INCONCLUSIVE;
	draft->verdict.confidence = VERDICT_UNKNOWN;
	draft->verdict.next =
		lack == VERDICT_LACKS_RANKS ? VERDICT_NEXT_GET_REST : VERDICT_NEXT_MORE_EVIDENCE;
	inquiry_not_judged(q, VERDICT_HEALTHY, JOB_NONE, needs_of(lack));
}

void judge_bounds(struct inquiry *q)
{
	enum verdict_lack lack = inquiry_lack(q, NULL);

	for (size_t i = 0; lack != VERDICT_LACKS_NOTHING && i < q->drafts.nr; i++) {
		struct draft *draft = &q->drafts.items[i];

		if (draft->verdict.class == VERDICT_HEALTHY) {
			withdraw_health(q, draft, lack);
		} else if (draft->verdict.confidence == VERDICT_ESTABLISHED) {
			draft->verdict.confidence = VERDICT_SUPPORTED;
			inquiry_not_judged(q, VERDICT_INCONCLUSIVE, JOB_NONE, needs_of(lack));
		}
	}
}
