/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_ALLOCATION_H
#define CMD_REACH_ALLOCATION_H

/*
 * The nodes of a Slurm job that runs, or of one step of it, as squeue has them
 * (cmd/reach/squeue.h). The job may be named so:
 *
 *	123, 123.0	a job, a step
 *	123_4, 123_4.0	a task of an array
 *	123+1, 123+1.0	one component of a heterogeneous job; 123 is all of them
 *
 * An array's task is a job of its own, whose number is in its processes' environment; processes of
 * a heterogeneous job all have the number of its leader (tried with Slurm 22.05).
 */

#include <stdbool.h>

#include "base/array.h"
#include "base/complaint.h"

/* One node. */
struct allocation_node {
	char *name;
	int component; /* which component of a heterogeneous job it is for; -1 it is no such job */
};

/* The job, and where it runs. */
struct allocation {
	char id[32]; /* the job's number, as srun and its processes have it */
	int step;    /* the step; -1: all steps that it runs */
	ARRAY(struct allocation_node) nodes; /* each node once for each component */
};

/* True if the text names such a job, or a step. */
bool allocation_is_job(const char *text) __attribute__((nonnull));

/*
 * Asks Slurm. A NULL `job` is the job that we run in. Returns 0, or -1 with words: no Slurm here,
 * no such job, another user's job, one that is over or has not begun, several tasks of an array.
 */
int allocation_read(struct allocation *allocation, const char *job, struct complaint *why)
	__attribute__((nonnull(1, 3)));

/* Frees the list of nodes. */
void allocation_release(struct allocation *allocation) __attribute__((nonnull));

#endif
