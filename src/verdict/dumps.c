/* SPDX-License-Identifier: Apache-2.0 */
/* What dumps cannot tell, in a job of which only dumps tell. */
#include "verdict/judge.h"
#include "verdict/rule.h"

/*
 * Judges dumps without any op: before a job's first collective nobody has made an entry. That is
 * said only of dumps that were read whole.
 */
void judge_empty_dumps(struct inquiry *q)
{
	struct draft *draft;

	if (!inquiry_by_dumps(q))
		return;
	job_for_each_rank(q->job, rank)
		if (dumps_are_cut(q, rank))
			return;
	for (size_t i = 0; i < q->job->nmembers; i++)
		if (q->job->members[i].nops || q->job->members[i].np2p || q->job->members[i].head)
			return;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = VERDICT_NEXT_RUN_NEXT_TIME;
	draft_fact(q, draft, FACT_DUMPS_EMPTY, NO_RANK, inquiry_cite_all(q));
	inquiry_not_judged(q, VERDICT_COMPILE_SKEW, NEED_RECORDING, NO_RANK);
}

/* Adds ranks whose last op is over, while nobody says whether it is complete or failed. */
static void tell_unsaid(struct inquiry *q, struct draft *draft)
{
	size_t told = 0;

	for (size_t i = 0; i < q->job->nmembers && told < TOLD_CULPRITS; i++) {
		const struct job_member *m = &q->job->members[i];
		const struct job_op *op = m->nops ? &m->ops[m->nops - 1] : NULL;
		struct verdict_fact *fact;

		if (!op || m->done_known || !is_rank(m->rank) || op->captured ||
			op->completed != JOB_MAYBE || op->index != m->head ||
			!q->profiles[m->rank.i].readable)
			continue;
		fact = draft_fact(q, draft, FACT_OVER_UNSAID, m->rank, op->cite);
		fact->text = inquiry_op_name(op);
		fact->text2 = q->job->groups[m->group].name;
		fact->a = (int64_t)op->index;
		told++;
	}
}

bool dumps_are_cut(const struct inquiry *q, struct rank_index rank)
{
	if (!q->profiles[rank.i].readable)
		return false;
	by_rank_each(&q->losses, rank, k) {
		const struct job_loss *loss = &q->job->losses[q->losses.at[k]];

		if (loss->of_last && !loss->of_p2p)
			return true;
	}
	return false;
}

enum dumps_p2p dumps_p2p(const struct inquiry *q, struct rank_index rank)
{
	enum dumps_p2p p2p = DUMPS_P2P_KNOWN;

	if (job_rank(q->job, rank)->knows != JOB_KNOWS_DUMP)
		return p2p;
	by_rank_each(&q->losses, rank, k) {
		const struct job_loss *loss = &q->job->losses[q->losses.at[k]];

		if (!loss->of_p2p)
			continue;
		if (loss->of_last)
			return DUMPS_P2P_HIDDEN;
		p2p = DUMPS_P2P_MAYBE;
	}
	return p2p;
}

void dumps_tell_hidden(struct inquiry *q, struct draft *draft)
{
	struct rank_list hidden = {0};

	job_for_each_rank(q->job, rank)
		if (q->wanted[rank.i] && !inquiry_longest_wait(q, rank) &&
			dumps_p2p(q, rank) == DUMPS_P2P_HIDDEN)
			rank_list_add(&hidden, rank);
	if (hidden.list.nr) {
		draft_fact_of(q, draft, FACT_MAY_BE_IN_P2P, &hidden, inquiry_cite_all(q));
		draft->verdict.next = VERDICT_NEXT_RUN_NEXT_TIME;
	}
	array_release(&hidden.list);
}

static size_t count_cut(const struct inquiry *q)
{
	size_t n = 0;

	job_for_each_rank(q->job, rank)
		n += dumps_are_cut(q, rank);
	return n;
}

enum verdict_next dumps_to_get(const struct inquiry *q)
{
	bool lacks = inquiry_unreadable(q) || q->job->world_at_least;

	return !lacks && count_cut(q) ? VERDICT_NEXT_WHOLE_DUMPS : VERDICT_NEXT_FIND_DUMPS;
}

/*
 * Judges dumps of some ranks only, or of an unknown part of them, or some that are damaged: nobody
 * in them waits, others may.
 */
void judge_some_dumps(struct inquiry *q)
{
	struct draft *draft;
	size_t told = 0;

	if (!inquiry_by_dumps(q) ||
		(!inquiry_unreadable(q) && !q->job->world_at_least && !count_cut(q)))
		return;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = dumps_to_get(q);
	tell_unsaid(q, draft);
	job_for_each_rank(q->job, rank) {
		bool cut = dumps_are_cut(q, rank);

		if ((cut || !q->profiles[rank.i].readable) && told++ < TOLD_CULPRITS)
			inquiry_not_judged(q, VERDICT_INCONCLUSIVE,
				cut ? NEED_WHOLE_DUMP : NEED_DUMP, rank);
	}
	if (q->job->world_at_least)
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, NEED_WORLD_SIZE, NO_RANK);
}

/* Judges dumps in which all is complete, but which record no sends and receives. */
void judge_hidden_p2p(struct inquiry *q)
{
	bool hidden = false;
	struct draft *draft;

	for (size_t i = 0; i < q->job->nlosses; i++)
		hidden |= q->job->losses[i].of_p2p;
	if (!hidden || !inquiry_by_dumps(q))
		return;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = VERDICT_NEXT_RUN_NEXT_TIME;
	draft_fact(q, draft, FACT_ALL_BUT_P2P, NO_RANK, inquiry_cite_all(q));
	inquiry_not_judged(q, VERDICT_HEALTHY, NEED_P2P, NO_RANK);
}
