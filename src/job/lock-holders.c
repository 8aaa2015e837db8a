/* SPDX-License-Identifier: Apache-2.0 */
#include "job/lock-holders.h"

int locks_holder(const struct job *job, const struct job_process *process)
{
	for (size_t i = 0; process->lock_pid && i < job->nprocesses; i++) {
		const struct job_process *other = &job->processes[i];

		if (other->host == process->host && other->pid == process->lock_pid &&
			other->start_time == process->lock_start)
			return (int)i;
	}
	return JOB_NONE;
}
