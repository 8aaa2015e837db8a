/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges waits of which the reason is unknown: the wait-for graph ends where nothing is known, or
 * no end of it explains the wait. The finding says what it would need.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/calls.h"
#include "job/rollcall.h"
#include "job/spans.h"
#include "verdict/activities/activities.h"
#include "verdict/judge.h"
#include "verdict/rule.h"

/* After so many ns a cause is sought for a wait of which only stacks tell. */
#define UNRECORDED_LEAST (2 * CLOCK_NS_PER_S)

/* Names the seats of the group that nobody knows, or the ranks whose ring would tell. */
static void name_unknown(struct inquiry *q, int group, struct draft *draft)
{
	const struct job_group *g = &q->job->groups[group];
	bool by_dumps = inquiry_by_dumps(q), all = rollcall_lists_all(g), others = !g->sized;
	struct rank_list dumps = {0};
	size_t told = 0;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (m->state != JOB_MEMBER_UNSEEN && m->head_known)
			continue;
		others |= !is_rank(m->rank) && !all;
		if (!is_rank(m->rank) && all && draft->unknown.nr < 64)
			*array_add(&draft->unknown) = (struct verdict_seat){group, m->seat};
		else if (is_rank(m->rank) && !q->profiles[m->rank.i].readable) {
			if (by_dumps)
				rank_list_add(&dumps, m->rank);
			else
				inquiry_not_judged(q, VERDICT_INCONCLUSIVE, NEED_RING, m->rank);
			if (told++ < TOLD_CULPRITS)
				stacks_tell(q, m->rank, draft);
		}
	}
	dumps_ask_for(q, &dumps);
	array_release(&dumps.list);
	if (others)
		inquiry_not_judged_of(q, VERDICT_INCONCLUSIVE, NEED_MEMBERS, g->name, 0);
}

/* True if the node is an end of the graph about which nothing can be said. */
static bool is_unknown_end(const struct inquiry *q, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];
	bool ends = q->graph->first_edge[at] == q->graph->first_edge[at + 1];

	if (node->reached == JOB_UNKNOWN)
		return false;
	if (node->kind <= WAITFOR_THREAD)
		return ends && q->wanted[node->rank.i];
	if (node->kind == WAITFOR_SYNC)
		return q->wanted[node->rank.i];
	return node->unknown && !node->absent && ends;
}

/* Names what would tell who is waited for in PyTorch's store. */
static enum verdict_need need_of_store(const struct wait *wait)
{
	if (waits_in_some_init(wait))
		return NEED_WHO_IN_INIT;
	if (waits_is_for(wait, WAITS_SOME_OP))
		return NEED_WHO_IN_OP;
	if (waits_is_for(wait, WAITS_FOR_STORE))
		return NEED_STORE_ADDRESS;
	if (waits_is_for(wait, WAITS_FOR_RANKS))
		return NEED_WHO_AT_STORE;
	return NEED_WHO_SETS_KEY;
}

/* Names what would tell of this end. */
static void ask_for(struct inquiry *q, const struct waitfor_node *node, struct draft *draft)
{
	if (node->group != JOB_NONE) {
		name_unknown(q, node->group, draft);
		draft->verdict.group = node->group;
		draft->verdict.op_index = node->index;
	} else if (node->kind == WAITFOR_STORE) {
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE,
			need_of_store(&q->waits->at[node->wait]), NO_RANK);
	} else if (is_rank(node->rank) && inquiry_look(q, node->rank) != LOOKED_BEFORE) {
		bool ended = q->profiles[node->rank.i].ended;

		inquiry_not_judged(q, VERDICT_INCONCLUSIVE,
			ended ? NEED_REASON_OF_END : NEED_STATE, node->rank);
	}
}

/* -- a key that nobody sets -------------------------------------------------------------------- */

