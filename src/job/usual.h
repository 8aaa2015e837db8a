/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usual.h: what an op is expected to be, since training repeats itself. The ops of a rank or a
 * group, laid in a row, come again after a step's length; what has come so twice is expected to
 * come once more.
 */
#ifndef JOB_USUAL_H
#define JOB_USUAL_H

#include "job/job.h"

/* One place in a row of ops; op is NULL where what was done there is not known. */
struct usual_op {
	int group;
	const struct job_op *op;
};

/* The longest step, in ops, that is looked for. */
#define USUAL_MOST 512

/* True if both are known and the same. Of sends and receives only kind and peer matter. */
bool usual_same(const struct usual_op *a, const struct usual_op *b);

/*
 * Returns the number of ops after which the last of these n come again: of several the one that
 * holds for longest, the shortest of those. The ops must have come at least twice so, and at least
 * four of them; 0: none have.
 */
size_t usual_period(const struct usual_op *row, size_t n);

/* Returns how many of the last of these n ops are the same as those `period` places before them. */
size_t usual_again(const struct usual_op *row, size_t n, size_t period);

/*
 * Returns the op that is expected `ahead` places behind the last of these n (1: the next one); its
 * op is NULL where nothing is.
 */
struct usual_op usual_next(const struct usual_op *row, size_t n, size_t period, size_t ahead);

#endif
