/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges sinks: ranks that others wait for and that wait for nothing themselves. Each is away for
 * some reason, the first of the table (away.c) that explains it; sinks with one reason are one
 * finding.
 *
 * A majority is not late. If more ranks are missing for a reason that passes than wait for them (or
 * as many, for no known reason), both sides are named and nobody is blamed. If a majority is done
 * and gone, those who still wait for it are the odd ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/backends.h"
#include "job/rollcall.h"
#include "verdict/judge.h"
#include "verdict/profiles/earlier.h"
#include "verdict/rule.h"
#include "verdict/sinks.h"

/* -- who is a sink, and why -------------------------------------------------------------------- */

/*
 * True if others wait for the node and it leads nowhere: a rank, its thread, its sync, or a rank
 * that stopped inside an op.
 */
static bool is_sink(const struct inquiry *q, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];
	bool ends = q->graph->first_edge[at] == q->graph->first_edge[at + 1];

	if (node->reached == JOB_UNKNOWN)
		return false;
	if (node->kind <= WAITFOR_THREAD || node->kind == WAITFOR_SYNC)
		return ends && q->wanted[node->rank.i];
	return node->kind == WAITFOR_STOPPED;
}

/*
 * Adds a suspect with the first reason for the rank to be away. A rank without a reason is left (to
 * unknown.c); so is one that was not looked at since it is awaited, except for ends, which last.
 */
static void suspect(
	const struct inquiry *q, struct rank_index rank, int node, struct suspects *suspects)
{
	struct suspect suspect = {.rank = rank, .node = node};

	if (waitfor_is_guess(q->graph, rank, node))
		return;
	suspect.away = away_of(q, rank, &suspect.why);
	if (suspect.away &&
		((suspect.away->traits & AWAY_LASTS) || inquiry_look(q, rank) != LOOKED_BEFORE))
		*array_add(&suspects->list) = suspect;
}

static void collect(const struct inquiry *q, struct suspects *suspects)
{
	for (size_t i = 0; i < q->graph->nnodes; i++)
		if (is_sink(q, i))
			suspect(q, q->graph->nodes[i].rank, (int)i, suspects);
}

static int compare_suspects(const void *va, const void *vb)
{
	const struct suspect *a = va, *b = vb;

	if (a->why.class != b->why.class)
		return a->why.class < b->why.class ? -1 : 1;
	if (a->why.cause != b->why.cause)
		return a->why.cause < b->why.cause ? -1 : 1;
	if (a->why.where != b->why.where)
		return a->why.where < b->why.where ? -1 : 1;
	if (!same_rank(a->rank, b->rank))
		return a->rank.i < b->rank.i ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* True if two suspects are one finding: alike in all that its headline says. */
static bool same_reason(const struct suspect *a, const struct suspect *b)
{
	return a->why.class == b->why.class && a->why.cause == b->why.cause &&
	       a->why.where == b->why.where;
}

/*
 * Others must have waited for a rank for so many ns before a death, for it to have been away
 * before.
 */
#define AWAY_BEFORE (2 * CLOCK_NS_PER_S)

/* True if others are known to have long waited for this rank when each of the dead ended. */
static bool was_away_before(
	const struct inquiry *q, struct rank_index rank, const struct suspects *suspects)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t since = inquiry_wanted_since(q, rank);

	/* What it does since it failed, or was told to end, is not what it did before that. */
	if (p->told || p->exception || p->thread_exception)
		return false;
	for (size_t i = 0; i < suspects->list.nr; i++) {
		const struct suspect *dead = &suspects->list.items[i];
		int64_t behind;

		if (!(dead->away->traits & AWAY_ENDS))
			continue;
		behind = earlier_by(
			q->clocks, rank, since, dead->rank, q->profiles[dead->rank.i].fault);
		if (behind == JOB_UNKNOWN || behind > -AWAY_BEFORE)
			return false;
	}
	return true;
}

/*
 * Drops suspects whose absence a death explains: ranks that stand outside may be handling its echo.
 * It does not explain ranks that had long been waited for by then.
 */
