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
	tell_hidden(q, draft);
}
