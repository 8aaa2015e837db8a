/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity-read.h: what one stack tells of what its thread is doing.
 *
 * A stack is read once, from the innermost frame outwards. A place that DECIDES ends the reading,
 * unless one that SPANS was met before: a collective beneath a checkpoint is a collective, a file
 * that is read for a batch is input. Of places that SPAN the outermost has the activity: a loader
 * that loads a tensor by torch.load is input, not a checkpoint.
 */
#ifndef VERDICT_ACTIVITY_READ_H
#define VERDICT_ACTIVITY_READ_H

#include <stdbool.h>

#include "job/stacktree/stackfacts.h"
#include "verdict/activities/activity-line.h"

/* What was read from one stack. Frames are numbers in the stack, innermost 0; -1: none. */
struct activity_reading {
	const struct activity_line *line; /* the line that tells; NULL none */
	long telling;                     /* the frame that has it, */
	long base;                        /* and the outermost one of what it tells */
	long program;                     /* the program's own innermost frame */
	bool locked;                      /* a lock was met further in: */
	long lock_base;                   /* the outermost frame that takes it */
	bool threads;                     /* a line says that another thread does the work */
};

/* Returns the line of the tables for a frame, backends' lines first; NULL none. */
const struct activity_line *activity_line_of(const struct job_frame *frame);

/* Reads a stack. `lines` has for each frame of the job what activity_line_of() gives. */
struct activity_reading activity_read(const struct job *job,
	const struct activity_line *const *lines, const struct job_stack *stack);

#endif
