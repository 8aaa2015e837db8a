/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity-locks.h: which lock a thread waits for, by its stack: the interpreter's (the GIL), a
 * file's, or another one.
 */
#ifndef VERDICT_ACTIVITY_LOCKS_H
#define VERDICT_ACTIVITY_LOCKS_H

#include "job/job.h"

/*
 * Returns the frame that takes the GIL, beneath which are only a system library and the kernel; -1
 * none. If the futex tells that the thread waits for the GIL, that is the innermost frame.
 */
long locks_wants_gil(const struct job *job, const struct job_stack *stack) __attribute__((nonnull));

/*
 * Returns, for each process of the job, the first of its threads that has a GIL (index of its
 * stack); JOB_NONE: not known. The caller frees it.
 */
int *locks_gil_holders(const struct job *job) __attribute__((nonnull));

/*
 * Returns the first other thread of the waiter's process that has a GIL; NULL not known. `holders`:
 * as above.
 */
const struct job_stack *locks_gil_holder(const struct job *job, const int *holders,
	const struct job_stack *waiter) __attribute__((nonnull));

/*
 * True if the thread sleeps in a call of C that never gave the GIL back: no other thread of Python
 * runs meanwhile. (A thread that sleeps on a futex waits for a lock.)
 */
bool locks_keeps_gil(const struct job_stack *stack) __attribute__((nonnull));

/*
 * True if the thread must be waiting for the GIL, though it was not seen at it because it woke (it
 * asks again every 5 ms): its Python code stands, it uses hardly any CPU, and another thread of its
 * process keeps the GIL.
 */
bool locks_starves(const struct job *job, const int *holders, const struct job_stack *stack)
	__attribute__((nonnull));

/* True if frame `at` of the stack is code of the Python interpreter. */
bool locks_is_interpreter(const struct job *job, const struct job_stack *stack, long at)
	__attribute__((nonnull));

/*
 * Returns the frame that waits for a mutex, or for a lock of Python's; -1 none. Locks of queues,
 * events and threads are none of these: they are taken in Python code.
 */
long locks_waits_for_thread(const struct job *job, const struct job_stack *stack)
	__attribute__((nonnull));

#endif