/* True if ranks wait there for a key of the store to which a program gave a name. */
static bool is_named_key(const struct inquiry *q, const struct waitfor_node *node)
{
	const struct wait *wait =
		node->kind == WAITFOR_STORE ? &q->waits->at[node->wait] : NULL;

	return wait && need_of_store(wait) == NEED_WHO_SETS_KEY && *wait->key;
}

/* Returns the long wait of a rank for a key; NULL: it waits in something else. */
static const struct wait *key_wait_of(const struct inquiry *q, struct rank_index rank)
{
	const struct wait *wait = inquiry_longest_wait(q, rank);

	return wait && wait->kind == WAIT_STORE ? wait : NULL;
}

/* True if each rank of the job was seen, and has waited long: none is left that could set a key. */
static bool all_wait(const struct inquiry *q, const struct draft *draft)
{
	if (!inquiry_all_seen(q))
		return false;
	job_for_each_rank(q->job, rank)
		if (!rank_list_has(&draft->victims, rank) || !inquiry_longest_wait(q, rank))
			return false;
	return true;
}

/*
 * Names both sides if some ranks ask for a key and all others wait for these: whoever asks waits
 * for one of the others, or for somebody outside of the job. It is likely that they do not agree,
 * and unknown which of them is wrong. Nothing is said if all ask for keys: then it is unknown who
 * waits for whom.
 */
static void tell_keys(struct inquiry *q, struct draft *draft)
{
	for (size_t i = 0; i < draft->victims.list.nr; i++) {
		struct rank_index rank = draft->victims.list.items[i];

		rank_list_add(key_wait_of(q, rank) ? &draft->camp_a : &draft->camp_b, rank);
	}
	if (!draft->camp_a.list.nr || !draft->camp_b.list.nr) {
		array_release(&draft->camp_a.list);
		array_release(&draft->camp_b.list);
		return;
	}
	array_release(&draft->victims.list);
	for (size_t i = 0; i < draft->camp_b.list.nr; i++)
		rank_list_add(&draft->victims, draft->camp_b.list.items[i]);
	draft->verdict.class = VERDICT_COLLECTIVE_MISMATCH;
	draft->verdict.confidence = VERDICT_HYPOTHESIS;
	for (size_t i = 0; i < draft->camp_a.list.nr && i < TOLD_CULPRITS; i++) {
		const struct wait *wait = key_wait_of(q, draft->camp_a.list.items[i]);
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_KEY_UNSET, wait->rank, wait->cite);

		fact->text = wait->key;
		fact->b = wait->age;
	}
}

/* One inconclusive finding has all ends about which nothing can be said, with what they need. */
void judge_unknown(struct inquiry *q)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));
	bool any = false, keys = true;
	struct draft *draft;

	for (size_t i = 0; i < q->graph->nnodes; i++) {
		any |= marked[i] = is_unknown_end(q, i);
		keys &= !marked[i] || is_named_key(q, &q->graph->nodes[i]);
	}
	if (any) {
		draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		draft->verdict.next = inquiry_by_dumps(q) ? dumps_to_get(q)
							  : VERDICT_NEXT_MORE_EVIDENCE;
		find_victims(q, marked, draft);
		dumps_tell_hidden(q, draft);
		if (keys && all_wait(q, draft))
			tell_keys(q, draft);
		for (size_t i = 0; i < q->graph->nnodes; i++)
			if (marked[i])
				ask_for(q, &q->graph->nodes[i], draft);
	}
	free(marked);
}

/* True if another thread of the rank called something after that wait had begun. */
static bool went_on_since(const struct inquiry *q, const struct wait *wait)
{
	struct spans_range range = threads_of(q->job, wait->rank);

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_thread *thread = &q->job->threads[i];

		if ((int)i != wait->thread && thread->since != JOB_UNKNOWN &&
			thread->since > wait->since)
			return true;
	}
	return false;
}

/*
 * True if the wait is in a call of a library in which the host itself waits, nobody knows for what.
 */
static bool is_in_some_call(const struct inquiry *q, const struct wait *wait)
{
	return wait->kind == WAIT_OTHER ||
	       (wait->kind == WAIT_SYNC &&
		       call_is_on_host(q->job->threads[wait->thread].call));
}

