/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SLURM_H
#define PROC_SLURM_H

/*
 * Asks Slurm for the processes of a job on this node, by `scontrol listpids JOB`. That needs no
 * cooperation of the tasks. Slurm knows the process that it started for each task, not what that
 * one started.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct slurm_pid {
	uint32_t pid;
	char step[64]; /* "8841.0" */
	int local_id;
	int global_id;
};

struct slurm_pids {
	ARRAY(struct slurm_pid) all;
};

/*
 * Runs scontrol as PATH has it, for a job of digits, and kills it after deadline_ms. Appends what
 * it lists. Returns 0; -ENOENT if there is no scontrol; -ETIMEDOUT; -EIO if it failed; or another
 * -errno.
 */
int slurm_list_pids(const char *job, int deadline_ms, struct slurm_pids *into)
	__attribute__((nonnull));

/*
 * Appends what its output lists: tasks of numbered steps. Lines that make no sense are passed over.
 */
void slurm_parse_pids(const char *text, struct slurm_pids *into) __attribute__((nonnull));

/* Leaves the empty list. Takes NULL. */
void slurm_pids_release(struct slurm_pids *pids);

#endif
