/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_RANK_H
#define BASE_RANK_H

/*
 * Three numbers are called a rank. Each is a type of its own here, passed by value, so that mixing
 * them does not compile:
 *
 *	struct world_rank	the number of a rank in its job, as RANK says: what people read and
 *				type, what logs and exhibits name ranks by
 *	struct rank_index	its place in job->ranks: what the facts of a sealed job name ranks
 *				by. job_rank() (job/job.h) gives the rank, with its world rank
 *	struct group_rank	its number in one group, its seat: what NCCL, MPI and c10d call the
 *				rank in a communicator. Roots and peers of operations are these;
 *				job_seat() (job/job.h) gives who sits there
 *
 * In a job whose ranks were all seen, and in its first group, the three are often equal: a mix-up
 * shows itself only where it accuses somebody else. Each has a value for none, and a question
 * whether it is one. `.n` and `.i` are for counting, for arrays that have one entry for each, for
 * bytes and for printing; two of one kind are compared by same_...().
 */

#include <stdbool.h>
#include <stdint.h>

/* -- in a group -------------------------------------------------------------------------------- */

struct group_rank {
	uint32_t n;
};

/* No rank, or it is not known which. */
#define NO_GROUP_RANK ((struct group_rank){UINT32_MAX})

static inline struct group_rank group_rank(uint32_t n)
{
	return (struct group_rank){n};
}

static inline bool is_group_rank(struct group_rank rank)
{
	return rank.n != UINT32_MAX;
}

static inline bool same_group_rank(struct group_rank a, struct group_rank b)
{
	return a.n == b.n;
}

/* -- in the job -------------------------------------------------------------------------------- */

struct world_rank {
	int n;
};

/* No rank, or it is not known which. */
#define NO_WORLD_RANK ((struct world_rank){-1})

static inline struct world_rank world_rank(int n)
{
	return (struct world_rank){n};
}

static inline bool is_world_rank(struct world_rank rank)
{
	return rank.n >= 0;
}

static inline bool same_world_rank(struct world_rank a, struct world_rank b)
{
	return a.n == b.n;
}

/* -- in job->ranks ----------------------------------------------------------------------------- */

struct rank_index {
	int i;
};

/* No rank, or it is not known which. */
#define NO_RANK ((struct rank_index){-1})

static inline struct rank_index rank_index(int i)
{
	return (struct rank_index){i};
}

static inline bool is_rank(struct rank_index rank)
{
	return rank.i >= 0;
}

static inline bool same_rank(struct rank_index a, struct rank_index b)
{
	return a.i == b.i;
}

#endif
