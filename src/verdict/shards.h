/* SPDX-License-Identifier: Apache-2.0 */
/* shards.h: how a rank's amount of work compares with its peers'. Shared by the shard rules. */
#ifndef VERDICT_SHARDS_H
#define VERDICT_SHARDS_H

#include "verdict/inquiry.h"

/* How much of something one rank has done, and the peers' least and most. */
struct amount {
	bool known; /* the rank's and at least one peer's */
	int64_t mine, least, most;
	const char *cite;
};

/* Batches got from the loader in which the rank differs most, else its first; peers: all others. */
struct amount shards_batches(const struct inquiry *q, struct rank_index rank);
/* Steps completed: 0 for a rank that can be read and marked none, where a peer marked some. */
struct amount shards_steps(const struct inquiry *q, struct rank_index rank);
/* Rows of the latest batch, of the same loader. */
struct amount shards_rows(const struct inquiry *q, struct rank_index rank);

/* True if the rank is done by its own will, and not by a death. */
bool shards_has_left(const struct profile *p);

/* True if loaders here say when they have no more: then a batch less alone says nothing. */
bool shards_tell_ends(const struct inquiry *q);

/* How many batches the pass had that this loader is at the end of; JOB_UNKNOWN: it is at none. */
int64_t shards_ended_at(const struct inquiry *q, const struct job_shard *shard);

/*
 * True if the rank's loader has no more, and in one pass gave fewer batches than that of another
 * rank did; or gave one more than those of all others, which have no more.
 */
bool shards_ended_otherwise(const struct inquiry *q, struct rank_index rank);

/* The latest mark of the rank that tells a shape; NULL: none does. */
const struct job_shard *shards_shape(const struct inquiry *q, struct rank_index rank);
/* True if both batches are of one shape. */
bool shards_same_shape(const struct job_shard *a, const struct job_shard *b);

/* Adds what is known of the above as facts. */
void shards_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);

#endif
