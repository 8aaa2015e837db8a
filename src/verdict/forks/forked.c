/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all forks have in common: ranks of a group entered different operations at one place. And
 * class collective-mismatch, for forks that no other rule has. A camp is to blame only if it, with
 * all of whom nothing is known, is smaller than the largest; else the camps are named and nobody is
 * blamed. Whether it left an op out, has one too many or did another one, the aligned sequences
 * tell.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "job/backends.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "verdict/forks/strays.h"
#include "verdict/rule.h"

size_t fork_minority(const struct fork *fork)
{
	size_t others = 0;

	if (fork->ncamps < 2)
		return SIZE_MAX;
	for (size_t i = 1; i < fork->ncamps; i++)
		others += fork->camps[i].n;
	if (fork->ncamps != 2 || others + fork->unknown >= fork->camps[0].n)
		return SIZE_MAX;
	return 1;
}

static void add_camp(const struct inquiry *q, const struct fork_camp *camp, struct rank_list *list)
{
	for (size_t i = 0; i < camp->n; i++)
		rank_list_add(list, q->job->members[camp->members[i]].rank);
	rank_list_settle(list);
}

/* Blames all but the largest camp, if together they are few enough. False: they are not. */
static bool blame_the_rest(const struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	size_t others = 0;

	for (size_t i = 1; i < fork->ncamps; i++)
		others += fork->camps[i].n;
	if (fork->ncamps < 3 || others + fork->unknown >= fork->camps[0].n)
		return false;
	for (size_t i = 1; i < fork->ncamps; i++)
		add_camp(q, &fork->camps[i], &draft->culprits);
	return true;
}

/* True if ranks wait at this fork in that node: where a group has two forks, at the later one. */
static bool is_node_of(const struct inquiry *q, const struct fork *fork, size_t node)
{
	return q->graph->nodes[node].kind == WAITFOR_FORK &&
	       q->graph->nodes[node].group == fork->group &&
	       q->forked[fork->group] == fork->index;
}

bool fork_stands(const struct inquiry *q, const struct fork *fork)
{
	for (size_t i = 0; i < q->graph->nnodes; i++)
		if (is_node_of(q, fork, i) && q->graph->nodes[i].reached != JOB_UNKNOWN)
			return true;
	return false;
}

bool fork_lacks_member(const struct inquiry *q, const struct fork *fork)
{
	for (size_t i = 0; i < q->graph->nnodes; i++)
		if (is_node_of(q, fork, i) && q->graph->nodes[i].absent)
			return true;
	return false;
}

bool fork_is_gone(const struct inquiry *q, const struct fork *fork)
{
	return !fork->exact && !fork_stands(q, fork);
}

/* Adds who waits at the fork, or for a rank that does. */
static void find_waiting(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));

	for (size_t i = 0; i < q->graph->nnodes; i++)
		marked[i] = is_node_of(q, fork, i);
	find_victims(q, marked, draft);
	free(marked);
}

void fork_share_out(struct inquiry *q, const struct fork *fork, size_t guilty, struct draft *draft)
{
	draft->verdict.group = fork->group;
	draft->verdict.op_index = fork->index;
	draft->verdict.op = fork->camps[0].sig;
	if (guilty != SIZE_MAX) {
		add_camp(q, &fork->camps[guilty], &draft->culprits);
	} else if (!blame_the_rest(q, fork, draft)) {
		add_camp(q, &fork->camps[0], &draft->camp_a);
		add_camp(q, &fork->camps[1], &draft->camp_b);
	}
	find_waiting(q, fork, draft);
}

/* -- what was entered -------------------------------------------------------------------------- */

void fork_tell_first(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	struct verdict_fact *fact;
	struct rank_list *who = draft->culprits.list.nr ? &draft->culprits : &draft->camp_b;
	const struct fork_camp *odd = &fork->camps[1];

	fact = draft_fact_of(q, draft, FACT_FIRST_FORK, who, odd->op->cite);
	fact->a = (int64_t)fork->index;
	fact->b = (int64_t)fork->agreed;
	if (fork->exact) {
		fact->thing = draft_sig(q, &odd->sig);
		fact->thing2 = draft_sig(q, &fork->camps[0].sig);
	}
}

/* Adds who may come yet, where that is why the fewer are not named. */
static void tell_undecided(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	const struct job_group *g = &q->job->groups[fork->group];
	struct rank_list ranks = {0};

	if (draft->culprits.list.nr || !fork->unknown)
		return;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (inquiry_may_come_to(q, fork, m))
			rank_list_add(&ranks, m->rank);
	}
	rank_list_settle(&ranks);
	draft_fact_of(q, draft, FACT_MAY_COME_ANY, &ranks, g->cite);
	array_release(&ranks.list);
}

