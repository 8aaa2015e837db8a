/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/hidden-ops.h"

#include <string.h>

#include "base/array.h"
#include "job/spans.h"
#include "verdict/judge.h"
#include "verdict/rule.h"

static bool replays_graphs(const struct inquiry *q, struct rank_index rank)
{
	by_rank_each(&q->seats, rank, k)
		if (q->job->members[q->seats.at[k]].saw_capture)
			return true;
	return false;
}

struct hidden_ops hidden_ops_of(const struct inquiry *q, struct rank_index rank)
{
	struct hidden_ops found = {replays_graphs(q, rank), "", ""};
	const struct spans_range traits = traits_of(q->job, rank);

	for (size_t i = traits.from; i < traits.to; i++) {
		const struct job_trait *trait = &q->job->traits[i];

		if (!strcmp(trait->key, "unseen-ops")) {
			found.by = trait->text;
			found.cite = trait->cite;
		}
	}
	return found;
}

bool hidden_ops_any(const struct inquiry *q, struct rank_index rank)
{
	const struct hidden_ops hidden = hidden_ops_of(q, rank);

	return hidden.replayed || *hidden.by;
}

/* -- held where one may be open ---------------------------------------------------------------- */

/*
 * True if a rank is held in a synchronisation, or in what is not sure, for longer than a hang's
 * time.
 */
static bool is_held(const struct inquiry *q, const struct wait *wait)
{
	return wait->kind != WAIT_P2P && wait->held && wait->age != JOB_UNKNOWN &&
	       wait->age > q->given.threshold_else && (wait->kind == WAIT_SYNC || !wait->sure);
}

/*
 * Adds which victims may replay a graph; and which use the first library found whose ops are
 * unseen.
 */
static void tell_hidden(struct inquiry *q, struct draft *draft)
{
	struct rank_list replaying = {0}, unseen = {0};
	struct hidden_ops first = {false, "", ""};

	for (size_t i = 0; i < draft->victims.list.nr; i++) {
		const struct rank_index rank = draft->victims.list.items[i];
		const struct hidden_ops hidden = hidden_ops_of(q, rank);

		if (hidden.replayed)
			rank_list_add(&replaying, rank);
		if (*hidden.by && !*first.by)
			first = hidden;
		if (*hidden.by && !strcmp(hidden.by, first.by))
			rank_list_add(&unseen, rank);
	}
	if (replaying.list.nr) {
		draft_fact_of(q, draft, FACT_IN_REPLAY, &replaying, inquiry_cite_all(q));
		inquiry_not_judged(q, VERDICT_HOST_STALL, NEED_REPLAYED_OPS, NO_RANK);
	}
	if (unseen.list.nr) {
		draft_fact_of(q, draft, FACT_IN_UNSEEN, &unseen, first.cite)->text = first.by;
		inquiry_not_judged(q, VERDICT_HOST_STALL, NEED_UNSEEN_OPS, NO_RANK);
	}
	array_release(&replaying.list);
	array_release(&unseen.list);
}

/*
 * True if its stack has stood elsewhere, outside of all calls, for longer than a hang's time. What
 * it gave to its device before that may be open all the same.
 */
static bool stands_elsewhere(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	return p->readable && !p->ended && p->posture.stack && !p->posture.unsure &&
	       activities_elsewhere(p->posture.activity) && p->posture.moved == JOB_NO &&
	       p->outside != JOB_UNKNOWN && p->outside > q->given.threshold_else &&
	       inquiry_look(q, rank) != LOOKED_BEFORE;
}

/*
 * All others wait, and these few stand elsewhere: a guess, since what was replayed may wait for
 * others than them. Nobody where of one of the rest nothing is known.
 */
static void guess_who(struct inquiry *q, struct draft *draft)
{
	struct reason why = {0}, other;
	const struct away *away = NULL;
	struct rank_list few = {0};
	bool alike = inquiry_all_seen(q);

	job_for_each_rank(q->job, rank) {
		if (rank_list_has(&draft->victims, rank))
			continue;
		rank_list_add(&few, rank);
		if (few.list.nr == 1)
			away = away_of(q, rank, &why);
		alike &= stands_elsewhere(q, rank) && away && away_of(q, rank, &other) == away;
	}
	if (alike && few.list.nr && few.list.nr < draft->victims.list.nr) {
		draft->culprits = few;
		draft->verdict.confidence = VERDICT_HYPOTHESIS;
		draft->verdict.outlook = why.outlook;
		draft->verdict.where = why.where;
		away_take(q, away, &why, draft);
	} else {
		array_release(&few.list);
	}
}

void judge_hidden_ops(struct inquiry *q)
{
	struct draft *draft = NULL;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (!is_held(q, wait) || !hidden_ops_any(q, wait->rank))
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
	guess_who(q, draft);
	tell_hidden(q, draft);
}
