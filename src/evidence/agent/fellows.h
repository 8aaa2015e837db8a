/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FELLOWS_H
#define EVIDENCE_FELLOWS_H

/*
 * Finds which folders are of one job. Where each rank has an `inquest run' of its own (srun,
 * mpirun, a shell's loop in front of it), each has a folder. Such fellows are judged together by
 * one of their agents, the speaker. All agents come to the same answer without asking each other:
 * it follows from files that all can read.
 */

#include "evidence/agent/jobs.h"

/* Sets `job` and `unsure` of all entries. jobs_list() calls it. */
void fellows_settle(struct jobs *jobs) __attribute__((nonnull));

/* True if both are parts of one job. */
static inline bool fellows_are(const struct jobs_entry *a, const struct jobs_entry *b)
{
	return a->job == b->job;
}

/*
 * Returns the entry that judges and speaks for the job that `of` is of: the first launched of those
 * whose agent is at work; NULL where there is none.
 */
const struct jobs_entry *fellows_speaker(
	const struct jobs *jobs, const struct jobs_entry *of) __attribute__((nonnull));

/*
 * Returns the speaker; without one the first launched of the living entries, else of all. Never
 * NULL.
 */
const struct jobs_entry *fellows_head(
	const struct jobs *jobs, const struct jobs_entry *of) __attribute__((nonnull));

/* Returns the name of the job as a whole, which verdicts use, too: the smallest of its ids. */
const char *fellows_id(const struct jobs *jobs, const struct jobs_entry *of)
	__attribute__((nonnull));

/* A job as a whole, as one entry. Its texts are borrowed from its head. */
struct fellows_sum {
	struct jobs_entry all;
	size_t folders;
	size_t agents; /* how many folders have an agent that lives */
};

/* Sums up all folders of the job that `of` is of. */
void fellows_sum(const struct jobs *jobs, const struct jobs_entry *of, struct fellows_sum *ret)
	__attribute__((nonnull));

#endif