void fork_tell_camps(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	for (size_t i = 0; i < fork->ncamps && i < 4; i++) {
		struct rank_list ranks = {0};
		struct verdict_fact *fact;

		add_camp(q, &fork->camps[i], &ranks);
		fact = draft_fact_of(q, draft, FACT_CAMP, &ranks, fork->camps[i].op->cite);
		fact->a = (int64_t)fork->index;
		if (fork->exact)
			fact->thing = draft_sig(q, &fork->camps[i].sig);
		array_release(&ranks.list);
	}
	tell_undecided(q, fork, draft);
}

/* -- where nothing better is known ------------------------------------------------------------- */

/* Adds what the culprits left out or have too many, and who called it on the other side. */
static void tell_shift(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	const struct fork_shift *shift = &fork->shift;
	bool skipped = shift->kind == SHIFT_SKIPPED;
	const struct fork_camp *caller = &fork->camps[skipped ? 0 : 1];
	struct rank_list callers = {0};
	struct verdict_fact *fact = draft_fact_of(q, draft, skipped ? FACT_SKIPPED : FACT_EXTRA,
		&draft->culprits, shift->op ? shift->op->cite : caller->op->cite);

	fact->thing = shift->op ? draft_sig(q, &shift->op->sig) : NULL;
	fact->text2 = q->job->groups[fork->group].name;
	fact->a = (int64_t)shift->from;
	fact->b = (int64_t)shift->to;
	fact->c = shift->n > 1 ? (int64_t)shift->n - 1 : JOB_UNKNOWN;
	if (shift->op && *shift->op->place) {
		add_camp(q, caller, &callers);
		draft_fact_of(q, draft, FACT_CALLED_AT, &callers, shift->op->cite)->text =
			shift->op->place;
		array_release(&callers.list);
	}
	if (!shift->seen)
		draft_fact_of(q, draft, FACT_BY_USAGE, &draft->culprits, caller->op->cite);
}

/* True if the side that is to blame left something out, or has something too many. */
static bool is_shifted(const struct fork *fork, const struct draft *draft)
{
	return draft->culprits.list.nr &&
	       (fork->shift.kind == SHIFT_SKIPPED || fork->shift.kind == SHIFT_EXTRA);
}

/* -- an op that another group waits for -------------------------------------------------------- */

/* True if the rank is a member of the wait's group, and has not come to what is waited for. */
static bool is_awaited_there(
	const struct inquiry *q, const struct wait *wait, struct rank_index rank)
{
	by_rank_each(&q->seats, rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];

		if (m->group == q->job->members[wait->member].group)
			return rollcall_of(q->job, m, wait->index) == ROLL_ABSENT;
	}
	return false;
}

static bool is_wanted_elsewhere(const struct inquiry *q, const struct fork *fork,
	const struct job_sig *sig, struct rank_index rank)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		const struct job_op *op;

		if (wait->kind != WAIT_COLLECTIVE || wait->member == JOB_NONE ||
			q->job->members[wait->member].group == fork->group ||
			!is_awaited_there(q, wait, rank))
			continue;
		op = rollcall_op(&q->job->members[wait->member], wait->index);
		if (op && forks_differ(&op->sig, sig) == FORK_NONE)
			return true;
	}
	return false;
}

bool fork_is_for_another_group(const struct inquiry *q, const struct fork *fork, size_t camp)
{
	const struct fork_camp *c = &fork->camps[camp];

	for (size_t i = 0; i < c->n; i++) {
		struct rank_index rank = q->job->members[c->members[i]].rank;

		if (!is_rank(rank) || !is_wanted_elsewhere(q, fork, &c->sig, rank))
			return false;
	}
	return c->n > 0;
}

/* -- what is said of it ------------------------------------------------------------------------ */

void fork_tell_unaligned(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	bool aligned = fork->shift.kind == SHIFT_NONE && fork->shift.alone &&
		       draft->verdict.confidence == VERDICT_ESTABLISHED;

	if (!fork->passed && !aligned && !is_shifted(fork, draft))
		draft_fact(q, draft, FACT_UNALIGNED, NO_RANK, inquiry_cite_all(q));
}

/*
 * True if the ops at the fork differ only in their amount, and no other group waits for one of
 * them.
 */
static bool may_be_an_amount(const struct inquiry *q, const struct fork *fork)
{
	size_t camp = fork_minority(fork);

	return fork->kind == FORK_COUNT && camp != SIZE_MAX &&
	       (fork->shift.kind == SHIFT_NONE || fork->shift.kind == SHIFT_UNTOLD) &&
	       !fork_is_for_another_group(q, fork, camp);
}

/* True if the rank alone makes one side of a fork of two. */
static bool is_side(const struct inquiry *q, const struct fork *fork, struct rank_index rank)
{
	for (size_t i = 0; fork->ncamps == 2 && i < fork->ncamps; i++)
		if (fork->camps[i].n == 1 &&
			same_rank(q->job->members[fork->camps[i].members[0]].rank, rank))
			return true;
	return false;
}

/* Writes a fork of which no side is the smaller one, if ranks that sit alike tell who strays. */
static bool write_stray(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	const struct stray *stray =
		fork_minority(fork) == SIZE_MAX && fork->exact ? inquiry_stray(q) : NULL;

	if (!stray || !is_side(q, fork, stray->rank))
		return false;
	stray_write(q, stray, draft);
	find_waiting(q, fork, draft);
	return true;
}

