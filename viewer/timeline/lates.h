/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lates.h: who came last to the collectives, and by how much. A job need not hang to have somebody
 * for whom all others wait: of each collective that every member entered, the last one and how far
 * behind the one before it. Times of several hosts are brought together as job/clocks.h does it;
 * where that is not possible, nobody was last.
 */
#ifndef VIEWER_LATES_H
#define VIEWER_LATES_H

#include "viewer/timeline/track.h"

struct lates;

/*
 * How long one rank kept the others waiting. Somebody is always the last to come: times that are
 * nothing beside its worst one are not counted.
 */
struct late {
	uint32_t times;
	int64_t sum;    /* ns behind the next-to-last, of all times that it was last */
	int64_t most;   /* of one */
	int64_t latest; /* when it was late the last time, by its own clock; JOB_UNKNOWN never */
	uint64_t since; /* collectives of that group that all entered after that one, to the end */
};

/* Finds who was last, of all tracks, which must outlive it; never NULL. */
struct lates *lates_new(const struct tracks *tracks) __attribute__((nonnull));
/* Frees it; NULL is fine. */
void lates_free(struct lates *lates);

/*
 * Returns how late the rank was, of the collectives that were entered by all within [from, to).
 * O(log n), and those of them to which it came last.
 */
struct late lates_of(const struct lates *lates, struct rank_index rank, int64_t from, int64_t to)
	__attribute__((nonnull));

#endif
