/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity-hidden.h: what a stack does not show. A thread without a telling frame is in the
 * program's own code, unless the telling frame may be missing, or may have no name.
 */
#ifndef VERDICT_ACTIVITY_HIDDEN_H
#define VERDICT_ACTIVITY_HIDDEN_H

#include "job/job.h"

/*
 * True if threads of this job may use the CPU while they wait for others: waits for a GPU spin, and
 * so do waits of MPI.
 */
bool hidden_may_spin(const struct job *job) __attribute__((nonnull));

/*
 * True if a wait for others may be hidden further in than frame `at`, the program's own one, or its
 * innermost one of Python. `may_spin`: what hidden_may_spin() says.
 */
bool hidden_may_wait(const struct job *job, const struct job_stack *stack, long at, bool may_spin)
	__attribute__((nonnull));

#endif