/* Returns whether the op was called by the main thread of its rank, or by one that works for it. */
static enum job_known by_main(const struct inquiry *q, const struct fork_camp *camp)
{
	struct rank_index rank = q->job->members[camp->members[0]].rank;
	int process = is_rank(rank) ? job_rank(q->job, rank)->process : JOB_NONE;
	const struct job_thread *thread;

	if (!camp->op || camp->op->thread == JOB_NONE || process == JOB_NONE)
		return JOB_MAYBE;
	thread = &q->job->threads[camp->op->thread];
	return thread->tid == q->job->processes[process].pid || waits_is_engine(thread->name)
		       ? JOB_YES
		       : JOB_NO;
}

/*
 * Returns a seat of the two sides whose rank called in the group by several threads, where the one
 * side's op is a main thread's, and the other's is not; NULL. In which order such threads come is
 * chance, on each rank another one.
 */
static const struct job_member *find_racing(const struct inquiry *q, const struct fork *fork)
{
	enum job_known one = by_main(q, &fork->camps[0]), other = by_main(q, &fork->camps[1]);

	if (fork->ncamps != 2 || one == JOB_MAYBE || other == JOB_MAYBE || one == other)
		return NULL;
	for (size_t c = 0; c < fork->ncamps; c++)
		for (size_t i = 0; i < fork->camps[c].n; i++) {
			const struct job_member *m = &q->job->members[fork->camps[c].members[i]];

			if (m->nops > 1 && waits_caller(m->ops, m->nops) == JOB_NONE)
				return m;
		}
	return NULL;
}

/* Writes a fork of threads that come in any order, on each rank in its own: nobody's fault. */
static bool write_race(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	const struct job_member *m = fork->exact ? find_racing(q, fork) : NULL;

	if (!m)
		return false;
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_GROUP_PER_THREAD;
	fork_share_out(q, fork, SIZE_MAX, draft);
	draft_fact(q, draft, FACT_THREADS_RACE, m->rank, m->cite)->text2 =
		q->job->groups[fork->group].name;
	fork_tell_camps(q, fork, draft);
	return true;
}

bool is_calls_fork(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	if (write_race(q, fork, draft) || write_stray(q, fork, draft))
		return true;
	draft->verdict.confidence = fork->exact ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_COMPARE_CALL_SITES;
	fork_share_out(q, fork, fork_minority(fork), draft);
	if (may_be_an_amount(q, fork))
		draft_at_most(draft, VERDICT_SUPPORTED);
	if (is_shifted(fork, draft)) {
		draft->verdict.cause =
			fork->shift.kind == SHIFT_SKIPPED ? VERDICT_BY_SKIPPED : VERDICT_BY_EXTRA;
		draft->verdict.next = VERDICT_NEXT_SAME_CALLS;
		if (!fork->shift.seen || !fork->shift.alone)
			draft_at_most(draft, VERDICT_SUPPORTED);
		tell_shift(q, fork, draft);
	}
	fork_tell_first(q, fork, draft);
	fork_tell_camps(q, fork, draft);
	fork_tell_unaligned(q, fork, draft);
	return true;
}

/*
 * True if the seat testifies about that op: by what it gave to it, or by its own word that it has
 * not come to it.
 */
static bool has_testified(
	const struct inquiry *q, const struct job_member *m, uint64_t index, size_t *entered)
{
	const struct job_op *op = rollcall_op(m, index);

	*entered += op != NULL;
	return op || rollcall_of(q->job, m, index) == ROLL_ABSENT;
}

bool amounts_are_own(const struct job_group *group, const struct job_sig *sig)
{
	return sig->count == JOB_NO_COUNT &&
	       (sig->op == JOB_OP_ALLTOALL || backend_has(group->maker, BACKEND_DRIVEN));
}

void rule_out_mismatch(struct inquiry *q, struct draft *draft)
{
	const struct verdict *v = &draft->verdict;
	const struct job_group *g = v->group == JOB_NONE ? NULL : &q->job->groups[v->group];
	size_t entered = 0;

	/* Where each has amounts of its own, nobody says that they are alike. */
	if (g && amounts_are_own(g, &v->op))
		return;
	if (v->class == VERDICT_COLLECTIVE_MISMATCH || v->class == VERDICT_GRAPH_DIVERGENCE ||
		q->forks->n || !g || !v->op_index || !v->op.op || job_op_is_p2p(v->op.op) ||
		g->unordered)
		return;
	for (uint32_t seat = 0; seat < g->size; seat++)
		if (!has_testified(q, &q->job->members[g->first_member + (int)seat], v->op_index,
			    &entered))
			return;
	if (entered < 2)
		return;
	draft_rule_out(draft, VERDICT_COLLECTIVE_MISMATCH, FACT_SAME_ARGUMENTS,
		q->job->groups[v->group].cite)
		->a = (int64_t)v->op_index;
}
