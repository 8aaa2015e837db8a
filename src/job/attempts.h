/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempts.h: an elastic job is started anew when a rank fails. Ranks, groups and ops of a sealed
 * job are those of the last attempt; of the earlier ones there are only their processes.
 */
#ifndef JOB_ATTEMPTS_H
#define JOB_ATTEMPTS_H

#include "job/job.h"

struct attempt {
	int64_t ended; /* when the last of its ranks was gone; JOB_UNKNOWN */
	const struct job_process *first; /* who ended badly before all others; NULL: not known */
};

/* An earlier attempt, from 1 on; all is unknown where nothing is left of it. */
struct attempt attempts_at(const struct job *job, int attempt) __attribute__((nonnull));

#endif
