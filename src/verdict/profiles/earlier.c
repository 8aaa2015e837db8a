/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/earlier.h"

#include <stdlib.h>

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

/* What an end may be asked for. */
enum end_kind {
	END_FIRST, /* certain by then, as is ... */
	END_FIRST_OWN_SURE,
	END_MAYBE, /* possible by then, as are ... */
	END_FIRST_OWN,
	END_FIRST_UNORDERED,
	END_KINDS
};

/* The two earliest ends of different clocks, or ranks; INT64_MAX none. */
struct end_pair {
	int64_t first, second;
	int who; /* whose `first` is */
};

static const struct end_pair no_ends = {INT64_MAX, INT64_MAX, JOB_NONE};

/*
 * The earliest ends of one kind, so that the earliest of all is found without comparing each with
 * each. Where clocks come together (clocks_common()) each of them finds the earliest end of all the
 * others: the first one, or the second where the first is its own.
 */
struct end_times {
	int64_t *own; /* by clock: of its own ranks, as it shows it; INT64_MAX none */
	struct end_pair *common; /* by the clock in which theirs come together: of two clocks, as
				  * that one shows them, with the error of each */
	size_t *timed; /* ends of known time, by the clock in which theirs come together */
	size_t all;    /* those of unknown time too, where they count */
};

/* Returns a time as another clock shows it at the earliest, or (`sure`) at the latest. */
static int64_t shown_by(const struct clocks *clocks, int64_t when, int from, int to, bool sure)
{
	int64_t there = clocks_move(clocks, when, from, to);
	int64_t error = clocks_error(clocks, from, to);

	return there == JOB_UNKNOWN ? INT64_MAX : sure ? there + error : there - error;
}

static bool is_sure(enum end_kind kind)
{
	return kind <= END_FIRST_OWN_SURE;
}

static struct end_times end_times_new(size_t nclocks)
{
	struct end_times times = {.own = alloc_zeroed(nclocks + 1, sizeof(*times.own)),
		.common = alloc_zeroed(nclocks + 1, sizeof(*times.common)),
		.timed = alloc_zeroed(nclocks + 1, sizeof(*times.timed))};

	for (size_t i = 0; i < nclocks; i++) {
		times.own[i] = INT64_MAX;
		times.common[i] = no_ends;
	}
	return times;
}

static void end_times_release(struct end_times *times)
{
	free(times->own);
	free(times->common);
	free(times->timed);
}

static void keep_pair(struct end_pair *pair, int64_t when, int who)
{
	if (who == pair->who) {
		keep_min(&pair->first, when);
	} else if (when < pair->first) {
		*pair = (struct end_pair){when, pair->first, who};
	} else {
		keep_min(&pair->second, when);
	}
}

/* Returns the earliest end that is not of that one; INT64_MAX none. */
static int64_t other_of(const struct end_pair *pair, int who)
{
	return pair->who == who ? pair->second : pair->first;
}

static void add_time(
	const struct clocks *clocks, struct end_times *times, bool sure, int clock, int64_t when)
{
	int common = clocks_common(clocks, clock);

	times->all++;
	times->timed[common]++;
	keep_min(&times->own[clock], when);
	keep_pair(&times->common[common], shown_by(clocks, when, clock, common, sure), clock);
}

/* Returns the earliest end of other clocks' ranks, as a clock shows it; INT64_MAX: none. */
static int64_t earliest_elsewhere(
	const struct clocks *clocks, const struct end_times *times, bool sure, int clock)
{
	int common = clocks_common(clocks, clock);
	int64_t when = other_of(&times->common[common], clock);

	return when == INT64_MAX ? when : shown_by(clocks, when, common, clock, sure);
}

/* Returns the earliest end of a kind, as a clock shows it; INT64_MAX: none. */
static int64_t earliest_by(
	const struct clocks *clocks, const struct end_times *times, bool sure, int clock)
{
	int64_t when = times->own[clock];

	if (!sure && times->all > times->timed[clocks_common(clocks, clock)])
		return INT64_MIN;
	keep_min(&when, earliest_elsewhere(clocks, times, sure, clock));
	return when;
}

/* True if an end of known time is one of that kind. */
static bool is_of_kind(const struct profile *p, enum end_kind kind)
{
	switch (kind) {
	case END_MAYBE:
		return p->death != DEATH_ECHO || p->cause != VERDICT_BY_KILLED;
	case END_FIRST_OWN:
	case END_FIRST_OWN_SURE:
		return p->death == DEATH_OWN;
	case END_FIRST_UNORDERED:
		return p->death == DEATH_OWN || p->death == DEATH_KILLED;
	default:
		return true;
	}
}

/* The bad ends of a job. */
struct end_table {
	struct end_times times[END_KINDS];
	size_t *timed; /* of known time, by the clock in which theirs come together; but no effects,
			* is_effect() */
	size_t causes; /* all that are no effects, of unknown time too */
};

static void add_end(const struct clocks *clocks, struct end_table *ends, int clock,
	const struct profile *p)
{
	bool causes = !is_effect(p);

	ends->causes += causes;
	if (p->fault == JOB_UNKNOWN) {
		ends->times[END_FIRST_UNORDERED].all +=
			is_of_kind(p, END_FIRST_UNORDERED);
		return;
	}
	ends->timed[clocks_common(clocks, clock)] += causes;
	for (enum end_kind kind = 0; kind < END_KINDS; kind++)
		if (is_of_kind(p, kind))
			add_time(clocks, &ends->times[kind], is_sure(kind), clock, p->fault);
}

