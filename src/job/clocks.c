/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks that met are a tree: each knows how far it is ahead of its parent, and how wrong that may
 * be. Groups are asked from the largest down: for operations, where many are common; else for their
 * making, which all leave together; last for a few operations, in which whoever came late looks
 * like a clock.
 */
#include "job/clocks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "job/rollcall.h"

/* How many of a seat's last operations are compared: they tell as much as all would. */
#define SAMPLED_OPS 32

/*
 * With fewer common operations than these, a communicator's making tells more: half of so few may
 * have been late.
 */
#define FEW_OPS 5

/* Larger distances between clocks, ns, are ignored (three centuries would overflow). */
#define FURTHEST (INT64_C(1) << 58)

/* The error, ns, of a distance about whose error nothing is known: thirteen days. */
#define ANY_ERROR (INT64_C(1) << 50)

struct clocks {
	const struct job *job;
	size_t n;
	int *parent;    /* index of the clock it is measured against; its own: a root */
	int64_t *ahead; /* ns by which it is ahead of the parent */
	int64_t *error; /* ns by which that may be off, at most ANY_ERROR, so that no sum
			 * overflows */
};

/* One clock's first sight of one event of a group. */
struct sight {
	uint64_t event;
	int64_t when;
	int clock;
};

/* How far a clock was ahead of the group's first one at one event. */
struct lead {
	int clock;
	int64_t ns;
};

/* What the clocks of one group's members saw of the same events. */
struct meeting {
	ARRAY(struct sight) sights;
	ARRAY(struct lead) leads;
};

/* -- the tree ---------------------------------------------------------------------------------- */

/* Keeps a distance between clocks within FURTHEST, so that sums do not overflow. */
static int64_t within(int64_t ns)
{
	return ns > FURTHEST ? FURTHEST : ns < -FURTHEST ? -FURTHEST : ns;
}

/* Returns the root above a clock, and hangs every clock on the way directly below it. */
static int root_of(struct clocks *clocks, int clock)
{
	int root = clock;
	int64_t ahead = 0, error = 0;

	while (clocks->parent[root] != root) {
		ahead = within(ahead + clocks->ahead[root]);
		error += clocks->error[root];
		root = clocks->parent[root];
	}
	while (clocks->parent[clock] != clock) {
		int next = clocks->parent[clock];
		int64_t rest = within(ahead - clocks->ahead[clock]);
		int64_t rest_error = error - clocks->error[clock];

		clocks->parent[clock] = root;
		clocks->ahead[clock] = ahead;
		clocks->error[clock] = error;
		ahead = rest;
		error = rest_error;
		clock = next;
	}
	return root;
}

/*
 * Notes that clock b is `ahead` ns ahead of clock a, within `error`. Does nothing where both are in
 * one tree already: what was found first holds.
 */
static void join(struct clocks *clocks, int a, int b, int64_t ahead, int64_t error)
{
	int root_a = root_of(clocks, a), root_b = root_of(clocks, b);

	if (root_a == root_b)
		return;
	clocks->ahead[root_b] = within(within(clocks->ahead[a] + ahead) - clocks->ahead[b]);
	error += clocks->error[a] + clocks->error[b];
	clocks->error[root_b] = error < ANY_ERROR ? error : ANY_ERROR;
	clocks->parent[root_b] = root_a;
}

/* -- what members of a group saw together ------------------------------------------------------ */

static int compare_sights(const void *va, const void *vb)
{
	const struct sight *a = va, *b = vb;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->clock != b->clock)
		return a->clock < b->clock ? -1 : 1;
	return a->when < b->when ? -1 : a->when > b->when;
}

