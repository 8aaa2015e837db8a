/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_SQUEUE_H
#define CMD_REACH_SQUEUE_H

/*
 * What `squeue' knows about jobs and steps. Only fields that no user can write are asked for: a
 * job's name may look like a list of nodes, and the caller may be root. (`scontrol show' has all
 * fields in one line, names and comments among them, and quotes none.)
 *
 * An array's tasks that run are a row each; those that wait share one. Tried with Slurm 22.05.
 */

#include "base/array.h"
#include "base/complaint.h"
#include "base/str.h"

/* A job, or a task of an array. Texts are borrowed from the answer. */
struct squeue_job {
	const char *number; /* its own: "5" */
	const char *name;   /* as shown to users: "2_0", "1+1", "2_[4-7]"; else the number */
	const char *array;  /* the array's number; of a job of none its own */
	int task;           /* of an array; -1: of none, or several that wait */
	const char *state;  /* "RUNNING" */
	const char *uid;
	const char *user;  /* its name, as far as one is known here */
	const char *nodes; /* "m[1-4]"; "" none yet */
};

/* A step that runs, in one row of the answer. */
struct squeue_step {
	int number; /* -1: of a batch script, or one that has not begun */
	const char *nodes;
};

/* What squeue has answered. {0} at first; squeue_release() it. */
struct squeue {
	ARRAY(struct squeue_job) jobs;
	ARRAY(struct squeue_step) steps;
	struct str text; /* what it has answered */
};

/*
 * Asks for the jobs of that name, in whatever state, those that are over for as long as Slurm knows
 * them: all tasks of an array, all components of a heterogeneous job. 0, also where there are none,
 * or -1 with words: no Slurm here, no answer, more tasks than are read.
 */
int squeue_ask_jobs(struct squeue *squeue, const char *job, struct complaint *why)
	__attribute__((nonnull));

/*
 * Asks for the steps of a job that run; of "123.0" for that step, which may have several rows. 0,
 * or -1 with words, as above.
 */
int squeue_ask_steps(struct squeue *squeue, const char *job, struct complaint *why)
	__attribute__((nonnull));

/* Frees the answer, with all texts. */
void squeue_release(struct squeue *squeue) __attribute__((nonnull));

#endif