static void drop_echoes(const struct inquiry *q, struct suspects *suspects)
{
	bool death = false;
	struct suspects left = {0};

	for (size_t i = 0; i < suspects->list.nr; i++)
		death |= (suspects->list.items[i].away->traits & AWAY_ENDS) != 0;
	for (size_t i = 0; i < suspects->list.nr; i++) {
		const struct suspect *suspect = &suspects->list.items[i];

		if (!death || !(suspect->away->traits & AWAY_MAY_ECHO) ||
			was_away_before(q, suspect->rank, suspects))
			*array_add(&left.list) = *suspect;
	}
	array_release(&suspects->list);
	*suspects = left;
}

/* Drops suspects that only wait for another one's compile: they are victims. */
static void drop_followers(struct suspects *suspects)
{
	bool leader = false;
	size_t n = 0;

	for (size_t i = 0; i < suspects->list.nr; i++)
		leader |= !suspects->list.items[i].why.follows &&
			  (suspects->list.items[i].away->traits & AWAY_COMPILES);
	for (size_t i = 0; i < suspects->list.nr; i++)
		if (!leader || !suspects->list.items[i].why.follows)
			suspects->list.items[n++] = suspects->list.items[i];
	suspects->list.nr = n;
}

/* -- the finding ------------------------------------------------------------------------------- */

/* Adds who waits for these suspects; none of them is a victim of the others. */
static void find_waiting(
	struct inquiry *q, const struct suspect *from, size_t n, struct draft *draft)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));

	for (size_t i = 0; i < n; i++) {
		marked[from[i].node] = true;
		marked[from[i].rank.i] = true;
	}
	find_victims(q, marked, draft);
	free(marked);
}

static void swap_lists(struct rank_list *a, struct rank_list *b)
{
	struct rank_list held = *a;

	*a = *b;
	*b = held;
}

/* True if an edge leads from this node to one of n suspects. */
static bool leads_to(
	const struct waitfor *graph, size_t node, const struct suspect *from, size_t n)
{
	for (size_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++)
		for (size_t i = 0; i < n; i++)
			if (graph->edges[e] == from[i].rank.i)
				return true;
	return false;
}

/*
 * Returns how many ranks may be late where these are waited for, for whatever reason, if only
 * stacks tell; 0: other evidence tells who is.
 */
static size_t count_late(const struct inquiry *q, const struct suspect *from, size_t n)
{
	size_t late = 0;

	for (size_t i = 0; q->waits->only_told && i < q->graph->nnodes; i++)
		if (q->graph->nodes[i].late > late && leads_to(q->graph, i, from, n))
			late = q->graph->nodes[i].late;
	return late;
}

/*
 * Returns how many ranks may be gone, too, for all that is known; where only stacks tell, by their
 * stacks.
 */
static size_t count_unknown(const struct inquiry *q)
{
	size_t n = 0;

	if (!q->waits->only_told)
		return inquiry_unreadable(q);
	job_for_each_rank(q->job, rank)
		n += !q->profiles[rank.i].process ||
		     (!q->profiles[rank.i].ended && !q->waits->told[rank.i].key &&
			     !q->waits->told[rank.i].elsewhere);
	if (q->job->coverage.ranks.n > (int)q->job->nranks)
		n += (size_t)q->job->coverage.ranks.n - q->job->nranks;
	return n;
}

/*
 * True if one of these ranks may wait for another, in a send or receive that their dumps never
 * record.
 */
static bool may_wait_for_each_other(
	const struct inquiry *q, const struct reason *why, const struct rank_list *ranks)
{
	for (size_t i = 0; why->by_absence && ranks->list.nr > 1 && i < ranks->list.nr; i++)
		if (dumps_p2p(q, ranks->list.items[i]) != DUMPS_P2P_KNOWN)
			return true;
	return false;
}

/*
 * Takes the blame from a majority. Returns true if the culprits are still those suspected. A rank
 * that has left may be one of many: then those of whom nothing is known count as gone, too. So do
 * those who may be late, where only stacks tell (`late`). A rank that stalls while nobody waits is
 * not to blame; nor are ranks of which one may wait for another.
 */
