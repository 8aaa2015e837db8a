/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_ranks.h: a job of as many ranks as one likes, eight to a host: all are in "world" and in a
 * group of their host. One is missing in world's second AllReduce.
 */
#ifndef TESTS_MANY_RANKS_H
#define TESTS_MANY_RANKS_H

#include <stdbool.h>

#include "job/job.h"

struct many_ranks {
	int n;
	int missing;  /* the rank that did not come */
	bool unalike; /* each rank's stack, log and losses are its own; else all are alike */
	bool dead;    /* all have aborted since, that one as well */
};

/* Returns the job, sealed, which the caller frees. */
struct job *many_ranks_job(const struct many_ranks *many);

#endif
