/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.h: groups of one shape. A job lays its ranks out as a grid, and makes the same group again
 * in each row of it: the pairs 0-1, 2-3, 4-5. What the members of one do, those of another are
 * expected to do, seat by seat.
 */
#ifndef JOB_SHAPES_H
#define JOB_SHAPES_H

#include "job/job.h"

/*
 * True if the two are of one maker and size, more than one, and the world ranks of their seats lie
 * equally far apart. False where some seat's rank is not known; a group has its own shape.
 */
bool shapes_alike(const struct job *job, int a, int b);

/*
 * Gives each group its kind, into kinds[job->ngroups]: the number of one group of its shape. Where
 * two groups of a shape begin with one rank, nothing tells which others each is like: then each
 * group of that shape is a kind of its own.
 */
void shapes_find_kinds(const struct job *job, int *kinds);

#endif
