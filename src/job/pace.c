/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is usual for a group is a median: a job that saves, compiles or evaluates now and then has
 * long gaps among many short ones, and a mean would make each of them the rule. Of fewer than
 * FEWEST_GAPS nothing is said, and who asks takes his own least time for a hang's.
 *
 * Who comes last to a collective keeps all others; but somebody is always last, mostly by chance.
 * pace_last_late() looks for one delay that stands out against those of others, and
 * pace_straggler() for one rank that is last again and again, however little each time. Times of
 * two hosts are compared only by clocks.h, and what may be the clocks' error is nobody's delay.
 */
#include "job/pace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "job/spans.h"

/* How many members are asked for a group's pace: they tell it as well as all would. */
#define SAMPLED_MEMBERS 64

/* From fewer gaps, or fewer arrivals of others, nothing is concluded about what is usual. */
#define FEWEST_GAPS     3
#define FEWEST_ARRIVALS 5

/*
 * A straggler is sought among at least FEWEST and at most the LATEST collectives; it keeps the
 * others for at least PERCENT of their time.
 */
#define STRAGGLER_FEWEST  12
#define STRAGGLER_LATEST  200
#define STRAGGLER_PERCENT 10

/* A rank is late by at least so many times what is usual for others. */
#define LATE_BY_TIMES 2

static int compare_gaps(const void *va, const void *vb)
{
	int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;

	return a < b ? -1 : a > b;
}

struct gaps {
	ARRAY(int64_t) list;
};

/*
 * Adds the gaps between a member's collectives, but not the gap into the group's newest op, which
 * may be the odd one.
 */
static void collect_gaps(const struct job_member *m, uint64_t front, struct gaps *gaps)
{
	for (size_t i = 1; i < m->nops; i++) {
		const struct job_op *before = &m->ops[i - 1], *op = &m->ops[i];

		if (op->index != before->index + 1 || op->index >= front ||
			op->entered == JOB_UNKNOWN || before->entered == JOB_UNKNOWN ||
			op->entered < before->entered)
			continue;
		*array_add(&gaps->list) = op->entered - before->entered;
	}
}

/*
 * Returns the median gap, ns, and releases the gaps; 0 if the member with `most` of them has too
 * few.
 */
static int64_t median_of(struct gaps *gaps, size_t most)
{
	int64_t median = 0;

	array_sort(&gaps->list, compare_gaps);
	if (most >= FEWEST_GAPS)
		median = gaps->list.items[gaps->list.nr / 2];
	array_release(&gaps->list);
	return median;
}

/* Between messages that go the same way between the same two; `size`: the group's. */
static void collect_message_gaps(const struct job_member *m, uint32_t size, struct gaps *gaps)
{
	/* When the latest one with each peer was begun, sent ones behind received ones. */
	int64_t *last = alloc_zeroed(2 * (size_t)size, sizeof(*last));

	for (size_t i = 0; i < 2 * (size_t)size; i++)
		last[i] = JOB_UNKNOWN;
	for (size_t i = 0; i < m->np2p; i++) {
		const struct job_op *op = &m->p2p[i];
		int64_t *before;

		if (op->sig.peer.n >= size || op->entered == JOB_UNKNOWN)
			continue;
		before = &last[op->sig.peer.n + (op->sig.op == JOB_OP_SEND ? size : 0)];
		if (*before != JOB_UNKNOWN && op->entered >= *before)
			*array_add(&gaps->list) = op->entered - *before;
		*before = op->entered;
	}
	free(last);
}

int64_t pace_median_gap(const struct job *job, int group, bool messages)
{
	const struct job_group *g = &job->groups[group];
	uint64_t front = messages ? 0 : rollcall_take(job, group, 0).front;
	struct gaps gaps = {0};
	size_t most = 0;
	uint32_t sampled = 0;

	for (uint32_t seat = 0; seat < g->size && sampled < SAMPLED_MEMBERS; seat++) {
		const struct job_member *m = &job->members[g->first_member + (int)seat];
		size_t before = gaps.list.nr;

		if (!(messages ? m->np2p : m->nops))
			continue;
		sampled++;
		if (messages)
			collect_message_gaps(m, g->size, &gaps);
		else
			collect_gaps(m, front, &gaps);
		if (gaps.list.nr - before > most)
			most = gaps.list.nr - before;
	}
	return median_of(&gaps, most);
}

/* Returns when the rank last said this trait; JOB_UNKNOWN. */
static int64_t said_at(const struct job *job, struct rank_index rank, const char *key)
{
	struct spans_range traits = traits_of(job, rank);

	for (size_t i = traits.from; i < traits.to; i++)
		if (!strcmp(job->traits[i].key, key))
			return job->traits[i].when;
	return JOB_UNKNOWN;
}

bool pace_met_without_group(const struct job *job, struct rank_index rank)
{
	return said_at(job, rank, "met") != JOB_UNKNOWN;
}

