/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/undecided.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "verdict/profiles/earlier.h"

/* An end, by the clock in which its own meets others (clocks_common()). */
struct end {
	int common;
	int64_t when;
	struct rank_index rank;
};

/* Ends of one kind. */
struct ends {
	ARRAY(struct end) list; /* of known time: by clock, then time */
	size_t untimed;
	int64_t error; /* the largest of theirs towards the clock in which they meet */
};

/* All ends that only might be their ranks' own: [an order's][their evidence can be read]. */
struct table {
	const struct clocks *clocks;
	const struct profile *profiles;
	struct ends of[2][2];
};

static bool by_order(const struct profile *p)
{
	return p->cause == VERDICT_BY_KILLED;
}

static int compare_ends(const void *va, const void *vb)
{
	const struct end *a = va, *b = vb;

	if (a->common != b->common)
		return a->common < b->common ? -1 : 1;
	if (a->when != b->when)
		return a->when < b->when ? -1 : 1;
	return a->rank.i < b->rank.i ? -1 : a->rank.i > b->rank.i;
}

/* Returns a rank's end by the clock in which its own meets others; `when` may be JOB_UNKNOWN. */
static struct end end_of(const struct table *table, struct rank_index rank)
{
	int clock = clocks_of_rank(table->clocks, rank);
	int common = clocks_common(table->clocks, clock);

	return (struct end){.common = common,
		.when = clocks_move(
			table->clocks, table->profiles[rank.i].fault, clock, common),
		.rank = rank};
}

/* Returns by how much that time may be off. */
static int64_t error_of(const struct table *table, const struct end *end)
{
	return clocks_error(
		table->clocks, clocks_of_rank(table->clocks, end->rank), end->common);
}

static void add(struct table *table, struct rank_index rank)
{
	const struct profile *p = &table->profiles[rank.i];
	struct ends *ends = &table->of[by_order(p)][p->readable];
	struct end end = end_of(table, rank);
	int64_t error = error_of(table, &end);

	if (end.when == JOB_UNKNOWN) {
		ends->untimed++;
		return;
	}
	*array_add(&ends->list) = end;
	ends->error = error > ends->error ? error : ends->error;
}

/* True if two ends were at about one time, or nobody knows. */
static bool may_be_at_once(const struct table *table, struct rank_index a, struct rank_index b)
{
	int64_t apart = earlier_by(
		table->clocks, a, table->profiles[a.i].fault, b, table->profiles[b.i].fault);

	return apart == JOB_UNKNOWN || llabs(apart) <= EARLIER_AT_ONCE;
}

/*
 * True if one of those may have ended at about that time. Who ended by a clock that this one never
 * met may have; of the others those are asked that are near enough by the largest error.
 */
static bool has_near(const struct table *table, const struct ends *ends, const struct end *end)
{
	const struct end *at = ends->list.items;
	size_t n = ends->list.nr, from, to;
	int64_t reach = EARLIER_AT_ONCE + ends->error + error_of(table, end);

	if (!n || ends->untimed || end->when == JOB_UNKNOWN)
		return n + ends->untimed > 0;
	from = bisect(0, n, i, at[i].common < end->common);
	to = bisect(from, n, i, at[i].common == end->common);
	if (to - from < n)
		return true;
	from = bisect(from, to, i, end->when - at[i].when > reach);
	for (size_t i = from; i < to && at[i].when - end->when <= reach; i++)
		if (may_be_at_once(table, end->rank, at[i].rank))
			return true;
	return false;
}

/* True if an end of the other kind, at about one time, may have led to this one, or it to that. */
static bool is_undecided(const struct table *table, struct rank_index rank)
{
	const struct profile *p = &table->profiles[rank.i];
	const struct ends *others = table->of[!by_order(p)];
	struct end end = end_of(table, rank);

	return has_near(table, &others[false], &end) ||
	       (!p->readable && has_near(table, &others[true], &end));
}

static void mark(const struct table *table, const struct job *job, struct profile *profiles)
{
	bool *undecided = alloc_zeroed(job->nranks + 1, sizeof(*undecided));

	job_for_each_rank(job, rank)
		undecided[rank.i] = profiles[rank.i].death == DEATH_UNSURE &&
				    is_undecided(table, rank);
	job_for_each_rank(job, rank)
		if (undecided[rank.i])
			profiles[rank.i].death = DEATH_END;
	free(undecided);
}

void undecided_judge(const struct job *job, const struct clocks *clocks, struct profile *profiles)
{
	struct table table = {.clocks = clocks, .profiles = profiles};

	job_for_each_rank(job, rank)
		if (profiles[rank.i].death == DEATH_UNSURE)
			add(&table, rank);
	for (int i = 0; i < 4; i++)
		array_sort(&table.of[i / 2][i % 2].list, compare_ends);
	mark(&table, job, profiles);
	for (int i = 0; i < 4; i++)
		array_release(&table.of[i / 2][i % 2].list);
}
