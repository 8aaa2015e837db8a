/* SPDX-License-Identifier: Apache-2.0 */
#include "job/attempts.h"

static bool was_rank(const struct job_process *process)
{
	return process->role == JOB_ROLE_RANK || process->role == JOB_ROLE_CANDIDATE;
}

static bool ended_badly(const struct job_process *process)
{
	return process->end == JOB_SIGNALED || (process->end == JOB_EXITED && process->status);
}

struct attempt attempts_at(const struct job *job, int attempt)
{
	struct attempt found = {.ended = JOB_UNKNOWN};

	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];

		if (process->restart != attempt - 1 || !was_rank(process) ||
			process->end <= JOB_ALIVE || process->ended == JOB_UNKNOWN)
			continue;
		if (found.ended == JOB_UNKNOWN || process->ended > found.ended)
			found.ended = process->ended;
		if (ended_badly(process) &&
			(!found.first || process->ended < found.first->ended))
			found.first = process;
	}
	return found;
}
