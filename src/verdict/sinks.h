/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VERDICT_SINKS_H
#define VERDICT_SINKS_H

/*
 * What the files of sinks share: sinks.c finds them and writes findings, sinks-doubts.c says how
 * sure those can be.
 */

#include "base/array.h"
#include "verdict/inquiry.h"
#include "verdict/rule.h"

/* A sink, and why it is away. */
struct suspect {
	struct rank_index rank;
	int node;
	const struct away *away;
	struct reason why;
};

/* Suspects, sorted by reason: those with one reason are one finding. */
struct suspects {
	ARRAY(struct suspect) list;
};

/*
 * Returns the longest standing wait that lacks a seat of this rank, which goes to *ret_seat; NULL
 * none.
 */
const struct wait *sinks_wait_for(const struct inquiry *q, const struct draft *draft,
	struct rank_index rank, const struct job_member **ret_seat) __attribute__((nonnull));

/*
 * Makes the finding of n suspects, whose culprits and victims are in the draft, as sure as it may
 * be, and tells why it is no surer. `blamed`: the finding blames the suspects.
 */
void sinks_doubt(struct inquiry *q, const struct suspect *from, size_t n, bool blamed,
	struct draft *draft) __attribute__((nonnull));

/*
 * True if the suspect is merely late, while others of `all` do not come at all: it may be busy
 * looking again and again for what one of those should have written.
 */
bool sinks_may_follow(const struct suspect *late, const struct suspects *all)
	__attribute__((nonnull));

#endif
