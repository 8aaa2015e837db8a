/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by-rank.h: an index by rank over facts that the job keeps in another order (spans.h serves those
 * in the order of ranks). For callers that ask of every rank: looking through all seats for each of
 * them would take ranks squared.
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
	size_t *first; /* per rank: where its own begin in `at`; they end where the next rank's
		        * begin */
};

/*
 * Indexes n facts of a job, each `size` bytes long with its rank at offset rank_at; facts of no
 * rank are left out. The caller releases. by_rank_make(&index, job, signals) does it for an array
 * of the job's.
 */
void by_rank_index(struct by_rank *ret, const struct job *job, const void *facts, size_t n,
	size_t size, size_t rank_at);
#define by_rank_make(index, job, plural)                                                           \
	by_rank_index(index, job, (job)->plural, (job)->n##plural, sizeof(*(job)->plural),         \
		offsetof(__typeof__(*(job)->plural), rank))
/* Frees the index. */
void by_rank_release(struct by_rank *index);

/* Returns how many facts the rank has. */
static inline size_t by_rank_count(const struct by_rank *index, struct rank_index rank)
{
	return index->first[rank.i + 1] - index->first[rank.i];
}

/* Runs the statement behind it for each `place` in `at` that belongs to the rank. */
#define by_rank_each(index, rank, place)                                                           \
	for (size_t place = (index)->first[(rank).i]; place < (index)->first[(rank).i + 1]; place++)

#endif
