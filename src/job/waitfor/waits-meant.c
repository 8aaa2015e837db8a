/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ops a thread that synchronises waits for: those on its stream, or with its number; of a
 * wait for several, those whose bits it tells. A group's collectives end in their order, so one
 * that is open keeps all behind it, on whatever streams.
 */
#include "job/calls.h"
#include "job/spans.h"
#include "job/waitfor/waits.h"

/*
 * Tells whether the op is one of the several that the thread waits for; JOB_YES of a wait that does
 * not tell its ops. Where records are lost, an op's number may be unknown; and the last bit is for
 * all ops that are further behind.
 */
static enum job_known is_among(
	const struct job *job, const struct job_thread *thread, const struct wait *wait)
{
	uint64_t behind = wait->op ? wait->op->stream - thread->first_op : 0;

	if (!thread->ops || !wait->op || !wait->op->stream)
		return JOB_YES;
	if (wait->op->stream >= thread->first_op && behind < 63 && thread->ops >> behind & 1)
		return JOB_YES;
	if (wait->op->stream >= thread->first_op && behind >= 63 && thread->ops >> 63)
		return JOB_MAYBE;
	return job_rank(job, wait->rank)->loses ? JOB_MAYBE : JOB_NO;
}

/* True if the op may be on the stream that the thread waits for: an unknown stream may be any. */
static bool is_on_stream(const struct job_thread *thread, const struct job_op *op)
{
	return thread->whole_device || !thread->stream || !op || !op->stream ||
	       op->stream == thread->stream;
}

const struct job_op *waits_later(
	const struct job *job, const struct job_thread *thread, const struct wait *wait)
{
	const struct job_member *m;

	if (wait->kind != WAIT_COLLECTIVE || !wait->sure || !thread->stream ||
		is_on_stream(thread, wait->op))
		return NULL;
	m = &job->members[wait->member];
	for (size_t i = 0; i < m->nops; i++)
		if (m->ops[i].index > wait->index && m->ops[i].stream == thread->stream &&
			m->ops[i].completed != JOB_YES && !m->ops[i].captured &&
			!m->ops[i].failed && m->ops[i].entered <= thread->since)
			return &m->ops[i];
	return NULL;
}

/* Where it is unknown whether the op is among several, the thread waits for it perhaps. */
bool waits_cover(const struct job *job, const struct job_thread *thread, struct wait *wait)
{
	enum job_known among = is_among(job, thread, wait);

	wait->perhaps |= among == JOB_MAYBE && !wait->held;
	if (among != JOB_YES)
		return false;
	return is_on_stream(thread, wait->op) || waits_later(job, thread, wait);
}

void waits_leave_met(const struct job_thread *thread, int index, struct wait *waits, size_t n)
{
	bool lacks = false;

	for (size_t i = 0; i < n; i++)
		lacks |= waits[i].lacking &&
			 (waits[i].perhaps || (waits[i].held && waits[i].thread == index));
	for (size_t i = 0; i < n && lacks && thread->ops && call_is_on_host(thread->call); i++)
		if (waits[i].thread == index && waits[i].held && waits[i].kind <= WAIT_P2P &&
			!waits[i].lacking && !waits[i].doubtful)
			waits[i].held = waits[i].sure = false;
}