/*
 * True if any wait is long enough to ask why. A wait in a call of which the ring tells no group is
 * so only if the rank's stack is not elsewhere: a thread that serves may stand there for good.
 */
static bool somebody_stands(const struct inquiry *q)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		const struct posture *p = &q->profiles[wait->rank.i].posture;

		if (waitfor_stands(q->job, wait, &q->given) &&
			(wait->kind <= WAIT_STORE ||
				(is_in_some_call(q, wait) && !went_on_since(q, wait) &&
					(p->activity == ACTIVITY_UNKNOWN ||
						activities_waits(p->activity)))))
			return true;
	}
	return false;
}

/*
 * True if nobody says when the rank's host was read: how long anything there has lasted is unknown.
 */
static bool is_untimed(const struct inquiry *q, struct rank_index rank)
{
	int host = job_rank(q->job, rank)->host;

	return host != JOB_NONE && q->job->hosts[host].guessed && !q->profiles[rank.i].ended;
}

/*
 * True if somebody waits, and nobody says when that was seen, or since when it is so: it may be for
 * long. A rank that came late before then must not be blamed for it, and the job must not be called
 * well. So it is where a thread was read while it moved, and nobody says when.
 */
static bool somebody_waits_untimed(const struct inquiry *q)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		bool undated = wait->age == JOB_UNKNOWN && !q->profiles[wait->rank.i].ended;
		bool untimed = is_untimed(q, wait->rank);
		bool sure = wait->kind <= WAIT_STORE && wait->sure;

		if ((untimed && wait->held) || ((untimed || undated) && sure))
			return true;
	}
	for (size_t i = 0; i < q->job->nthreads; i++) {
		const struct job_thread *thread = &q->job->threads[i];

		if (thread->state == JOB_THREAD_UNKNOWN && is_rank(thread->rank) &&
			is_untimed(q, thread->rank))
			return true;
	}
	return false;
}

void judge_unexplained(struct inquiry *q)
{
	struct draft *draft;

	if (!somebody_stands(q) && !somebody_waits_untimed(q) && q->job->nranks)
		return;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	job_for_each_rank(q->job, rank)
		if (inquiry_longest_wait(q, rank))
			rank_list_add(&draft->victims, rank);
}

/* True if the rank slept there, or was there at each look, for that long. */
static bool is_there_for(const struct posture *p, int64_t span)
{
	return (p->lingers != JOB_UNKNOWN && p->lingers >= span) ||
	       (p->moved == JOB_NO && p->stands >= span);
}

bool waits_unrecorded(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *profile = &q->profiles[rank.i];
	const struct posture *p = &profile->posture;

	return p->stack && !profile->ended && activities_waits(p->activity) &&
	       is_there_for(p, UNRECORDED_LEAST) &&
	       (profile->outside == JOB_UNKNOWN || profile->outside >= UNRECORDED_LEAST) &&
	       !inquiry_longest_wait(q, rank);
}

bool may_wait_unrecorded(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *profile = &q->profiles[rank.i];
	const struct posture *p = &profile->posture;

	return p->stack && !profile->ended && activities_waits(p->activity) &&
	       call_is_unrecorded(p->call) && !inquiry_longest_wait(q, rank);
}

void judge_unrecorded(struct inquiry *q)
{
	struct draft *draft = NULL;

	job_for_each_rank(q->job, rank) {
		if (!waits_unrecorded(q, rank))
			continue;
		draft = draft ? draft : inquiry_draft(q, VERDICT_INCONCLUSIVE);
		rank_list_add(&draft->victims, rank);
		if (draft->victims.list.nr <= TOLD_CULPRITS)
			stacks_tell(q, rank, draft);
	}
	if (!draft)
		return;
	draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	inquiry_not_judged(q, VERDICT_HOST_STALL, NEED_WHO_IN_OP, NO_RANK);
}
