/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/circles/callers.h"

#include <string.h>

#include "verdict/demands.h"

/* Calls of the kernel in which a thread waits for nothing that its own process does. */
static const char *const apart[] = {"open", "openat", "connect", "accept", "accept4", "flock",
	"nanosleep", "clock_nanosleep", "pause", "rt_sigtimedwait", "rt_sigsuspend", "recvfrom",
	"recvmsg"};

/* Returns the seat of the rank that a wait lacks; NULL: it does not wait for this rank. */
static const struct job_member *lacks(
	const struct inquiry *q, const struct wait *wait, struct rank_index rank)
{
	if (wait->kind != WAIT_COLLECTIVE || wait->member == JOB_NONE)
		return NULL;
	by_rank_each(&q->seats, rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];

		if (m->group == q->job->members[wait->member].group && m->head_known &&
			m->head < wait->index)
			return m;
	}
	return NULL;
}

const struct job_thread *callers_awaited(const struct inquiry *q, struct rank_index rank)
{
	struct demand_list demands = demands_of(q->demands, rank, false);
	int found = JOB_NONE;

	for (size_t i = 0; i < demands.n; i++) {
		const struct job_member *m = lacks(q, &q->waits->at[demands.at[i]], rank);
		int thread = m ? waits_caller(m->ops, m->nops) : JOB_NONE;

		if (m && (thread == JOB_NONE || (found != JOB_NONE && found != thread)))
			return NULL;
		if (m)
			found = thread;
	}
	if (found == JOB_NONE || q->job->threads[found].state != JOB_THREAD_OUTSIDE)
		return NULL;
	return &q->job->threads[found];
}

/* True if there is a stack of each thread that the process had in the latest sample. */
static bool sees_all_threads(const struct inquiry *q, struct rank_index rank, int process)
{
	const struct job_snapshot *snapshot = stackfacts_snapshot(q->job, process);
	unsigned seen = 0;
	size_t from, to;

	stackfacts_of_rank(q->job, rank, &from, &to);
	for (size_t i = from; i < to; i++)
		seen += q->job->stacks[i].process == process;
	return snapshot && snapshot->threads && seen >= snapshot->threads;
}

/*
 * True if all recorded operations of the seats that others wait for were called by threads of which
 * the ring has no lane any more: they have ended.
 */
static bool called_by_ended(const struct inquiry *q, struct rank_index rank)
{
	struct demand_list demands = demands_of(q->demands, rank, false);
	bool found = false;

	for (size_t i = 0; i < demands.n && q->profiles[rank.i].readable; i++) {
		const struct job_member *m = lacks(q, &q->waits->at[demands.at[i]], rank);

		for (size_t k = 0; m && k < m->nops; k++)
			if (m->ops[k].thread != JOB_NONE || m->ops[k].returned != JOB_YES)
				return false;
		if (m && !m->nops)
			return false;
		found |= m != NULL;
	}
	return found;
}

bool callers_gone(const struct inquiry *q, struct rank_index rank)
{
	const struct job_thread *caller = callers_awaited(q, rank);
	const struct job_stack *main = stackfacts_main(q->job, rank);

	if (called_by_ended(q, rank))
		return true;
	return caller && main && main->tid != caller->tid &&
	       !stackfacts_thread(q->job, rank, caller->tid) &&
	       sees_all_threads(q, rank, main->process);
}

bool callers_asleep(const struct inquiry *q, struct rank_index rank)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	const struct job_thread *caller = callers_awaited(q, rank);
	const struct job_stack *stack =
		caller ? stackfacts_thread(q->job, rank, caller->tid) : p->stack;

	if (callers_gone(q, rank))
		return true;
	if (!stack || stack->samples < 2 || stack->moved != JOB_NO ||
		(stack == p->stack && p->for_thread))
		return false;
	for (size_t i = 0; i < sizeof(apart) / sizeof(*apart); i++)
		if (!strcmp(stack->syscall, apart[i]))
			return true;
	return false;
}

void callers_tell(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	const struct job_thread *caller = callers_awaited(q, rank);
	const struct job_stack *stack =
		caller ? stackfacts_thread(q->job, rank, caller->tid) : NULL;
	struct verdict_fact *fact;
	long at;

	if (!stack || stack == p->stack || q->profiles[rank.i].ended)
		return;
	at = stackfacts_program(q->job, stack);
	if (at < 0)
		return;
	fact = draft_fact(q, draft, FACT_THREAD_AT, rank, stack->cite);
	fact->thing = draft_frame(q, stack, at);
	fact->a = caller->tid;
	if (q->waits->now[rank.i] != JOB_UNKNOWN && caller->since != JOB_UNKNOWN)
		fact->b = q->waits->now[rank.i] - caller->since;
}
