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

bool locks_nobody_has(const struct job *job, int host, struct rank_index rank)
{
	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];

		if (process->host != host || process->end > JOB_ALIVE ||
			same_rank(process->rank, rank))
			continue;
		if (*process->lock_held || *process->lock_open ||
			(process->role == JOB_ROLE_RANK && !process->locks_read))
			return false;
	}
	return true;
}
