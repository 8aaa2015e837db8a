/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity-runner.h: threads of a framework that carry the program's operations out, while its main
 * thread is handed a value that will come. XLA's, in a program of JAX: the main thread waits for
 * the value of an array, awake again and again to look for Ctrl-C, or has gone on with its own
 * code; the runner stands in the collective that the array comes out of.
 */
#ifndef VERDICT_ACTIVITY_RUNNER_H
#define VERDICT_ACTIVITY_RUNNER_H

#include "verdict/activities.h"

struct runner {
	const struct job_stack *stack;
	enum activity activity; /* COLLECTIVE or P2P */
	const char *call;       /* the operation's name; "" not known */
};

/*
 * Finds the thread beside that one, in its process, that is in an operation: of several the one
 * that is known to have stood, and for longest. False: none is.
 */
bool runner_find(const struct job *job, struct rank_index rank, const struct job_stack *beside,
	struct runner *ret);

/*
 * True if a thread of such a framework, by its name, is beside that one in its process, and its
 * stack is not known, not whole, or without names: it may be in an operation.
 */
bool runner_may_hide(
	const struct job *job, struct rank_index rank, const struct job_stack *beside);

#endif