static bool weigh(struct inquiry *q, size_t late, const struct reason *why, struct draft *draft)
{
	size_t absent = late ? late
			     : draft->culprits.list.nr +
				       waitfor_count_guessed(q->graph, q->wanted);
	size_t waiting = draft->victims.list.nr;
	size_t unknown = why->left ? count_unknown(q) : 0;
	bool half = (why->by_absence || late) && why->progresses && absent == waiting && absent > 1;
	bool idle = (q->waits->only_told || q->standstill) && !waiting;

	if (!idle && !may_wait_for_each_other(q, why, &draft->culprits) &&
		((absent + unknown <= waiting && !half) ||
			!(why->left || why->progresses)))
		return true;
	/*
	 * A dead rank is not done: only ranks that left in good order make the others the odd ones.
	 */
	if (why->left && waiting + unknown < draft->culprits.list.nr) {
		swap_lists(&draft->culprits, &draft->victims);
		array_release(&draft->victims.list);
		draft->verdict.class = why->class == VERDICT_GRAPH_DIVERGENCE
					       ? VERDICT_GRAPH_DIVERGENCE
					       : VERDICT_UNEVEN_SHARD;
		draft->verdict.cause = VERDICT_NO_CAUSE;
		draft_at_most(draft, VERDICT_SUPPORTED);
		return false;
	}
	swap_lists(&draft->culprits, &draft->camp_a);
	for (size_t i = 0; i < waiting; i++)
		rank_list_add(&draft->camp_b, draft->victims.list.items[i]);
	draft_at_most(draft, VERDICT_SUPPORTED);
	if (draft->verdict.next == VERDICT_NEXT_LOOK_AT_CODE)
		draft->verdict.next = VERDICT_NEXT_COMPARE_CALL_SITES;
	return true;
}

const struct wait *sinks_wait_for(const struct inquiry *q, const struct draft *draft,
	struct rank_index rank, const struct job_member **ret_seat)
{
	const struct wait *longest = NULL;

	by_rank_each(&q->seats, rank, k) {
		const struct job_member *seat = &q->job->members[q->seats.at[k]];

		for (size_t i = 0; i < draft->victims.list.nr; i++) {
			const struct wait *wait =
				inquiry_longest_wait(q, draft->victims.list.items[i]);

			if (!wait || wait->member == JOB_NONE || wait->kind == WAIT_P2P ||
				q->job->members[wait->member].group != seat->group ||
				(longest && !inquiry_waits_longer(wait, longest)))
				continue;
			longest = wait;
			*ret_seat = seat;
		}
	}
	return longest;
}

/*
 * Adds which communicator a rank never made, to a fact that says only that it made none. False: no
 * fact does.
 */
static bool said_never_init(struct inquiry *q, struct draft *draft, struct rank_index rank,
	const struct job_member *seat)
{
	for (size_t i = 0; i < draft->facts.nr; i++) {
		struct verdict_fact *fact = &draft->facts.items[i];

		if (fact->kind != FACT_NEVER_INIT || !fact->ranks.n ||
			!same_rank(*fact->ranks.at, rank))
			continue;
		fact->text2 = q->job->groups[seat->group].name;
		return true;
	}
	return false;
}

/*
 * Adds that the rank came to the operation, and left before that was done. That others wait for it
 * is inferred. False: it did not.
 */
static bool tell_left_open(struct inquiry *q, struct rank_index rank, const struct wait *wait,
	const struct job_member *seat, struct draft *draft)
{
	const struct job_op *op = rollcall_op(seat, wait->index);
	struct verdict_fact *fact;

	if (wait->kind != WAIT_COLLECTIVE || !op || op->completed != JOB_NO ||
		!backend_has(q->job->groups[seat->group].maker, BACKEND_DRIVEN))
		return false;
	fact = draft_fact(q, draft, FACT_LEFT_OPEN, rank, op->cite);
	fact->text = inquiry_op_name(op);
	fact->text2 = q->job->groups[seat->group].name;
	fact->a = (int64_t)wait->index;
	draft_at_most(draft, VERDICT_SUPPORTED);
	return true;
}

/*
 * Notes where a rank is awaited; if threads raced for a group's ops, nobody knows at which of them.
 */
static void note_place(const struct inquiry *q, struct draft *draft, const struct wait *wait,
	const struct job_member *seat)
{
	draft->verdict.group = seat->group;
	if (wait->kind == WAIT_COLLECTIVE && q->job->groups[seat->group].unordered)
		return;
	draft->verdict.op_index = wait->kind == WAIT_SPLIT ? 0 : wait->index;
	if (wait->op)
		draft->verdict.op = wait->op->sig;
}

