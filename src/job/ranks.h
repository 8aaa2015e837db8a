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

/*
 * The next number or range of such a text: "5" is 5 to 5. Takes it off the text; false at its end,
 * or at nonsense.
 */
bool ranks_next(const char **text, unsigned long *ret_from, unsigned long *ret_to);

/* The index of the rank with that world rank; JOB_NONE where there is none. */
int ranks_find(const struct job *job, int world_rank);

#endif
