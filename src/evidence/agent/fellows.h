/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FELLOWS_H
#define EVIDENCE_FELLOWS_H

/*
 * Finds which folders are of one job. Where each rank has an `inquest run' of its own (srun,
 * mpirun, a shell's loop in front of it), each has a folder. Such fellows are judged together by
 * one of their agents, the speaker. All of them come to the same answer without asking each other:
 * it follows from files that all can read.
 *
 *	a communicator of NCCL that both have	one job, whatever else is said
 *	another name, user, run id, Slurm job or step, address of rank 0, world size;
 *	communicators of all ranks without the other	two jobs
 *	the same run id, step, or address	one job
 *	none of these for both, but the same starter, program and world	one job
 *
 * Two folders with the same rank are never of one job. Where a folder could be of two jobs, nobody
 * guesses: it stays alone, and is `unsure`. A folder that looks for rank 0 elsewhere still is of
 * the job if it was started with the others and has the one number that they lack, which makes the
 * job complete. If one folder is over, the job must have begun while it ran.
 */

#include "evidence/agent/jobs.h"

/* Sets `job` and `unsure` of all entries; jobs_list() calls it. */
void fellows_settle(struct jobs *jobs) __attribute__((nonnull));

static inline bool fellows_are(const struct jobs_entry *a, const struct jobs_entry *b)
{
	return a->job == b->job;
}

/*
 * Returns the entry that judges and speaks for the job of that entry: the first launched of those
 * whose agent is at work; NULL where there is none.
 */
const struct jobs_entry *fellows_speaker(
	const struct jobs *jobs, const struct jobs_entry *of) __attribute__((nonnull));

/* Returns the speaker, else the first launched of the living, else of all. Each job has one. */
const struct jobs_entry *fellows_head(
	const struct jobs *jobs, const struct jobs_entry *of) __attribute__((nonnull));

/* Returns the name of the job as a whole, in verdicts, too: the smallest of its ids. */
const char *fellows_id(const struct jobs *jobs, const struct jobs_entry *of)
	__attribute__((nonnull));

/* A job as a whole, as one entry; its texts are borrowed from its head. */
struct fellows_sum {
	struct jobs_entry all;
	size_t folders;
	size_t agents; /* that are at work */
};

/* Sums up all folders of the job that `of` is of. */
void fellows_sum(const struct jobs *jobs, const struct jobs_entry *of, struct fellows_sum *ret)
	__attribute__((nonnull));

#endif
