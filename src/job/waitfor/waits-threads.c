/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a wait of one thread holds its rank. A rank of several threads is held only while none of
 * them does anything else. A thread that serves others stands in a receive for as long as the job
 * runs, and what the others do meanwhile is the rank's work. So its wait holds the rank for no
 * longer than the last of the others has stood, and not at all where one went on a moment ago, or
 * where the main thread is seen to be elsewhere. A main thread that waits for a thread of its own
 * process (a join) waits for whatever that one does; where no stack shows that, a message of
 * another thread keeps the rank perhaps. The wait of the main thread itself holds the rank whatever
 * others do: they may only tell that the rank lives.
 */
#include "job/waitfor/waits.h"

#include "base/clock.h"
#include "job/backends.h"
#include "job/calls.h"
#include "job/names.h"
#include "job/spans.h"
#include "job/stacktree/stackfacts.h"

/* A thread that went on less than so many ns ago stands nowhere. */
#define MOMENT (2 * CLOCK_NS_PER_S)

bool waits_is_main(const struct job *job, const struct job_thread *thread)
{
	int process = job_rank(job, thread->rank)->process;

	return process != JOB_NONE && job->processes[process].pid == thread->tid;
}

/*
 * True if the stack is where threads of one process wait for each other, whatever that is called.
 */
static bool may_wait_for_thread(const struct job *job, const struct job_stack *stack)
{
	static const struct stackfacts_place places[] = {
		{"*futex*", "*"}, {"*pthread_*", "*"}, {"*sem_*wait*", "*"}};

	return stackfacts_fits(stack->syscall, "futex*") ||
	       stackfacts_find(job, stack, 0, places, sizeof(places) / sizeof(*places)) >= 0;
}

enum job_known waits_joins(const struct job *job, const struct job_thread *thread)
{
	const struct job_stack *stack;

	if (thread->state != JOB_THREAD_OUTSIDE)
		return JOB_MAYBE;
	stack = stackfacts_thread(job, thread->rank, thread->tid);
	if (!stack || !stack->nframes)
		return JOB_MAYBE;
	if (may_wait_for_thread(job, stack))
		return JOB_YES;
	return thread->since != JOB_UNKNOWN && stack->when > thread->since ? JOB_NO : JOB_MAYBE;
}

enum job_known waits_of_one_thread(const struct job_op *a, const struct job_op *b)
{
	if (!a->tid || !b->tid)
		return a->thread == b->thread ? JOB_MAYBE : JOB_NO;
	return a->tid == b->tid ? JOB_YES : JOB_NO;
}

int waits_caller(const struct job_op *ops, size_t n)
{
	int thread = n ? ops[0].thread : JOB_NONE;

	for (size_t i = 1; i < n && thread != JOB_NONE; i++)
		if (ops[i].thread != thread)
			thread = JOB_NONE;
	return thread;
}

/* Counts the thread's wait from when another thread, which went on meanwhile, came to stand. */
static void count_from(
	const struct job_thread *thread, const struct job_thread *other, struct wait *wait)
{
	if (wait->since == JOB_UNKNOWN || other->since <= wait->since)
		return;
	wait->since = other->since;
	wait->aside = other->state == JOB_THREAD_OUTSIDE ? other->since - thread->since : 0;
}

/* Tells whether the wait of a thread, in a call in which the host waits, holds its rank. */
static enum job_known holds_rank(
	const struct job *job, const struct job_thread *thread, int64_t now, struct wait *wait)
{
	struct spans_range range = threads_of(job, thread->rank);
	enum job_known holds = JOB_YES;

	if (thread->state < JOB_THREAD_IN_CALL || thread->since == JOB_UNKNOWN ||
		waits_is_main(job, thread))
		return JOB_YES;
	for (size_t i = range.from; i < range.to; i++) {
		const struct job_thread *other = &job->threads[i];

		if (other == thread || waits_is_watchdog(other->name))
			continue;
		if (waits_is_main(job, other) && waits_joins(job, other) == JOB_NO)
			return JOB_NO;
		if (waits_is_main(job, other) && waits_joins(job, other) != JOB_YES)
			holds = JOB_MAYBE;
		if (other->since <= thread->since)
			continue;
		if (now != JOB_UNKNOWN && now - other->since < MOMENT)
			return JOB_NO;
		count_from(thread, other, wait);
	}
	return holds;
}

/*
 * True if hosts drive what is waited in, or it is a message that they move; for a wait without a
 * group, if hosts drive the ops of any group. Any other collective is run by a thread of the
 * library's: the wait is as old as it is, whatever its rank does beside it.
 */
static bool is_by_hosts(const struct job *job, const struct wait *wait)
{
	int group = wait->member == JOB_NONE ? job->threads[wait->thread].group
					     : job->members[wait->member].group;
	bool found = false;

	if (group != JOB_NONE)
		return backend_has(job->groups[group].maker,
			wait->kind == WAIT_P2P ? BACKEND_ON_HOST : BACKEND_DRIVEN);
	for (size_t i = 0; i < job->ngroups && !found; i++)
		found = backend_has(job->groups[i].maker, BACKEND_DRIVEN);
	return found;
}

/*
 * True if the wait has long been in a collective to which another member has not come, or in a send
 * that nobody receives: who serves others stands in a receive.
 */
static bool stands_in_vain(const struct wait *wait, int64_t now)
{
	bool sends = wait->kind == WAIT_P2P && wait->op && wait->op->sig.op == JOB_OP_SEND;

	return (wait->kind == WAIT_COLLECTIVE || sends) && wait->lacking &&
	       wait->since != JOB_UNKNOWN && now != JOB_UNKNOWN && now - wait->since >= MOMENT;
}

bool waits_leave_alone(const struct job *job, int64_t now, struct wait *waits, size_t n)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		struct wait *wait = &waits[i];
		const struct job_thread *thread =
			wait->thread == JOB_NONE ? NULL : &job->threads[wait->thread];
		enum job_known holds;

		if (!wait->held || !thread || !call_is_on_host(thread->call) ||
			!is_by_hosts(job, wait))
			continue;
		holds = holds_rank(job, thread, now, wait);
		found |= holds == JOB_NO && stands_in_vain(wait, now);
		if (holds == JOB_NO)
			wait->held = wait->sure = wait->lacking = wait->doubtful = false;
		else if (holds == JOB_MAYBE && wait->kind == WAIT_P2P)
			wait->perhaps = true;
	}
	return found;
}
