/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread of a rank has to come to an op that lacks the rank. A program may have a thread for
 * each of its groups; what one thread waits in does not keep the others. A seat lacks the thread
 * that made all its calls so far, if that is one thread. What the op then waits for, if that thread
 *
 *	waits			what the thread waits in
 *	is seen elsewhere	the thread, which waits for nothing
 *	is outside		the rank: perhaps the thread waits for another one, which waits;
 *				that explains why it does not come, and makes no circle
 *	is in another call	perhaps what its rank waits in
 *
 * Where several threads called there, any of them may be the one that does not come, whatever it is
 * in; where none did yet, any of the rank: so what the rank waits in makes no circle. If only the
 * main thread may, it is that one.
 */
#include "job/spans.h"
#include "job/waitfor/waitfor-make.h"

/* True if it is that thread's wait, or may be: nobody says whose it is. */
static bool is_of(const struct wait *wait, int thread)
{
	return wait->thread == JOB_NONE || wait->thread == thread;
}

/* True if the thread waits; `others`: if another one of the rank does. */
static bool some_wait(
	const struct waitfor_maker *m, struct rank_index rank, int thread, bool others)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (is_of(&m->waits->at[i], thread) != others &&
			waitfor_follows(m, &m->waits->at[i]))
			return true;
	return false;
}

/* True if the thread is held in a wait. */
static bool is_held(const struct waitfor_maker *m, struct rank_index rank, int thread)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (is_of(&m->waits->at[i], thread) && m->waits->at[i].held)
			return true;
	return false;
}

/* True if the thread is in a call that keeps its rank from nothing else (waits-threads.c). */
static bool stands_alone(const struct waitfor_maker *m, struct rank_index rank, int thread)
{
	return m->given->stands[rank.i] != WAITFOR_FINAL &&
	       m->job->threads[thread].state >= JOB_THREAD_IN_CALL &&
	       !waits_is_main(m->job, &m->job->threads[thread]) &&
	       !some_wait(m, rank, thread, false);
}

/* Returns the main thread of the rank (index); JOB_NONE: no record has it. */
static int main_thread(const struct waitfor_maker *m, struct rank_index rank)
{
	struct spans_range range = threads_of(m->job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (waits_is_main(m->job, &m->job->threads[i]))
			return (int)i;
	return JOB_NONE;
}

/* True if the thread is outside every call, and not seen to wait for another of its process. */
static bool is_outside(const struct waitfor_maker *m, int thread)
{
	return m->job->threads[thread].state == JOB_THREAD_OUTSIDE &&
	       waits_joins(m->job, &m->job->threads[thread]) != JOB_YES;
}

static int add_thread(struct waitfor_maker *m, int *slot, struct rank_index rank)
{
	*slot = waitfor_add_node(m, WAITFOR_THREAD, rank, JOB_NONE);
	return *slot;
}

/*
 * Returns a node for a thread that waits for what its rank waits in: perhaps (`perhaps`), or at
 * least without making a circle.
 */
static int loose_node(struct waitfor_maker *m, struct rank_index rank, bool perhaps)
{
	int *slot = &m->loose_node[2 * rank.i + perhaps];

	if (*slot != JOB_NONE)
		return *slot;
	waitfor_add_edge(m, add_thread(m, slot, rank), rank.i);
	m->nodes.items[*slot].perhaps = perhaps;
	m->nodes.items[*slot].loose = true;
	return *slot;
}

/* Returns the node of a thread by itself, which waits for what it waits in. */
static int caller_node(struct waitfor_maker *m, struct rank_index rank, int thread)
{
	int *slot = &m->caller_node[thread], node;

	if (*slot != JOB_NONE)
		return *slot;
	node = add_thread(m, slot, rank);
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (is_of(&m->waits->at[i], thread) && waitfor_follows(m, &m->waits->at[i]))
			waitfor_add_edge(m, node, m->graph->node_of_wait[i]);
	return node;
}

/* True if some thread of the rank stands alone. */
static bool one_stands_alone(const struct waitfor_maker *m, struct rank_index rank)
{
	struct spans_range range = threads_of(m->job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (!waits_is_watchdog(m->job->threads[i].name) && stands_alone(m, rank, (int)i))
			return true;
	return false;
}

/* True if the thread called one of these ops. */
static bool called(const struct job_op *ops, size_t n, int thread)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].thread == thread)
			return true;
	return false;
}

/*
 * True if the thread may be the one to come to that seat's group: it has called there, or none has.
 * One that waits for another of its process does not come before that.
 */
static bool may_come(
	const struct waitfor_maker *m, const struct job_member *member, int thread)
{
	const struct job_thread *t = &m->job->threads[thread];

	return !waits_is_watchdog(t->name) && waits_joins(m->job, t) != JOB_YES &&
	       ((!member->nops && !member->np2p) ||
		       called(member->ops, member->nops, thread) ||
		       called(member->p2p, member->np2p, thread));
}

/* True if a thread of the rank beside that one may come. */
static bool another_may_come(
	const struct waitfor_maker *m, const struct job_member *member, int thread)
{
	struct spans_range range = threads_of(m->job, member->rank);

	for (size_t i = range.from; i < range.to; i++)
		if ((int)i != thread && may_come(m, member, (int)i))
			return true;
	return false;
}

/*
 * Returns the node for a seat whose caller is unknown: several threads called there, or no thread
 * did, so that any may.
 */
static int unknown_caller(struct waitfor_maker *m, const struct job_member *member)
{
	struct rank_index rank = member->rank;
	int thread = main_thread(m, rank);

	if (one_stands_alone(m, rank))
		return loose_node(m, rank, true);
	if (thread == JOB_NONE || !some_wait(m, rank, JOB_NONE, true))
		return rank.i;
	if (another_may_come(m, member, thread) ||
		(!is_held(m, rank, thread) && is_outside(m, thread)))
		return loose_node(m, rank, false);
	return rank.i;
}

int waitfor_seat_node(struct waitfor_maker *m, const struct job_member *member, bool p2p)
{
	struct rank_index rank = member->rank;
	bool of_p2p = member->np2p && (p2p || !member->nops);
	int thread = of_p2p ? waits_caller(member->p2p, member->np2p)
			    : waits_caller(member->ops, member->nops);
	enum job_known joins;

	if (job_rank(m->job, rank)->shares_process)
		return rank.i;
	if (thread == JOB_NONE)
		return unknown_caller(m, member);
	if (stands_alone(m, rank, thread))
		return loose_node(m, rank, true);
	if (!some_wait(m, rank, thread, true))
		return rank.i;
	if (some_wait(m, rank, thread, false))
		return caller_node(m, rank, thread);
	if (m->job->threads[thread].state != JOB_THREAD_OUTSIDE)
		return loose_node(m, rank, true);
	joins = waits_joins(m->job, &m->job->threads[thread]);
	if (joins == JOB_YES)
		return rank.i;
	return joins == JOB_NO ? caller_node(m, rank, thread) : loose_node(m, rank, false);
}
