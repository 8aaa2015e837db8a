/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which of its group's collectives a seat waits. A device does them in their order, so it is the
 * first that may not be complete, and later ones wait behind it. Where hosts drive them it is the
 * one whose call the host is in: what it began before, and has not waited for, keeps nobody.
 */
#include "job/backends.h"
#include "job/rollcall.h"
#include "job/waitfor/waits.h"

/* True if the rank in this seat has ended, in whatever way. */
static bool has_ended(const struct job *job, const struct job_member *m)
{
	int process = is_rank(m->rank) ? job_rank(job, m->rank)->process : JOB_NONE;

	return process != JOB_NONE && job->processes[process].end > JOB_ALIVE;
}

/*
 * True if nobody waits for the op: it is empty, refused, or only recorded into a graph. An op that
 * failed after it was issued was waited for, if it is the last that a rank did before it ended.
 */
static bool is_nothing(
	const struct job *job, const struct job_member *m, const struct job_op *op)
{
	if (!op || op->sig.count == 0 || op->captured)
		return op;
	return op->failed && (!backend_has(job->groups[m->group].maker, BACKEND_GIVES_UP) ||
				     op->index != m->head || !has_ended(job, m));
}

uint64_t waits_past_nothing(const struct job *job, const struct job_member *m, uint64_t first)
{
	while (first <= m->head && is_nothing(job, m, rollcall_op(m, first)))
		first++;
	return first;
}

/* Returns the first index that may not be complete; beyond head: all are. */
static uint64_t first_incomplete(
	const struct job *job, const struct job_member *m, uint64_t rear)
{
	const struct job_op *last = rollcall_op(m, m->head);

	if (m->done_known)
		return waits_past_nothing(job, m, m->done + 1);
	if (rear < m->head)
		return waits_past_nothing(job, m, rear + 1);
	if (last && last->completed == JOB_YES)
		return m->head + 1;
	return waits_past_nothing(job, m, m->head);
}

const struct job_op *waits_unreturned(const struct job_member *m, uint64_t from)
{
	for (size_t i = m->nops; i-- > 0 && m->ops[i].index >= from;)
		if (m->ops[i].returned == JOB_NO && !m->ops[i].failed)
			return &m->ops[i];
	return NULL;
}

uint64_t waits_place(const struct job *job, const struct job_member *m, uint64_t rear)
{
	uint64_t first = first_incomplete(job, m, rear);
	const struct job_op *called = backend_has(job->groups[m->group].maker, BACKEND_DRIVEN)
					      ? waits_unreturned(m, first)
					      : NULL;

	return called ? called->index : first;
}
