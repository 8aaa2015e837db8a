/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempts.h: an elastic job is started anew when a rank fails. Ranks, groups and ops of a sealed
 * job are those of the last attempt; of the earlier ones there are only their processes.
 */
#ifndef JOB_ATTEMPTS_H
#define JOB_ATTEMPTS_H

#include "job/job.h"

struct attempt {
	int64_t ended; /* when the last of its ranks was gone, realtime ns; JOB_UNKNOWN */
	const struct job_process *first; /* the first of its ranks to end with a signal or a
					  * status that is not 0; NULL: not known */
};

/*
 * Returns how an earlier attempt, numbered from 1, ended; all is unknown where nothing is left of
 * it. Points into the job.
 */
struct attempt attempts_at(const struct job *job, int attempt) __attribute__((nonnull));

#endif
