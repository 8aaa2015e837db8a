/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity-runner.h: threads of a framework that carry the program's operations out, while the main
 * thread has been handed a value that will come. XLA has such threads, in a program of JAX: the
 * main thread waits for the value of an array, waking again and again to look for Ctrl-C, or has
 * gone on with its own code; the runner stands in the collective that the array comes out of.
 */
#ifndef VERDICT_ACTIVITY_RUNNER_H
#define VERDICT_ACTIVITY_RUNNER_H

#include "verdict/activities/activities.h"

struct runner {
	const struct job_stack *stack;
	enum activity activity; /* COLLECTIVE or P2P */
	const char *call;       /* the operation's name; "" not known */
};

/*
 * Finds a thread of the same process as `beside` that is in an operation. Of several it takes the
 * one that is known to have stood, and for longest. False: there is none.
 */
bool runner_find(const struct job *job, struct rank_index rank, const struct job_stack *beside,
	struct runner *ret);

/*
 * True if a thread in the process of `beside`, which by its name is such a runner, may be in an
 * operation: its stack is unknown, not whole, or without names.
 */
bool runner_may_hide(
	const struct job *job, struct rank_index rank, const struct job_stack *beside);

#endif
