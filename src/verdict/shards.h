/* SPDX-License-Identifier: Apache-2.0 */
/* shards.h: how a rank's amount of work compares with its peers'. Shared by the shard rules. */
#ifndef VERDICT_SHARDS_H
#define VERDICT_SHARDS_H

#include "verdict/inquiry.h"

/* What one rank has done of something, and the peers' least and most. */
struct amount {
	bool known; /* the rank's and at least one peer's */
	int64_t mine, least, most;
	const char *cite;
};

/* Batches of the rank's loaders; steps completed; rows of the latest batch. Peers: all others. */
struct amount shards_batches(const struct inquiry *q, int rank);
struct amount shards_steps(const struct inquiry *q, int rank);
struct amount shards_rows(const struct inquiry *q, int rank);

/* Adds what is known of the above as facts. */
void shards_tell(struct inquiry *q, int rank, struct draft *draft);

#endif
