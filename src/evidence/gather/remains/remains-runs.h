/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_REMAINS_RUNS_H
#define EVIDENCE_REMAINS_RUNS_H

/*
 * Tells apart torchrun's folders, "none_x1/attempt_0/5/stderr.log". Each agent makes one for its
 * workers, and calls it by chance: several that lie side by side are of the nodes of one job, or of
 * one run after the other (torch 2.15 elastic/agent/server/local_elastic_agent.py). Whose they are
 * is told by a report that names one of them, or by the ranks that the workers name themselves.
 */

#include "base/clock.h"
#include "evidence/gather/remains/remains.h"

#define REMAINS_REPORTED 64 /* ranks of torchrun's report that are compared */
#define REMAINS_ENDS	 8  /* lines of srun or mpirun that are compared */
/* ns: a file that was last written so much earlier may be of an earlier job. */
#define REMAINS_FAR (12 * 3600 * CLOCK_NS_PER_S)
/* s: a log that begins so long after another rank's log ended is of another job. */
#define REMAINS_APART (2 * 3600)

/* What launchers say in a job's log of ranks that failed. */
struct remains_report {
	/* torchrun, about its node: */
	struct remains_end {
		int64_t rank, pid; /* pid 0: the place is empty */
	} at[REMAINS_REPORTED]; /* by rank, modulo REMAINS_REPORTED */
	bool any; /* there is any */
	uint64_t run; /* hash of the name of torchrun's folder that it names; 0 none */
	/* srun or mpirun, about the whole job: */
	uint64_t ends[REMAINS_ENDS]; /* hashes of the last lines that tell of an end; a ring */
	size_t nends;                /* how many there were; the first are overwritten */
};

/*
 * Reads what a file says of its run: of a log of all ranks file->report, which the file then owns;
 * of a worker's own file, file->owner, the rank that PyTorch's hook names in it.
 */
void remains_runs_read(struct remains_file *file, const char *head, const char *tail,
	bool of_worker) __attribute__((nonnull));

/* True if the file is taken for a log, and is not a worker's own. */
bool remains_runs_is_log(const struct remains_file *file) __attribute__((nonnull));

/* True if two reports are of different runs, as some rank has two pids. */
bool remains_runs_contradict(const struct remains_report *a, const struct remains_report *b)
	__attribute__((nonnull));

/* Adds what another log of the same job reports. */
void remains_runs_merge(struct remains_report *into, const struct remains_report *from)
	__attribute__((nonnull));

/*
 * True if both tell of ends, and of none alike. One srun or mpirun tells of all ends, so the two
 * logs are of two jobs then, unless somebody has parted one by nodes.
 */
bool remains_runs_end_otherwise(const struct remains_report *a, const struct remains_report *b)
	__attribute__((nonnull));

/*
 * Returns the name of torchrun's folder that the file lies in, as reports have it; 0 it is in none.
 */
uint64_t remains_runs_name(const struct remains_file *file) __attribute__((nonnull));

/*
 * Passes over files of earlier attempts of their run. The name of the run's folder is left out of
 * labels if there is only one.
 */
void remains_runs_keep_last(struct remains *remains) __attribute__((nonnull));

/*
 * Passes over torchrun's folders of which it is not known that they are of the run that is judged.
 * Those that a report names are. Where none is named, several beside a report may be of any run,
 * unless their workers name ranks of different nodes. Without any report the newest of those that
 * are of one node is taken.
 */
void remains_runs_tell_apart(struct remains *remains) __attribute__((nonnull));

#endif
