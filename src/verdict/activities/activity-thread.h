/* SPDX-License-Identifier: Apache-2.0 */
/* activity-thread.h: what one thread does, by its own stack alone. */
#ifndef VERDICT_ACTIVITY_THREAD_H
#define VERDICT_ACTIVITY_THREAD_H

#include "job/by-rank.h"
#include "verdict/activities/activities.h"
#include "verdict/activities/activity-read.h"

/*
 * What stacks are read by. Each frame of a job is compared with the table once: many stacks share
 * it.
 */
struct activity_reader {
	const struct job *job;
	const struct activity_line **lines; /* per frame of the job; NULL none */
	struct by_rank processes;
	int *gil_holders; /* locks_gil_holders() */
	bool may_spin; /* a thread that runs may be waiting for others all the while */
};

/* Of a thread of which nothing is known. */
extern const struct posture activity_unknown;

/* True if all samples have the stack alike from its outermost frame to this one. */
bool activity_stood_beneath(const struct job_stack *stack, long at) __attribute__((nonnull));

/*
 * Reads what one thread does by its own stack; *r is what it was read from. How long it has done so
 * is not filled in.
 */
struct posture activity_of_thread(const struct activity_reader *reader,
	const struct job_stack *stack, struct activity_reading *r) __attribute__((nonnull));

#endif
