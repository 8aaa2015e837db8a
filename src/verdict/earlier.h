/* SPDX-License-Identifier: Apache-2.0 */
/*
 * earlier.h: what came earlier, of two ranks. A time is one of its own host's clock, so here alone
 * are those of two ranks compared: as far as their clocks met (job/clocks.h), and no finer than
 * that tells. What nobody knows is said to be unknown, and to have been possible.
 */
#ifndef VERDICT_EARLIER_H
#define VERDICT_EARLIER_H

#include "base/clock.h"
#include "verdict/profile.h"

/* Ends and orders this close together are one act: of a scheduler, or of a launcher. */
#define EARLIER_AT_ONCE CLOCK_NS_PER_S

/*
 * ns by which the one's time is behind the other's, below 0 before it; JOB_UNKNOWN where they
 * cannot be compared, or are closer together than their clocks tell.
 */
int64_t earlier_by(const struct clocks *clocks, struct rank_index rank, int64_t when,
	struct rank_index other, int64_t other_when);

/* Times of ranks, each as far from that of the first as it may be. {0}: none yet. */
struct earlier_spread {
	struct rank_index one; /* with the time `when`; void where n is 0 */
	int64_t when;
	size_t n;
	size_t unknown;                /* of which nobody knows how far they are from the first */
	int64_t first, last;           /* ns from the first one's, as far as they may be apart, */
	int64_t first_sure, last_sure; /* and as far as they surely are */
};

void earlier_spread_add(struct earlier_spread *spread, const struct clocks *clocks,
	struct rank_index rank, int64_t when);
/* Whether all of them were within EARLIER_AT_ONCE; of none, or one alone, YES. */
enum job_known earlier_at_once(const struct earlier_spread *spread);

/* Any end but an exit with status 0. */
static inline bool earlier_is_bad(const struct profile *p)
{
	return p->death > DEATH_CLEAN;
}

/*
 * The earliest bad ends of the job as one clock shows them, to tell what came after. How far the
 * clocks may be off makes two of each: when it had surely been, and when it may have been. Ends by
 * clocks that never met this one may have come before anything; so may one of no known time that
 * was no order's doing.
 */
struct earlier_ends {
	bool found;
	int64_t first; /* of all had surely been; INT64_MAX: none */
	int64_t maybe; /* of all may have been; so the next two */
	int64_t first_own;
	int64_t first_own_sure;  /* had surely been */
	int64_t first_unordered; /* that was no order's doing */
	size_t untimed;          /* bad ends that cannot be compared */
};

/*
 * All ends as the clocks of those show them that ended badly: an array by clock
 * (clocks_of_rank()), for free().
 */
struct earlier_ends *earlier_ends_new(
	const struct job *job, const struct clocks *clocks, const struct profile *profiles);

/*
 * True if another bad end came before this one; of one whose time is not known, if there is another
 * at all.
 */
bool earlier_was_another(const struct profile *p, const struct earlier_ends *ends);
/* True if it may have. */
bool earlier_may_be_another(const struct profile *p, const struct earlier_ends *ends);
/* True if an end that was no order's doing came, or may have come, before this one. */
bool earlier_was_unordered(const struct profile *p, const struct earlier_ends *ends);
/* True if such a one may have been so long before that this one may answer it. */
bool earlier_may_be_answered(const struct profile *p, const struct earlier_ends *ends);

#endif
