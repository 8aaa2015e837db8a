/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SLURM_H
#define PROC_SLURM_H

/*
 * Asks Slurm for the processes of a job on this node, by `scontrol listpids JOB`. It needs no
 * cooperation of the tasks; it knows the process that it started for each, not what that started.
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
 * Runs scontrol as PATH has it, for a job of digits, and gives it deadline_ms; then it is
 * killed. 0, or -ENOENT where there is none, -ETIMEDOUT, another -errno, or -EIO where it failed.
 */
int slurm_list_pids(const char *job, int deadline_ms, struct slurm_pids *into)
	__attribute__((nonnull));

/* Reads its output: tasks of numbered steps; what makes no sense is passed over. */
void slurm_parse_pids(const char *text, struct slurm_pids *into) __attribute__((nonnull));

/* Leaves the empty list. Takes NULL. */
void slurm_pids_release(struct slurm_pids *pids);

#endif
