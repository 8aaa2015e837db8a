/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looks.h: what became of ranks since they were looked at. Nodes are looked at one after the other,
 * and the files of a job may be hours apart: what a rank did at its look may long be over, and the
 * looks at others may tell so.
 */
#ifndef VERDICT_LOOKS_H
#define VERDICT_LOOKS_H

#include "verdict/inquiry.h"

struct looks;

/* Compares the looks at all seats of an inquiry, whose seats and waits are made. Never NULL. */
struct looks *looks_new(const struct inquiry *q);
/* Frees it; NULL is fine. */
void looks_free(struct looks *looks);

/*
 * True if all ranks were looked at on one host, and at once; or a dump alone tells of the rank, and
 * not when it was written.
 */
bool looks_are_one(const struct inquiry *q, struct rank_index rank);

/*
 * True if the rank is known to have gone on since it was looked at: a member of a group of its,
 * seen in another look, has completed what no member completes before all have come to it, and the
 * rank had not come so far. That is told by the order of operations, and needs no clock. So is who
 * stands in a collective of which its dump does not know.
 */
bool looks_are_outdated(const struct inquiry *q, struct rank_index rank);

/*
 * Adds to `before` those of the ranks that were looked at more than `by` ns before one of the
 * others was, by clocks that tell so.
 */
void looks_find_before(const struct inquiry *q, const struct rank_list *ranks,
	const struct rank_list *others, int64_t by, struct rank_list *before);

/*
 * Lists ranks that were seen to wait for nobody, and yet may have waited for long when the last
 * look at others was: a member of a group of theirs has been in its own code since for longer than
 * a hang's time. Adds those that were certainly looked at too early to `before`, and those of which
 * no clock tells to `whenever`.
 */
void looks_find_unwatched(
	const struct inquiry *q, struct rank_list *before, struct rank_list *whenever);

#endif
