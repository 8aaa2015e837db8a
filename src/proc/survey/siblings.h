/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SIBLINGS_H
#define PROC_SIBLINGS_H

#include "proc/survey/survey.h"

/* True if both have the same interpreter, and run the same script or module with it. */
bool siblings_run_same(const struct survey_process *a, const struct survey_process *b)
	__attribute__((nonnull));

/*
 * Makes those ranks that a script has started beside processes of a JAX job, and that have not met
 * them yet: a process of JAX knows its number only once it has called jax.distributed.initialize(),
 * in which the others wait for it. They have the same parent and run the same program, say nothing
 * of a rank, and are no more than the job lacks. The one that makes the job whole has the number
 * that is left; where several are left, it is not known who is which. Call it when all others are
 * settled, before jobs are made.
 */
void siblings_join(struct survey *survey) __attribute__((nonnull));

#endif
