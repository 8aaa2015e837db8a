/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.h: a circle in which somebody waits for a send or a receive. Two peers may have taken
 * opposite orders; or one of them has left a call out and gone on, or has one too many. Which it
 * is, is told by what each did step by step (job/habit.h), and by pairs like it: pairs whose
 * members lie as far apart and have come to the same collective have sent as often.
 */
#ifndef VERDICT_PAIRS_H
#define VERDICT_PAIRS_H

#include "verdict/inquiry.h"

/* The rank at fault, by a call left out or too many. */
struct pair_fault {
	struct rank_index rank; /* NO_RANK: no rank, or more than one, is known to be at fault */
	enum verdict_cause cause; /* VERDICT_BY_SKIPPED, VERDICT_BY_EXTRA; none: unknown which */
	const struct wait *wait;  /* of the rank that waits for the call, or that made it */
	uint8_t op;               /* the call that was left out, or is one too many */
	uint64_t done;            /* how often the rank did it towards that peer, or the peer did */
	uint64_t like;            /* how often it was done in each of the pairs like it; 0: there
				   * are none */
	size_t nlike;
	bool by_habit;
	const char *cite;
};

/* Finds the fault in the circle that is this part of the graph. Adds nothing to the inquiry. */
struct pair_fault pairs_find_fault(const struct inquiry *q, int part);

/*
 * Makes the draft the finding of that fault: class, culprit, cause and facts; victims are the
 * caller's.
 */
void pairs_write(struct inquiry *q, const struct pair_fault *fault, struct draft *draft);

#endif
