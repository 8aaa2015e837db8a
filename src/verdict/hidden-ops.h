/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VERDICT_HIDDEN_OPS_H
#define VERDICT_HIDDEN_OPS_H

/*
 * Operations that nobody records, so that a rank may stand in one, and wait there for others, while
 * it looks as if it waited for its own GPU: those of a CUDA graph that is replayed, and those by
 * which GPUs speak to each other without NCCL (symmetric memory, NVSHMEM).
 */

#include "verdict/inquiry.h"

struct hidden_ops {
	bool replayed;     /* it captured a graph, and may replay it ever after */
	const char *by;    /* libraries, as its trait names them; "" none */
	const char *cite;
};

/* What the rank may have of them: nothing where both are empty, or where nobody tells. */
struct hidden_ops hidden_ops_of(const struct inquiry *q, struct rank_index rank);

/* True if it may have any. */
bool hidden_ops_any(const struct inquiry *q, struct rank_index rank);

#endif
