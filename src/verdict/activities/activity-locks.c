/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/activities/activity-locks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "job/stacktree/stackfacts.h"

/* A thread that uses at least this part of the time, a quarter, computes. */
#define LOCKS_BUSY_SHARE 4

static bool fits(const struct job_frame *frame, const char *function)
{
	return stackfacts_fits(frame->function, function);
}

static bool is_interpreter(const struct job_frame *frame)
{
	return frame->kind == JOB_FRAME_NATIVE &&
	       (stackfacts_fits(frame->module, "python*") ||
		       stackfacts_fits(frame->module, "libpython*"));
}

bool locks_is_interpreter(const struct job *job, const struct job_stack *stack, long at)
{
	return is_interpreter(stackfacts_frame(job, stack, (size_t)at));
}

/*
 * True if the interpreter takes the GIL in this frame: by its name, or, where it has none, since it
 * waits for a condition in the frame further in.
 */
static bool wants_gil(const struct job_frame *frame, const struct job_frame *inner)
{
	static const char *const names[] = {"take_gil*", "PyEval_RestoreThread*",
		"PyEval_AcquireThread*", "PyEval_AcquireLock*", "_PyThreadState_Attach*",
		"PyGILState_Ensure*"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fits(frame, names[i]))
			return true;
	return inner && is_interpreter(frame) && fits(inner, "*pthread_cond_timedwait*") &&
	       !fits(frame, "*lock*") && !fits(frame, "*Lock*");
}

long locks_wants_gil(const struct job *job, const struct job_stack *stack)
{
	const struct job_frame *inner = NULL;

	if (stack->waits_gil && stack->nframes)
		return 0;
	for (size_t i = 0; i < stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (wants_gil(frame, inner))
			return (long)i;
		if (frame->kind == JOB_FRAME_PYTHON ||
			(frame->kind == JOB_FRAME_NATIVE &&
				!stackfacts_fits(frame->module, "libc*") &&
				!stackfacts_fits(frame->module, "libpthread*") && *frame->module))
			return -1;
		inner = frame;
	}
	return -1;
}

int *locks_gil_holders(const struct job *job)
{
	int *holders = alloc_zeroed(job->nprocesses + 1, sizeof(*holders));

	for (size_t i = 0; i < job->nprocesses; i++)
		holders[i] = JOB_NONE;
	for (size_t i = job->nstacks; i-- > 0;)
		if (job->stacks[i].holds_gil == JOB_YES)
			holders[job->stacks[i].process] = (int)i;
	return holders;
}

const struct job_stack *locks_gil_holder(
	const struct job *job, const int *holders, const struct job_stack *waiter)
{
	int first = holders[waiter->process];

	/* Stacks of one process stand together; the first is hardly ever the waiter's own. */
	for (size_t i = first == JOB_NONE ? job->nstacks : (size_t)first;
		i < job->nstacks && job->stacks[i].process == waiter->process; i++)
		if (job->stacks[i].tid != waiter->tid && job->stacks[i].holds_gil == JOB_YES)
			return &job->stacks[i];
	return NULL;
}

bool locks_keeps_gil(const struct job_stack *stack)
{
	return stack->holds_gil == JOB_YES && stack->samples > 1 && stack->moved == JOB_NO &&
	       stack->state == 'S' && *stack->syscall && strcmp(stack->syscall, "futex") != 0;
}

bool locks_starves(const struct job *job, const int *holders, const struct job_stack *stack)
{
	const struct job_snapshot *snapshot = stackfacts_snapshot(job, stack->process);
	const struct job_stack *holder = locks_gil_holder(job, holders, stack);

	return *stack->cut && stackfacts_python(job, stack) == 0 && stack->samples > 1 &&
	       stack->nframes <= stack->still && holder && locks_keeps_gil(holder) && snapshot &&
	       stack->cpu_delta != JOB_UNKNOWN &&
	       checked_mul(stack->cpu_delta, LOCKS_BUSY_SHARE) < snapshot->span;
}

static bool fits_any(const struct job_frame *frame, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fits(frame, names[i]))
			return true;
	return false;
}

/*
 * Of Python's locks only those count that are no queue's, event's or thread's: those are taken in
 * Python code. So where Python's frames could not be read, it is unknown which of these a lock is.
 */
long locks_waits_for_thread(const struct job *job, const struct job_stack *stack)
{
	static const char *const mutexes[] = {
		"*pthread_mutex_lock*", "*lll_lock_wait*", "*pthread_rwlock_*lock*"};
	static const char *const pythons[] = {"PyThread_acquire_lock*",
		"lock_PyThread_acquire_lock*", "rlock_acquire*", "_PyMutex_LockTimed*"};
	bool python = stackfacts_python(job, stack) >= 0;

	for (size_t i = 0; i < stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (frame->kind == JOB_FRAME_PYTHON)
			break;
		if (fits_any(frame, mutexes, sizeof(mutexes) / sizeof(mutexes[0])) ||
			(python && fits_any(frame, pythons, sizeof(pythons) / sizeof(pythons[0]))))
			return (long)i;
	}
	return -1;
}