static struct earlier_ends ends_by(
	const struct clocks *clocks, const struct end_table *ends, int clock)
{
	int64_t when[END_KINDS];

	for (enum end_kind kind = 0; kind < END_KINDS; kind++)
		when[kind] = earliest_by(clocks, &ends->times[kind], is_sure(kind), clock);
	return (struct earlier_ends){.found = true,
		.first = when[END_FIRST],
		.maybe = when[END_MAYBE],
		.first_own = when[END_FIRST_OWN],
		.first_own_sure = when[END_FIRST_OWN_SURE],
		.first_unordered = when[END_FIRST_UNORDERED],
		.untimed = ends->causes - ends->timed[clocks_common(clocks, clock)]};
}

struct earlier_ends *earlier_ends_new(
	const struct job *job, const struct clocks *clocks, const struct profile *profiles)
{
	size_t n = job->nhosts + job->nranks;
	struct earlier_ends *all = alloc_zeroed(n + 1, sizeof(*all));
	struct end_table ends = {.timed = alloc_zeroed(n + 1, sizeof(*ends.timed))};

	for (enum end_kind kind = 0; kind < END_KINDS; kind++)
		ends.times[kind] = end_times_new(n);
	job_for_each_rank (job, rank)
		if (earlier_is_bad(&profiles[rank.i]))
			add_end(clocks, &ends, clocks_of_rank(clocks, rank), &profiles[rank.i]);
	job_for_each_rank (job, rank) {
		int clock = clocks_of_rank(clocks, rank);

		if (earlier_is_bad(&profiles[rank.i]) && !all[clock].found)
			all[clock] = ends_by(clocks, &ends, clock);
	}
	for (enum end_kind kind = 0; kind < END_KINDS; kind++)
		end_times_release(&ends.times[kind]);
	free(ends.timed);
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

/* -- whether another one came before ----------------------------------------------------------- */

/* The ends that no word of a lost peer explains. */
struct earlier_others {
	const struct clocks *clocks;
	const struct profile *profiles;
	struct end_times sure, rough; /* certain by then; `rough`: of clocks with an error */
	struct end_times maybe;	      /* possible by then */
	struct end_pair *own; /* by clock: of ranks */
};

/* True if what a clock shows is not exactly what the one shows in which it meets others. */
static bool is_rough(const struct clocks *clocks, int clock)
{
	return clocks_error(clocks, clock, clocks_common(clocks, clock)) > 0;
}

static bool counts(const struct profile *p)
{
	return earlier_is_bad(p) && !profile_tells_of_gone(p);
}

struct earlier_others *earlier_others_new(
	const struct job *job, const struct clocks *clocks, const struct profile *profiles)
{
	struct earlier_others *others = alloc_zeroed(1, sizeof(*others));
	size_t n = job->nhosts + job->nranks;

	*others = (struct earlier_others){.clocks = clocks,
		.profiles = profiles,
		.sure = end_times_new(n),
		.rough = end_times_new(n),
		.maybe = end_times_new(n),
		.own = alloc_zeroed(n + 1, sizeof(*others->own))};
	for (size_t i = 0; i < n; i++)
		others->own[i] = no_ends;
	job_for_each_rank(job, rank) {
		const struct profile *p = &profiles[rank.i];
		int clock = clocks_of_rank(clocks, rank);

		if (!counts(p))
			continue;
		if (p->fault == JOB_UNKNOWN) {
			others->maybe.all++;
			continue;
		}
		add_time(clocks, is_rough(clocks, clock) ? &others->rough : &others->sure, true,
			clock, p->fault);
		add_time(clocks, &others->maybe, false, clock, p->fault);
		keep_pair(&others->own[clock], p->fault, rank.i);
	}
	return others;
}

void earlier_others_free(struct earlier_others *others)
{
	if (!others)
		return;
	end_times_release(&others->sure);
	end_times_release(&others->rough);
	end_times_release(&others->maybe);
	free(others->own);
	free(others);
}

/*
 * True if an end on another clock was certainly before this time: by their error at least, and by
 * more than nothing.
 */
static bool is_behind_another(const struct earlier_others *others, int clock, int64_t when)
{
	const struct clocks *clocks = others->clocks;
	int64_t sure = earliest_elsewhere(clocks, &others->sure, true, clock);

	return sure < when || (sure == when && is_rough(clocks, clock)) ||
	       earliest_elsewhere(clocks, &others->rough, true, clock) <= when;
}

enum job_known earlier_others_ended(const struct earlier_others *others, struct rank_index rank)
{
	const struct clocks *clocks = others->clocks;
	const struct profile *p = &others->profiles[rank.i];
	int clock = clocks_of_rank(clocks, rank);

	if (p->fault == JOB_UNKNOWN)
		return others->maybe.all > counts(p) ? JOB_MAYBE : JOB_NO;
	if (other_of(&others->own[clock], rank.i) < p->fault ||
		is_behind_another(others, clock, p->fault))
		return JOB_YES;
	if (others->maybe.all > others->maybe.timed[clocks_common(clocks, clock)] ||
		earliest_elsewhere(clocks, &others->maybe, false, clock) < p->fault)
		return JOB_MAYBE;
	return JOB_NO;
}
