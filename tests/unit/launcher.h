/* SPDX-License-Identifier: Apache-2.0 */
/* launcher.h: what started a made job, and the ranks that it ends. */
#ifndef TESTS_UNIT_LAUNCHER_H
#define TESTS_UNIT_LAUNCHER_H

#include <signal.h>

#include "tests/unit/facts.h"

#define LAUNCHER 900

/* Adds a process of the launcher to the job's table. */
static inline void add_launcher(struct facts *f)
{
	struct job_process *launcher = facts_child(f, 0, "torchrun");

	f->extra[f->nextra - 1].pid = LAUNCHER;
	launcher->ppid = 1;
}

/* Has the launcher's SIGTERM end this rank. */
static inline void told_to_end(struct facts *f, int rank, double at)
{
	facts_signal(f, rank, SIGTERM, LAUNCHER, "python", at);
	facts_end(f, rank, JOB_SIGNALED, SIGTERM, at);
}

#endif
