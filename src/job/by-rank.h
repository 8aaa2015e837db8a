/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by-rank.h: facts by their rank that the job keeps in another order (see spans.h for those that it
 * keeps in this one), for who asks of all ranks: to look through all seats for each would be ranks
 * squared.
 *
 *	struct by_rank seats;
 *
 *	by_rank_make(&seats, job, job->nmembers, by_rank_of_seat);
 *	by_rank_each(&seats, rank, i)
 *		... job->members[seats.at[i]], in the job's order
 *	by_rank_release(&seats);
 */
#ifndef JOB_BY_RANK_H
#define JOB_BY_RANK_H

#include "job/job.h"

struct by_rank {
	size_t *at;    /* indexes of facts, those of one rank together */
	size_t *first; /* per rank: where its own begin in `at`; they end where the next one's do */
};

/* Returns the rank of the i-th fact of a kind. */
typedef struct rank_index by_rank_fn(const struct job *job, size_t i);

by_rank_fn by_rank_of_seat, by_rank_of_signal, by_rank_of_loss, by_rank_of_log,
	by_rank_of_process;

/* Indexes n facts; leaves out those of no rank. */
void by_rank_make(struct by_rank *ret, const struct job *job, size_t n, by_rank_fn *rank_of);
void by_rank_release(struct by_rank *index);

/* Runs the statement behind it for each `place` in `at` that is of that rank. */
#define by_rank_each(index, rank, place)                                                           \
	for (size_t place = (index)->first[(rank).i]; place < (index)->first[(rank).i + 1]; place++)

#endif
