/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_HOLD_H
#define PROC_HOLD_H

/*
 * Threads stopped (proc/threads/stop.h) for as long as it takes to copy their registers and stacks
 * into what was peeked of them (proc/peek.h).
 */

#include "proc/peek.h"

struct hold {
	struct peek *peek;
	const struct stack_maps *maps;
	struct livemem *livemem;
	int deadline_ms;
	void (*also)(void *arg); /* called while all stand still; NULL nothing */
	void *arg;
	/* Found: */
	int64_t longest; /* ns that somebody stood still */
	size_t late;	 /* threads that did not stop in time */
	size_t refused;	 /* that we may not stop */
};

/*
 * Stops one by one the threads that are marked in wanted[], beside peek->all; those that stood
 * still are STOPPED then, the others are left as they were, with their error.
 */
void hold_each(struct hold *hold, const bool *wanted) __attribute__((nonnull));

/* Stops all threads at once, new ones too. Threads that did not stop are still to be peeked at. */
void hold_all(struct hold *hold) __attribute__((nonnull));

#endif
