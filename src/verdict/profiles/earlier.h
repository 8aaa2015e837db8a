/* SPDX-License-Identifier: Apache-2.0 */
/*
 * earlier.h: which of two ranks' times is the earlier. Each time is one of its own host's clock. So
 * times of two ranks are compared nowhere but here: only as far as their clocks met (job/clocks.h),
 * and no finer than that allows. An order that nobody knows is unknown, and counts as possible.
 */
#ifndef VERDICT_EARLIER_H
#define VERDICT_EARLIER_H

#include "base/clock.h"
#include "verdict/profiles/profile.h"

/* Ends and orders closer together than this are one act of a scheduler or a launcher. */
#define EARLIER_AT_ONCE CLOCK_NS_PER_S

/*
 * Returns the ns from the second time to the first, below 0 where the first is earlier; JOB_UNKNOWN
 * where they cannot be compared, or are closer together than their clocks tell.
 */
int64_t earlier_by(const struct clocks *clocks, struct rank_index rank, int64_t when,
	struct rank_index other, int64_t other_when);

/* Times of ranks, each as a range of distances from the first one's. {0}: none yet. */
struct earlier_spread {
	struct rank_index one; /* the first rank, with its time `when`; void while n is 0 */
	int64_t when;
	size_t n;
	size_t unknown;                /* ranks of unknown distance from the first */
	int64_t first, last;           /* ns from the first one's time: the widest range
				        * possible, */
	int64_t first_sure, last_sure; /* and the range that is certain */
};

/* Adds a time of that rank, by its own host's clock, ns. */
void earlier_spread_add(struct earlier_spread *spread, const struct clocks *clocks,
	struct rank_index rank, int64_t when);
/* Tells whether all these times were within EARLIER_AT_ONCE; YES for none, or for one alone. */
enum job_known earlier_at_once(const struct earlier_spread *spread);

/* True for any end but an exit with status 0. */
static inline bool earlier_is_bad(const struct profile *p)
{
	return p->death > DEATH_CLEAN;
}

/*
 * The earliest bad ends of the job as one clock shows them, to tell what came after. Clocks may be
 * off, so each has two times: when it had certainly happened, and when it may have happened. Ends
 * by clocks that never met this one may have come before anything, and so may an end of unknown
 * time that no order caused.
 */
struct earlier_ends {
	bool found;
	int64_t first; /* earliest end, certain by then; INT64_MAX: none */
	int64_t maybe; /* earliest end, possible by then; likewise the next two */
	int64_t first_own;
	int64_t first_own_sure;  /* certain by then */
	int64_t first_unordered; /* possible by then, of unknown order */
	size_t untimed;          /* bad ends that cannot be compared */
};

/*
 * Returns all ends, once for each clock of a rank that ended badly: an array by clock
 * (clocks_of_rank()), for free().
 */
struct earlier_ends *earlier_ends_new(
	const struct job *job, const struct clocks *clocks, const struct profile *profiles);

/*
 * True if another bad end came before this one; for an end of unknown time, if there is any other.
 */
bool earlier_was_another(const struct profile *p, const struct earlier_ends *ends);
/* True if another bad end may have come before this one. */
bool earlier_may_be_another(const struct profile *p, const struct earlier_ends *ends);
/* True if a bad end that no order caused came, or may have come, before this one. */
bool earlier_was_unordered(const struct profile *p, const struct earlier_ends *ends);
/* True if such an end may have come so long before that this one may be the answer to it. */
bool earlier_may_be_answered(const struct profile *p, const struct earlier_ends *ends);

/*
 * The bad ends of ranks whose own words do not tell of a peer that was gone: to ask of any rank
 * whether another one had ended so when it did. Points to the clocks and profiles, which must
 * outlive it and not change; never NULL; earlier_others_free() it.
 */
struct earlier_others;

struct earlier_others *earlier_others_new(
	const struct job *job, const struct clocks *clocks, const struct profile *profiles);
/* Frees it; NULL is fine. */
void earlier_others_free(struct earlier_others *others);
/* Tells whether another rank had ended so when this one did. MAYBE where no clock tells. */
enum job_known earlier_others_ended(const struct earlier_others *others, struct rank_index rank);

#endif
