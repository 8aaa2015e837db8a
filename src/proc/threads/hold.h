/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_HOLD_H
#define PROC_HOLD_H

/*
 * Stops threads (proc/threads/stop.h) for as long as it takes to copy their registers and stacks
 * into what was peeked of them (proc/peek.h).
 */

#include "proc/peek.h"

struct hold {
	struct peek *peek;
	const struct stack_maps *maps;
	struct livemem *livemem;
	int deadline_ms; /* as in struct stop */
	void (*also)(void *arg); /* called with `arg` while they stand still; NULL: nothing is */
	void *arg;
	/* Found: */
	int64_t longest; /* ns for which somebody stood still, at most */
	size_t late;	 /* threads that did not stop in time */
	size_t refused;	 /* threads that we may not stop */
};

/*
 * Stops one by one the threads that are marked in wanted[], which has an entry for each of
 * peek->all. Those that stood still are STOPPED then; the others stay as they were, and those
 * settled get the error.
 */
void hold_each(struct hold *hold, const bool *wanted) __attribute__((nonnull));

/* Stops all threads at once, new ones, too. Threads that did not stop are still to be peeked at. */
void hold_all(struct hold *hold) __attribute__((nonnull));

#endif
