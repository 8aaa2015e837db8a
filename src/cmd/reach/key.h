/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_KEY_H
#define CMD_REACH_KEY_H

/*
 * What a job is called on all of its nodes: a KEY.
 *
 *	slurm:33, slurm:33.0	a Slurm job, or one step of it
 *	run:ID			torchrun's run id, or whatever its launcher calls the job
 *	master:HOST:PORT	where rank 0 is looked for
 *	pmix:NAMESPACE		an Open MPI, PRRTE or PMIx job
 *	name:NAME		as `inquest run --name' gave it
 *	pid:N			the job of that process: of this node only
 *	all			whatever is here
 *	anything else		as `inquest ls --all' prints it: an id, a name, a step, a pid
 *
 * A key is text; one that fits none of the first kinds is of the last.
 */

#include "evidence/agent/jobs.h"
#include "proc/survey/survey.h"

/* True if the job of that folder has this key, by what its agent has written. */
bool key_is_of_folder(const char *key, const struct jobs_entry *entry) __attribute__((nonnull));

/* True if a process itself says that it is of that job. */
bool key_is_of_process(const char *key, const struct survey_process *process)
	__attribute__((nonnull));

/* True if a process says, of this kind of key, that its job has another one. */
bool key_is_not_of_process(const char *key, const struct survey_process *process)
	__attribute__((nonnull));

/* True if that job of the survey has this key, or it is what it is called. */
bool key_is_of_job(const char *key, const struct survey *survey, size_t job)
	__attribute__((nonnull));

/* Returns the pid that the key names, "pid:4711" or "4711"; 0: none. */
uint32_t key_pid(const char *key) __attribute__((nonnull));

/*
 * Appends what may be wrong with a key that nothing has: it begins as none does, or ends where the
 * name should stand. Nothing where it may be right.
 */
void key_add_fault(const char *key, struct str *into) __attribute__((nonnull));

/*
 * True if the key means the same on every node: no pid, and no name made up by an agent or by us.
 */
bool key_is_wide(const char *key) __attribute__((nonnull));

/*
 * Appends the key by which other nodes know the job of that process: its step, its run id, or the
 * address of its rank 0. False, and nothing, where it has none.
 */
bool key_of_process(const struct survey_process *process, struct str *into)
	__attribute__((nonnull));
/* Appends the same of a job with a folder, and last its name. */
bool key_of_folder(const struct jobs_entry *entry, struct str *into) __attribute__((nonnull));

#endif