/*
 * Returns when the rank had met the others, by its own word: PyTorch's first process group, else a
 * service that it came through; JOB_UNKNOWN.
 */
static int64_t met_at(const struct job *job, struct rank_index rank)
{
	int64_t made = said_at(job, rank, "backend");

	return made != JOB_UNKNOWN ? made : said_at(job, rank, "met");
}

/* True if the group is of all ranks, and each has come through its init. */
static bool is_meeting(const struct job *job, const struct job_group *group)
{
	if (group->size < job->nranks || (int64_t)group->size < job->world_size)
		return false;
	for (uint32_t seat = 0; seat < group->size; seat++)
		if (job->members[group->first_member + (int)seat].state < JOB_MEMBER_READY)
			return false;
	return true;
}

bool pace_all_met(const struct job *job)
{
	for (size_t i = 0; i < job->ngroups; i++)
		if (is_meeting(job, &job->groups[i]))
			return true;
	job_for_each_rank(job, rank)
		if (met_at(job, rank) == JOB_UNKNOWN)
			return false;
	return job->nranks > 0;
}

/*
 * Returns how long the rank in that seat took from its birth to PyTorch's first group, else to its
 * init here, ns; JOB_UNKNOWN.
 */
static int64_t start_of(const struct job *job, const struct job_member *m)
{
	const struct job_process *process;
	int64_t met;

	if (!is_rank(m->rank) || m->init_since == JOB_UNKNOWN ||
		job_rank(job, m->rank)->process == JOB_NONE)
		return JOB_UNKNOWN;
	process = &job->processes[job_rank(job, m->rank)->process];
	if (process->born == JOB_UNKNOWN || process->born > m->init_since)
		return JOB_UNKNOWN;
	met = met_at(job, m->rank);
	if (met == JOB_UNKNOWN || met > m->init_since || met < process->born)
		met = m->init_since;
	return met - process->born;
}

int64_t pace_median_start(const struct job *job, int group)
{
	const struct job_group *g = &job->groups[group];
	struct gaps starts = {0};
	int64_t median = 0;

	for (uint32_t seat = 0;
		!g->parent && seat < g->size && starts.list.nr < SAMPLED_MEMBERS; seat++) {
		int64_t start = start_of(job, &job->members[g->first_member + (int)seat]);

		if (start != JOB_UNKNOWN)
			*array_add(&starts.list) = start;
	}
	array_sort(&starts.list, compare_gaps);
	if (starts.list.nr)
		median = starts.list.items[starts.list.nr / 2];
	array_release(&starts.list);
	return median;
}

/*
 * Returns how long the init of a group took for the member that came last to it, ns; 0 not known.
 */
static int64_t init_of(const struct job *job, const struct job_group *g)
{
	int64_t least = INT64_MAX;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &job->members[g->first_member + (int)seat];

		if (m->init_since != JOB_UNKNOWN && m->ready_at != JOB_UNKNOWN &&
			m->ready_at >= m->init_since && m->ready_at - m->init_since < least)
			least = m->ready_at - m->init_since;
	}
	return least == INT64_MAX ? 0 : least;
}

int64_t pace_slowest_init(const struct job *job)
{
	int64_t slowest = 0;

	for (size_t i = 0; i < job->ngroups; i++) {
		int64_t took = init_of(job, &job->groups[i]);

		slowest = took > slowest ? took : slowest;
	}
	return slowest;
}

/*
 * Finds who entered a collective last, and by how much, ns. False where not all members are known
 * to have entered.
 */
static bool lateness(const struct job *job, const struct clocks *clocks, const struct job_group *g,
	uint64_t index, struct pace_late *late)
{
	int64_t last = JOB_UNKNOWN, second = JOB_UNKNOWN, error;
	int clock = JOB_NONE, last_on = JOB_NONE, second_on = JOB_NONE;

	late->rank = NO_RANK;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &job->members[g->first_member + (int)seat];
		const struct job_op *op = rollcall_op(m, index);
		int64_t entered;

		if (!op || !is_rank(m->rank))
			return false;
		if (clock == JOB_NONE)
			clock = clocks_of_rank(clocks, m->rank);
		entered = clocks_move(clocks, op->entered, clocks_of_rank(clocks, m->rank), clock);
		if (entered == JOB_UNKNOWN)
			return false;
		if (entered > last) {
			second = last;
			second_on = last_on;
			last = entered;
			last_on = clocks_of_rank(clocks, m->rank);
			late->rank = m->rank;
			late->index = index;
			late->entered = op->entered;
			late->cite = op->cite;
		} else if (entered > second) {
			second = entered;
			second_on = clocks_of_rank(clocks, m->rank);
		}
	}
	/* Lateness that an error of the clocks may explain is not the rank's. */
	error = second == JOB_UNKNOWN ? 0 : clocks_error(clocks, last_on, second_on);
	late->late = second == JOB_UNKNOWN || last - second < error ? 0 : last - second - error;
	return true;
}