/* Adds that the rank has not come as far as others who wait in that op. */
static void tell_not_entered(struct inquiry *q, struct rank_index rank, const struct wait *wait,
	const struct job_member *seat, struct draft *draft)
{
	const struct job_group *g = &q->job->groups[seat->group];
	struct verdict_fact *fact = draft_fact(q, draft,
		g->unordered ? FACT_ENTERED_FEWER : FACT_NEVER_ENTERED, rank, seat->cite);

	fact->text = g->unordered ? "" : inquiry_op_name(wait->op);
	fact->text2 = g->name;
	fact->a = (int64_t)wait->index;
	fact->b = (int64_t)seat->head;
}

/* It has not come to the making of a communicator: by an init, or by a split of another. */
static void tell_not_made(struct inquiry *q, struct rank_index rank, const struct wait *wait,
	const struct job_member *seat, struct draft *draft)
{
	const struct job_group *group = &q->job->groups[seat->group];
	struct verdict_fact *fact;

	if (wait->kind == WAIT_SPLIT) {
		fact = draft_fact(q, draft, FACT_NEVER_ENTERED, rank, seat->cite);
		fact->text = "CommSplit";
		fact->text2 = group->name;
		fact->a = (int64_t)wait->index;
		fact->b = (int64_t)seat->splits;
	} else if (rollcall_is_bootstrap(group)) {
		if (!seat->seat.n)
			draft_fact(q, draft, FACT_NEVER_GAVE_ID, rank, seat->cite)->text2 =
				group->name;
	} else if (!said_never_init(q, draft, rank, seat)) {
		draft_fact(q, draft, FACT_NEVER_INIT, rank, seat->cite)->text2 = group->name;
	}
}

static void tell_absence(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_member *seat = NULL;
	const struct wait *wait = sinks_wait_for(q, draft, rank, &seat);

	if (!wait)
		return;
	if (draft->verdict.group == JOB_NONE)
		note_place(q, draft, wait, seat);
	if (wait->kind == WAIT_SPLIT || wait->kind == WAIT_INIT) {
		tell_not_made(q, rank, wait, seat, draft);
		return;
	}
	if (tell_left_open(q, rank, wait, seat, draft) || !seat->head_known ||
		seat->head >= wait->index)
		return;
	if (seat->state == JOB_MEMBER_GONE)
		draft_fact(q, draft, FACT_LEFT_GROUP, rank, seat->cite)->text2 =
			q->job->groups[seat->group].name;
	tell_not_entered(q, rank, wait, seat, draft);
}

/*
 * Adds where a rank still waits while the others are done, since when, and what it has in excess.
 */
static void tell_odd_one(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct wait *wait = inquiry_longest_wait(q, rank);

	if (wait && wait->kind == WAIT_COLLECTIVE) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_WAITS_IN_OP, rank, wait->cite);

		draft->verdict.group = q->job->members[wait->member].group;
		draft->verdict.op_index = wait->index;
		draft->verdict.waiting = wait->age;
		fact->text = inquiry_op_name(wait->op);
		fact->text2 = q->job->groups[draft->verdict.group].name;
		fact->a = (int64_t)wait->index;
		fact->b = wait->age;
	}
	tell_left(q, rank, draft);
}

static void tell_all(
	struct inquiry *q, const struct suspect *from, size_t n, bool blamed, struct draft *draft)
{
	for (size_t i = 0; blamed && i < n && i < TOLD_CULPRITS; i++) {
		from[i].away->tell(q, from[i].rank, draft);
		tell_absence(q, from[i].rank, draft);
		if (!q->profiles[from[i].rank.i].compile.bracket &&
			!(from[i].away->traits & AWAY_TELLS_GRAPHS))
			tell_graphs(q, from[i].rank, draft);
	}
	for (size_t i = 0; !blamed && i < draft->culprits.list.nr && i < TOLD_CULPRITS; i++)
		tell_odd_one(q, draft->culprits.list.items[i], draft);
	for (size_t i = 0; !blamed && i < n && i < TOLD_CULPRITS; i++)
		from[i].away->tell(q, from[i].rank, draft);
}

/* Adds the victims that wait for a lock which a culprit or camp has. */
static void tell_lock_waiters(struct inquiry *q, struct draft *draft)
{
	size_t told = 0;

	for (size_t i = 0; i < q->waits->n && told < TOLD_CULPRITS; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind != WAIT_LOCK || !(rank_list_has(&draft->culprits, wait->holder) ||
						       rank_list_has(&draft->camp_a, wait->holder)))
			continue;
		stacks_tell(q, wait->rank, draft);
		told++;
	}
}