static int compare_leads(const void *va, const void *vb)
{
	const struct lead *a = va, *b = vb;

	if (a->clock != b->clock)
		return a->clock < b->clock ? -1 : 1;
	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

/* Notes when a clock saw an event, if that is known. */
static void see(struct meeting *m, uint64_t event, int clock, int64_t when)
{
	if (when != JOB_UNKNOWN)
		*array_add(&m->sights) = (struct sight){event, when, clock};
}

/* Notes when a member entered its last operations. */
static void see_ops(const struct clocks *clocks, const struct job_member *m, struct meeting *to)
{
	size_t from = m->nops > SAMPLED_OPS ? m->nops - SAMPLED_OPS : 0;

	for (size_t i = from; i < m->nops; i++)
		see(to, m->ops[i].index, clocks_of_rank(clocks, m->rank), m->ops[i].entered);
}

/*
 * Fills m->leads: for each event that clock `first` saw, how far the other clocks were ahead of it.
 */
static void find_leads(struct meeting *m, int first)
{
	size_t n = m->sights.nr;

	array_sort(&m->sights, compare_sights);
	for (size_t i = 0, to; i < n; i = to) {
		const struct sight *at = &m->sights.items[i];

		for (to = i + 1; to < n && m->sights.items[to].event == at->event; to++) {
			const struct sight *other = &m->sights.items[to];
			int64_t ns = other->when - at->when;

			if (at->clock == first && other[0].clock != other[-1].clock &&
				ns < FURTHEST && ns > -FURTHEST)
				*array_add(&m->leads) = (struct lead){other->clock, ns};
		}
	}
	array_sort(&m->leads, compare_leads);
}

/*
 * Returns the spread of the middle half of these leads, ns: of two, their distance; of a single
 * one, which tells nothing of it, ANY_ERROR.
 */
static int64_t spread_of(const struct lead *leads, size_t n)
{
	size_t low = n > 2 ? n / 4 : 0, high = n > 2 ? n * 3 / 4 : n - 1;
	int64_t spread = leads[high].ns - leads[low].ns;

	return n < 2 || spread > ANY_ERROR ? ANY_ERROR : spread;
}

/*
 * Joins every clock that met the first one at least so often, by the median of its leads, and
 * empties the meeting. The making of a group is exact.
 */
static void meet(struct clocks *clocks, struct meeting *m, size_t least, bool by_making)
{
	int first = JOB_NONE;

	for (size_t i = 0; i < m->sights.nr; i++)
		if (first == JOB_NONE || m->sights.items[i].clock < first)
			first = m->sights.items[i].clock;
	find_leads(m, first);
	for (size_t i = 0, to; i < m->leads.nr; i = to) {
		const struct lead *at = &m->leads.items[i];

		for (to = i; to < m->leads.nr && m->leads.items[to].clock == at->clock; to++)
			;
		if (to - i >= least)
			join(clocks, first, at->clock, m->leads.items[i + (to - i) / 2].ns,
				by_making ? 0 : spread_of(at, to - i));
	}
	m->sights.nr = m->leads.nr = 0;
}

/*
 * Joins clocks by what members did together in each group: by the group's making, or by operations,
 * at least `least` of them.
 */
static void meet_in_groups(struct clocks *clocks, size_t least, bool by_making)
{
	const struct job *job = clocks->job;
	struct meeting m = {0};

	for (size_t i = 0; i < job->ngroups; i++) {
		const struct job_group *g = &job->groups[i];

		for (uint32_t seat = 0; seat < g->size; seat++) {
			const struct job_member *member =
				&job->members[g->first_member + (int)seat];

			if (!is_rank(member->rank))
				continue;
			/*
			 * The exchange of an id synchronises nobody: seat 0 gives it and does not
			 * wait; nor does a non-blocking member.
			 */
			if (by_making && (member->nonblocking || rollcall_is_bootstrap(g)))
				continue;
			if (by_making)
				see(&m, 0, clocks_of_rank(clocks, member->rank), member->ready_at);
			else
				see_ops(clocks, member, &m);
		}
		meet(clocks, &m, least, by_making);
	}
	array_release(&m.sights);
	array_release(&m.leads);
}

/* -- all of it --------------------------------------------------------------------------------- */

/* True if there are ranks of more than one clock. */
static bool are_many(const struct job *job)
{
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->host == JOB_NONE ||
			job_rank(job, rank)->host != job->ranks[0].host)
			return job->nranks > 1;
	return false;
}

struct clocks *clocks_new(const struct job *job)
{
	struct clocks *clocks = alloc_zeroed(1, sizeof(*clocks));

	clocks->job = job;
	clocks->n = job->nhosts + job->nranks;
	clocks->parent = alloc_zeroed(clocks->n + 1, sizeof(*clocks->parent));
	clocks->ahead = alloc_zeroed(clocks->n + 1, sizeof(*clocks->ahead));
	clocks->error = alloc_zeroed(clocks->n + 1, sizeof(*clocks->error));
	for (size_t i = 0; i < clocks->n; i++)
		clocks->parent[i] = (int)i;
	if (are_many(job)) {
		meet_in_groups(clocks, FEW_OPS, false);
		meet_in_groups(clocks, 1, true);
		meet_in_groups(clocks, 1, false);
	}
	for (size_t i = 0; i < clocks->n; i++)
		root_of(clocks, (int)i);
	return clocks;
}

void clocks_free(struct clocks *clocks)
{
	if (!clocks)
		return;
	free(clocks->parent);
	free(clocks->ahead);
	free(clocks->error);
	free(clocks);
}

int clocks_of_rank(const struct clocks *clocks, struct rank_index rank)
{
	int host = job_rank(clocks->job, rank)->host;

	return host == JOB_NONE ? (int)clocks->job->nhosts + rank.i : host;
}

int64_t clocks_move(const struct clocks *clocks, int64_t when, int from, int to)
{
	int64_t there;

	if (from == to || when == JOB_UNKNOWN)
		return when;
	if (clocks->parent[from] != clocks->parent[to])
		return JOB_UNKNOWN;
	there = when - clocks->ahead[from] + clocks->ahead[to];
	return there > INT64_MAX / 2 || there < -(INT64_MAX / 2) ? JOB_UNKNOWN : there;
}

int clocks_common(const struct clocks *clocks, int clock)
{
	return clocks->parent[clock];
}

int64_t clocks_error(const struct clocks *clocks, int a, int b)
{
	return a == b ? 0 : clocks->error[a] + clocks->error[b];
}
