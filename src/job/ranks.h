/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.h: sets of world ranks in short, as people write them ("0-2,4-7"), and whom they name.
 */
#ifndef JOB_RANKS_H
#define JOB_RANKS_H

#include <stdbool.h>

#include "job/job.h"

/* Takes the next number or range off the text: "5" is 5 to 5. False at its end, or at nonsense. */
bool ranks_next(const char **text, unsigned long *ret_from, unsigned long *ret_to);

/* Returns the rank with that world rank; NO_RANK where there is none. */
struct rank_index ranks_find(const struct job *job, struct world_rank world_rank);

#endif
