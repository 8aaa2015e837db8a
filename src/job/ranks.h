/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.h: a set of ranks in short, as people write it: "0-2,4-7". Indexes into job->ranks come
 * in ascending order and go out as world ranks.
 */
#ifndef JOB_RANKS_H
#define JOB_RANKS_H

#include "base/str.h"
#include "job/job.h"

/* Appends the set; nothing for an empty one. */
void ranks_format(struct str *into, const struct job *job, const int *at, size_t n);

/* The index of the rank with that world rank; JOB_NONE where there is none. */
int ranks_find(const struct job *job, int world_rank);

#endif