/* Adds ranks that wait for a file's lock which a culprit may have. */
static void tell_locked(struct inquiry *q, struct draft *draft)
{
	size_t told = 0;

	for (struct rank_index rank = {0}; job_has_rank(q->job, rank) && told < TOLD_CULPRITS;
		rank.i++) {
		const struct waits_told *stack = &q->waits->told[rank.i];

		if (!stack->elsewhere || !stack->in_lock || stack->lock_known ||
			rank_list_has(&draft->culprits, rank) ||
			rank_list_has(&draft->camp_a, rank))
			continue;
		stacks_tell(q, rank, draft);
		told++;
	}
}

/* Writes one finding of n suspects with one reason; it is as sure as the least sure of them. */
static struct draft *write_finding(struct inquiry *q, const struct suspect *from, size_t n)
{
	struct draft *draft = inquiry_draft(q, from->why.class);
	enum verdict_confidence weakest = from->why.confidence;
	size_t late = count_late(q, from, n);
	bool blamed;

	for (size_t i = 0; i < n; i++) {
		rank_list_add(&draft->culprits, from[i].rank);
		if (from[i].why.confidence < weakest)
			weakest = from[i].why.confidence;
		if (from[i].why.outlook == VERDICT_KILL || !i)
			draft->verdict.outlook = from[i].why.outlook;
		if (from[i].why.untimed)
			inquiry_not_judged(q, from->why.class, NEED_TIMES, from[i].rank);
	}
	draft->verdict.confidence = weakest;
	draft->verdict.cause = from->why.cause;
	draft->verdict.where = from->why.where;
	draft->verdict.next = from->why.next;
	rank_list_settle(&draft->culprits);
	find_waiting(q, from, n, draft);
	blamed = weigh(q, late, &from->why, draft);
	tell_all(q, from, n, blamed, draft);
	if (blamed && from->why.next == VERDICT_NEXT_RUN_NEXT_TIME)
		draft_fact(q, draft, FACT_DUMP_ONLY, NO_RANK, inquiry_cite_all(q));
	sinks_doubt(q, from, n, blamed, draft);
	tell_lock_waiters(q, draft);
	if (late)
		tell_locked(q, draft);
	return draft;
}

/* Writes one finding per reason; the suspects are used up. */
static void write_findings(struct inquiry *q, struct suspects *suspects)
{
	const struct suspect *list;
	size_t n;

	drop_echoes(q, suspects);
	drop_followers(suspects);
	array_sort(&suspects->list, compare_suspects);
	list = suspects->list.items;
	n = suspects->list.nr;
	for (size_t from = 0, to; from < n; from = to) {
		struct draft *draft;

		for (to = from; to < n && same_reason(&list[from], &list[to]); to++)
			;
		draft = write_finding(q, &list[from], to - from);
		if (sinks_may_follow(&list[from], suspects))
			draft_at_most(draft, VERDICT_HYPOTHESIS);
	}
	array_release(&suspects->list);
}

void judge_sinks(struct inquiry *q)
{
	struct suspects suspects = {0};

	collect(q, &suspects);
	write_findings(q, &suspects);
}

void judge_idle(struct inquiry *q, const struct rank_list *ranks)
{
	struct suspects suspects = {0};

	for (size_t i = 0; i < ranks->list.nr; i++)
		suspect(q, ranks->list.items[i], ranks->list.items[i].i, &suspects);
	write_findings(q, &suspects);
}

/* Who looks at a process may stop it for so many ns. */
#define STOPS_AT_LEAST (2 * CLOCK_NS_PER_S)

/* True if the rank is stopped, and has done nothing for so long. */
static bool is_stopped(const struct profile *p)
{
	return p->process && !p->ended && p->frozen &&
	       (p->posture.stands >= STOPS_AT_LEAST || p->outside >= STOPS_AT_LEAST);
}

void judge_stopped(struct inquiry *q)
{
	struct rank_list stopped = {0};

	job_for_each_rank(q->job, rank)
		if (is_stopped(&q->profiles[rank.i]))
			rank_list_add(&stopped, rank);
	if (stopped.list.nr)
		judge_idle(q, &stopped);
	array_release(&stopped.list);
}
