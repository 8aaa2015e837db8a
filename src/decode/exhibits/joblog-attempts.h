/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_ATTEMPTS_H
#define DECODE_JOBLOG_ATTEMPTS_H

/*
 * A log goes through all attempts of a job that torchrun begins again, and nothing but this says
 * where one of them ends, a line of each agent (PyTorch 2.15, elastic/multiprocessing/api.py):
 *
 *	E1126 07:45:31.02 15584 torch/.../api.py:1002] failed (exitcode: 1) local_rank: 1 (pid: 9)
 *
 * The last attempt is that which torchrun's report is of ("Root Cause (first observed failure)");
 * where lines follow, and no report, it is what follows.
 */

#include <stdbool.h>
#include <stdint.h>

#define JOBLOG_AGENTS 64

struct joblog_attempts {
	struct joblog_agent {
		int64_t pid; /* 0 not told */
		int failed;  /* attempts */
		int64_t last, before; /* lines that say so; 0 none */
	} agents[JOBLOG_AGENTS];
	int nr;
	bool reported, followed; /* since the last such line */
};

/* Takes the lines one by one. */
void joblog_attempts_take(struct joblog_attempts *attempts, const char *line, int64_t number)
	__attribute__((nonnull));

/* The line up to which all is of earlier attempts, 0 none; how many of them there are. */
int64_t joblog_attempts_past(const struct joblog_attempts *attempts, int *ret_restarts)
	__attribute__((nonnull));

#endif
