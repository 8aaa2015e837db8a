/* SPDX-License-Identifier: Apache-2.0 */
/* lock-holders.h: who has the lock of a file that a process waits for. */
#ifndef JOB_LOCK_HOLDERS_H
#define JOB_LOCK_HOLDERS_H

#include "job/job.h"

/* The process of the job that has the lock for which this one is blocked; JOB_NONE. */
int locks_holder(const struct job *job, const struct job_process *process)
	__attribute__((nonnull));

#endif
