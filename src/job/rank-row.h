/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank-row.h: all ops that one rank launched, over its groups, sends and receives included, in the
 * order of its launches. The row begins where each of its seats has its operations without a gap
 * from there on.
 */
#ifndef JOB_RANK_ROW_H
#define JOB_RANK_ROW_H

#include "job/usual.h"

struct rank_row {
	struct usual_op *items; /* by launch; those of one launch by what they are */
	size_t n;
	bool from_start; /* nothing that the rank did before is missing */
};

/*
 * Makes the row of a rank; `seats` are the indexes of its members. Points into the job; the caller
 * releases it.
 */
struct rank_row rank_row_make(const struct job *job, const size_t *seats, size_t nseats);
/* Frees the items. */
void rank_row_release(struct rank_row *row);

#endif
