/* SPDX-License-Identifier: Apache-2.0 */
/* lock-holders.h: who has the lock of a file that a process waits for. */
#ifndef JOB_LOCK_HOLDERS_H
#define JOB_LOCK_HOLDERS_H

#include "job/job.h"

/*
 * Returns the process of the job (index) that holds the file's lock for which this one is blocked;
 * JOB_NONE: it is not blocked, or the holder is not in the job.
 */
int locks_holder(const struct job *job, const struct job_process *process)
	__attribute__((nonnull));

#endif
