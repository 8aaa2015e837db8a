/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/earlier.h"

#include "base/alloc.h"
#include "base/clock.h"

int64_t earlier_by(const struct clocks *clocks, struct rank_index rank, int64_t when,
	struct rank_index other, int64_t other_when)
{
	int theirs = clocks_of_rank(clocks, other), own = clocks_of_rank(clocks, rank);
	int64_t there = clocks_move(clocks, other_when, theirs, own);
	int64_t error = clocks_error(clocks, theirs, own);

	if (when == JOB_UNKNOWN || there == JOB_UNKNOWN)
		return JOB_UNKNOWN;
	/* A difference within the clocks' error is no order. */
	return when - there < error && there - when < error ? JOB_UNKNOWN : when - there;
}

/* -- close together ---------------------------------------------------------------------------- */

static void keep_min(int64_t *into, int64_t value)
{
	*into = value < *into ? value : *into;
}

static void keep_max(int64_t *into, int64_t value)
{
	*into = value > *into ? value : *into;
}

void earlier_spread_add(struct earlier_spread *spread, const struct clocks *clocks,
	struct rank_index rank, int64_t when)
{
	int own, first;
	int64_t there, error, behind;

	if (when == JOB_UNKNOWN) {
		spread->unknown++;
		return;
	}
	if (!spread->n++) {
		spread->one = rank;
		spread->when = when;
	}
	own = clocks_of_rank(clocks, rank);
	first = clocks_of_rank(clocks, spread->one);
	there = clocks_move(clocks, when, own, first);
	error = clocks_error(clocks, own, first);
	if (there == JOB_UNKNOWN) {
		spread->unknown++;
		return;
	}
	behind = there - spread->when;
	keep_min(&spread->first, behind - error);
	keep_max(&spread->last, behind + error);
	keep_min(&spread->first_sure, behind + error);
	keep_max(&spread->last_sure, behind - error);
}

enum job_known earlier_at_once(const struct earlier_spread *spread)
{
	if (spread->last_sure - spread->first_sure > EARLIER_AT_ONCE)
		return JOB_NO;
	return spread->unknown || spread->last - spread->first > EARLIER_AT_ONCE ? JOB_MAYBE
										 : JOB_YES;
}

/* -- the first of all ends --------------------------------------------------------------------- */

/*
 * True if an end is never the reason for another's: a launcher ended it, or it died of a peer that
 * was gone before.
 */
static bool is_effect(const struct profile *p)
{
	return (p->death == DEATH_ECHO && p->cause == VERDICT_BY_KILLED) ||
	       (p->death == DEATH_UNSURE && profile_tells_of_gone(p));
}

/* Adds one rank's end to those that this clock shows. */
static void add_end(const struct clocks *clocks, struct rank_index rank, const struct profile *p,
	int clock, struct earlier_ends *ends)
{
	int theirs = clocks_of_rank(clocks, rank);
	int64_t when = clocks_move(clocks, p->fault, theirs, clock);
	int64_t error = clocks_error(clocks, theirs, clock);
	int64_t maybe = when == JOB_UNKNOWN ? INT64_MIN : when - error;

	if (!earlier_is_bad(p))
		return;
	ends->untimed += when == JOB_UNKNOWN && !is_effect(p);
	if (p->death == DEATH_OWN || p->death == DEATH_KILLED)
		keep_min(&ends->first_unordered, maybe);
	if (p->fault == JOB_UNKNOWN)
		return;
	if (when != JOB_UNKNOWN)
		keep_min(&ends->first, when + error);
	if (p->death != DEATH_ECHO || p->cause != VERDICT_BY_KILLED)
		keep_min(&ends->maybe, maybe);
	if (p->death == DEATH_OWN && when != JOB_UNKNOWN)
		keep_min(&ends->first_own_sure, when + error);
	if (p->death == DEATH_OWN)
		keep_min(&ends->first_own, maybe);
}

struct earlier_ends *earlier_ends_new(
	const struct job *job, const struct clocks *clocks, const struct profile *profiles)
{
	struct earlier_ends *all = alloc_zeroed(job->nhosts + job->nranks + 1, sizeof(*all));

	job_for_each_rank (job, rank) {
		int clock = clocks_of_rank(clocks, rank);
		struct earlier_ends *ends = &all[clock];

		if (!earlier_is_bad(&profiles[rank.i]) || ends->found)
			continue;
		*ends = (struct earlier_ends){.found = true,
			.first = INT64_MAX,
			.maybe = INT64_MAX,
			.first_own = INT64_MAX,
			.first_own_sure = INT64_MAX,
			.first_unordered = INT64_MAX};
		job_for_each_rank (job, at)
			add_end(clocks, at, &profiles[at.i], clock, ends);
	}
	return all;
}

bool earlier_was_another(const struct profile *p, const struct earlier_ends *ends)
{
	if (p->fault == JOB_UNKNOWN)
		return ends->first != INT64_MAX || ends->untimed > !is_effect(p);
	return p->fault - EARLIER_AT_ONCE > ends->first;
}

bool earlier_may_be_another(const struct profile *p, const struct earlier_ends *ends)
{
	return earlier_was_another(p, ends) ||
	       (p->fault != JOB_UNKNOWN && ends->maybe < p->fault - EARLIER_AT_ONCE);
}

bool earlier_was_unordered(const struct profile *p, const struct earlier_ends *ends)
{
	return p->fault != JOB_UNKNOWN && p->fault > ends->first_unordered;
}

bool earlier_may_be_answered(const struct profile *p, const struct earlier_ends *ends)
{
	return p->fault != JOB_UNKNOWN && ends->first_unordered < p->fault - EARLIER_AT_ONCE;
}
