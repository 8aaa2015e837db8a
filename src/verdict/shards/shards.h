/* SPDX-License-Identifier: Apache-2.0 */
/* shards.h: how a rank's amount of work compares with its peers'. Shared by the shard rules. */
#ifndef VERDICT_SHARDS_H
#define VERDICT_SHARDS_H

#include "verdict/inquiry.h"

/* How much of something one rank has done, and the peers' least and most. */
struct amount {
	bool known; /* the rank's own and at least one peer's amount are known */
	int64_t mine, least, most;
	const char *cite;
};

/*
 * Compares the batches that ranks got from one loader: the one in which this rank differs most,
 * else its first. The peers are all other ranks.
 */
struct amount shards_batches(const struct inquiry *q, struct rank_index rank);
/* Compares the steps completed: 0 for a readable rank without step marks, where a peer has some. */
struct amount shards_steps(const struct inquiry *q, struct rank_index rank);
/* Compares the rows of the latest batch of the same loader. */
struct amount shards_rows(const struct inquiry *q, struct rank_index rank);

/* True if the rank finished by its own will, not by a death. */
bool shards_has_left(const struct profile *p);

/*
 * Returns the number of batches in the pass that this loader has ended; JOB_UNKNOWN: it is at no
 * end.
 */
int64_t shards_ended_at(const struct inquiry *q, const struct job_shard *shard);

/*
 * True if the rank's loader has no more and gave fewer batches in one pass than another rank's
 * loader did; or if it gave one more than all others, which have no more.
 */
bool shards_ended_otherwise(const struct inquiry *q, struct rank_index rank);

/* Returns the latest mark of the rank that tells a shape; NULL: none does. */
const struct job_shard *shards_shape(const struct inquiry *q, struct rank_index rank);

/* Adds facts for all of the above that is known. */
void shards_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);

#endif
