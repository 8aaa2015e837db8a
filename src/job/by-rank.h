/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by-rank.h: facts by their rank that the job keeps in another order (see spans.h for those that it
 * keeps in this one), for who asks of all ranks: to look through all seats for each would be ranks
 * squared.
 *
 *	struct by_rank seats;
 *
 *	by_rank_make(&seats, job, members);
 *	by_rank_each(&seats, rank, i)
 *		... job->members[seats.at[i]], in the job's order
 *	by_rank_release(&seats);
 */
#ifndef JOB_BY_RANK_H
#define JOB_BY_RANK_H

#include <stddef.h>

#include "job/job.h"

struct by_rank {
	size_t *at;    /* indexes of facts, those of one rank together */
	size_t *first; /* per rank: where its own begin in `at`; they end where the next one's do */
};

/*
 * Indexes n facts of a job, each of that size with its rank at rank_at; leaves out those of no
 * rank. by_rank_make(&index, job, signals) does it for an array of the job's.
 */
void by_rank_index(struct by_rank *ret, const struct job *job, const void *facts, size_t n,
	size_t size, size_t rank_at);
#define by_rank_make(index, job, plural)                                                           \
	by_rank_index(index, job, (job)->plural, (job)->n##plural, sizeof(*(job)->plural),         \
		offsetof(__typeof__(*(job)->plural), rank))
void by_rank_release(struct by_rank *index);

/* How many are of that rank. */
static inline size_t by_rank_count(const struct by_rank *index, struct rank_index rank)
{
	return index->first[rank.i + 1] - index->first[rank.i];
}

/* Runs the statement behind it for each `place` in `at` that is of that rank. */
#define by_rank_each(index, rank, place)                                                           \
	for (size_t place = (index)->first[(rank).i]; place < (index)->first[(rank).i + 1]; place++)

#endif