struct arrivals {
	ARRAY(struct pace_late) list;
};

/*
 * Collects, for each collective that all members are known to have entered, who was last and by how
 * much.
 */
static void collect_arrivals(const struct job *job, const struct clocks *clocks,
	const struct job_group *g, struct arrivals *arrivals)
{
	const struct job_member *first = g->size ? &job->members[g->first_member] : NULL;

	if (g->unordered)
		return;
	for (size_t i = 0; first && g->size > 1 && i < first->nops; i++) {
		struct pace_late late = {.times = 1, .apart = JOB_UNKNOWN, .cite = ""};

		if (lateness(job, clocks, g, first->ops[i].index, &late))
			*array_add(&arrivals->list) = late;
	}
}

/*
 * Returns the median lateness of the collectives in which another rank was last, ns; 0 if they are
 * too few.
 */
static int64_t usual_without(const struct arrivals *arrivals, struct rank_index rank)
{
	struct gaps others = {0};
	int64_t usual = 0;

	for (size_t i = 0; i < arrivals->list.nr; i++)
		if (!same_rank(arrivals->list.items[i].rank, rank))
			*array_add(&others.list) = arrivals->list.items[i].late;
	array_sort(&others.list, compare_gaps);
	if (others.list.nr >= FEWEST_ARRIVALS)
		usual = others.list.items[others.list.nr / 2];
	array_release(&others.list);
	return usual;
}

struct pace_late pace_last_late(
	const struct job *job, const struct clocks *clocks, int group, int64_t least)
{
	struct pace_late last = {.rank = NO_RANK, .apart = JOB_UNKNOWN, .cite = ""};
	struct arrivals arrivals = {0};

	collect_arrivals(job, clocks, &job->groups[group], &arrivals);
	for (size_t i = 0; i < arrivals.list.nr; i++) {
		struct pace_late late = arrivals.list.items[i];

		if (late.late < least ||
			late.late / LATE_BY_TIMES < usual_without(&arrivals, late.rank)) {
			last.since++;
			continue;
		}
		if (same_rank(late.rank, last.rank)) {
			late.times = last.times + 1;
			late.apart = late.entered - last.entered;
		}
		last = late;
	}
	array_release(&arrivals.list);
	return last;
}

/* True if the rank was last there, and the clocks' error alone does not explain it. */
static bool is_last(const struct pace_late *late, struct rank_index rank)
{
	return late->late > 0 && same_rank(late->rank, rank);
}

/*
 * Returns the rank that was last in more than half of them, if there is one; else any rank. One
 * pass finds a majority (Boyer and Moore, 1981).
 */
static struct rank_index most_often_last(const struct pace_late *lates, size_t n)
{
	struct rank_index rank = NO_RANK;
	size_t lead = 0;

	for (size_t i = 0; i < n; i++) {
		if (!lead)
			rank = lates[i].rank;
		if (is_last(&lates[i], rank))
			lead++;
		else if (lead)
			lead--;
	}
	return rank;
}

/*
 * Counts how often the straggler was last, and for what share of the time from the first to the
 * latest of these all others waited for it. All is measured by its own clock, since clocks of hosts
 * say nothing of each other.
 */
static void measure_straggler(
	const struct pace_late *lates, size_t n, struct pace_straggler *straggler)
{
	int64_t kept = 0, first = JOB_UNKNOWN, until = JOB_UNKNOWN;

	for (size_t i = 0; i < n; i++) {
		int64_t to = lates[i].entered, from = to - lates[i].late;

		if (!is_last(&lates[i], straggler->rank))
			continue;
		straggler->last++;
		straggler->cite = lates[i].cite;
		first = first == JOB_UNKNOWN ? to : first;
		until = until == JOB_UNKNOWN ? to : until;
		/*
		 * Time in which two collectives waited at once (buckets of one backward pass)
		 * counts once.
		 */
		from = from > until ? from : until;
		kept += to > from ? to - from : 0;
		until = to > until ? to : until;
	}
	if (until > first)
		straggler->percent = (unsigned)((double)kept * 100 / (double)(until - first));
}

struct pace_straggler pace_straggler(
	const struct job *job, const struct clocks *clocks, int group)
{
	struct pace_straggler found = {.rank = NO_RANK};
	struct arrivals arrivals = {0};
	const struct pace_late *lates;
	size_t n;

	collect_arrivals(job, clocks, &job->groups[group], &arrivals);
	n = arrivals.list.nr < STRAGGLER_LATEST ? arrivals.list.nr : STRAGGLER_LATEST;
	lates = n ? &arrivals.list.items[arrivals.list.nr - n] : NULL;
	found.of = n;
	if (n >= STRAGGLER_FEWEST) {
		found.rank = most_often_last(lates, n);
		measure_straggler(lates, n, &found);
	}
	if (found.last < n - n / 4 || found.percent < STRAGGLER_PERCENT)
		found.rank = NO_RANK;
	array_release(&arrivals.list);
	return found;
}
