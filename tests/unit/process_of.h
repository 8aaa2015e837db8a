/* SPDX-License-Identifier: Apache-2.0 */
/* process_of.h: a job's process by its number; that there is none fails the test. */
#ifndef TESTS_UNIT_PROCESS_OF_H
#define TESTS_UNIT_PROCESS_OF_H

#include "job/job.h"
#include "tests/unit/unit.h"

static inline const struct job_process *process_of(const struct job *job, uint32_t pid)
{
	for (size_t i = 0; i < job->nprocesses; i++)
		if (job->processes[i].pid == pid)
			return &job->processes[i];
	fail_msg("no process %u", pid);
	return NULL;
}

#endif
