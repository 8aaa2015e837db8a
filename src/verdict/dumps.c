/* SPDX-License-Identifier: Apache-2.0 */
/* What dumps cannot tell, in a job of which only dumps tell. */
#include <string.h>

#include "job/spans.h"
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

/* True if the rank left a dump, which tells of nothing but the past. */
static bool is_of_past(const struct inquiry *q, struct rank_index rank)
{
	struct spans_range range = traits_of(q->job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (!strcmp(q->job->traits[i].key, "flight-recorder"))
			return !(job_rank(q->job, rank)->knows & JOB_KNOWS_DUMP);
	return false;
}

/* True if all that lack left such a dump. */
static bool are_all_of_past(const struct inquiry *q)
{
	bool any = false;

	job_for_each_rank(q->job, rank) {
		if (q->profiles[rank.i].readable)
			continue;
		if (!is_of_past(q, rank))
			return false;
		any = true;
	}
	return any && !q->job->world_at_least;
}

void dumps_ask_for(struct inquiry *q, const struct rank_list *ranks)
{
	struct rank_list none = {0}, past = {0};

	for (size_t i = 0; i < ranks->list.nr; i++)
		rank_list_add(is_of_past(q, ranks->list.items[i]) ? &past : &none,
			ranks->list.items[i]);
	inquiry_not_judged_each(q, VERDICT_INCONCLUSIVE, NEED_DUMP, &none);
	inquiry_not_judged_each(q, VERDICT_INCONCLUSIVE, NEED_LATER_DUMP, &past);
	array_release(&none.list);
	array_release(&past.list);
}

enum verdict_next dumps_to_get(const struct inquiry *q)
{
	bool lacks = inquiry_unreadable(q) || q->job->world_at_least;

	if (are_all_of_past(q))
		return VERDICT_NEXT_LATER_DUMPS;
	if (lacks)
		return VERDICT_NEXT_FIND_DUMPS;
	return count_cut(q) ? VERDICT_NEXT_WHOLE_DUMPS : VERDICT_NEXT_MORE_EVIDENCE;
}

/*
 * Judges dumps of some ranks only, or of an unknown part of them, or some that are damaged: nobody
 * in them waits, others may.
 */
void judge_some_dumps(struct inquiry *q)
{
	struct rank_list lacking = {0};
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

		if (cut && told++ < TOLD_CULPRITS)
			inquiry_not_judged(q, VERDICT_INCONCLUSIVE, NEED_WHOLE_DUMP, rank);
		else if (!q->profiles[rank.i].readable)
			rank_list_add(&lacking, rank);
	}
	dumps_ask_for(q, &lacking);
	array_release(&lacking.list);
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
