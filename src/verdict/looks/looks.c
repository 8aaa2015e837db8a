/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/looks/looks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/names.h"
#include "verdict/rule.h"

/* Dumps that were written within so many ns are of one look. */
#define DUMPS_AT_ONCE CLOCK_NS_PER_S

/* How far a group came by one look: its collective with that index is over. */
struct front {
	uint64_t index;   /* 0: none */
	int clock;
	int64_t when; /* of the look, by that clock */
};

/* How far each group came: by the look that tells most, and by the one that does of all others. */
struct looks {
	struct front (*fronts)[2];
	bool *outdated; /* per rank */
	bool one;	/* all ranks were looked at on one host, and at once */
};

static bool is_one_look(const struct front *a, const struct front *b)
{
	return a->clock == b->clock && a->when == b->when;
}

static struct front look_at(const struct inquiry *q, struct rank_index rank)
{
	return (struct front){0, clocks_of_rank(q->clocks, rank), q->waits->now[rank.i]};
}

/* True for an op that is over for no member before all have come to it. */
static bool needs_all(const struct job_group *group, const struct job_op *op)
{
	switch (op->sig.op) {
	case JOB_OP_ALLREDUCE:
	case JOB_OP_ALLGATHER:
	case JOB_OP_REDUCESCATTER:
		return op->sig.count && !amounts_are_own(group, &op->sig);
	case JOB_OP_BARRIER:
	case JOB_OP_MONITORED:
		return true;
	default:
		return false;
	}
}

/* Returns the last collective that is over for this member and needed all; 0: none is known. */
static uint64_t last_over(const struct inquiry *q, const struct job_member *m)
{
	const struct job_group *group = &q->job->groups[m->group];

	for (size_t i = m->nops; i-- > 0;) {
		const struct job_op *op = &m->ops[i];
		bool over = op->completed == JOB_YES ||
			    (m->done_known && op->index <= m->done);

		if (over && !op->failed && needs_all(group, op))
			return op->index;
	}
	return 0;
}

/* Keeps the furthest of one look in the first place, and that of all others in the second. */
static void keep(struct front fronts[2], struct front front)
{
	if (is_one_look(&fronts[0], &front)) {
		fronts[0].index = front.index > fronts[0].index ? front.index : fronts[0].index;
	} else if (front.index > fronts[0].index) {
		fronts[1] = fronts[0];
		fronts[0] = front;
	} else if (front.index > fronts[1].index) {
		fronts[1] = front;
	}
}

/* True if the indexes of that group are the same on all of its members. */
static bool has_order(const struct job_group *group)
{
	return !group->unordered && !group->made_as;
}

/*
 * True if only a dump tells how far the rank came, in which it is in no operation, and a stack that
 * was not read before it shows the rank in a collective: a dump has that as soon as it is called.
 */
static bool has_left_its_dump(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	return p->process && !p->ended && waits_are_by_dump(job_rank(q->job, rank)) &&
	       p->posture.stack && p->posture.activity == ACTIVITY_COLLECTIVE &&
	       !inquiry_longest_wait(q, rank) &&
	       (p->process->seen == JOB_UNKNOWN || p->posture.stack->when == JOB_UNKNOWN ||
		       p->posture.stack->when >= p->process->seen);
}

/* True if all have been beyond the rank's place in one of its groups by some other look. */
static bool is_outdated(const struct inquiry *q, const struct looks *looks, struct rank_index rank)
{
	struct front look = look_at(q, rank);

	by_rank_each(&q->seats, rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];
		const struct front *fronts = looks->fronts[m->group];
		const struct front *other = &fronts[is_one_look(&fronts[0], &look)];

		if (m->head_known && !m->saw_capture && other->index > m->head)
			return true;
	}
	return false;
}

/* True if all dumps that tell when they were written were written at once. */
static bool are_dumps_one(const struct inquiry *q)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	job_for_each_rank(q->job, rank) {
		int64_t now = q->waits->now[rank.i];

		if (!waits_are_by_dump(job_rank(q->job, rank)) || now == JOB_UNKNOWN)
			continue;
		first = now < first ? now : first;
		last = now > last ? now : last;
	}
	return last <= first || last - first <= DUMPS_AT_ONCE;
}

static bool is_one(const struct inquiry *q)
{
	const struct job *job = q->job;

	if (job->nhosts > 1)
		return false;
	job_for_each_rank(job, rank)
		if (job_looked_at(job, rank) != job_looked_at(job, (struct rank_index){0}))
			return false;
	return are_dumps_one(q);
}

struct looks *looks_new(const struct inquiry *q)
{
	struct looks *looks = alloc_zeroed(1, sizeof(*looks));

	looks->fronts = alloc_zeroed(q->job->ngroups + 1, sizeof(*looks->fronts));
	looks->outdated = alloc_zeroed(q->job->nranks + 1, sizeof(*looks->outdated));
	for (size_t i = 0; i < q->job->nmembers; i++) {
		const struct job_member *m = &q->job->members[i];
		struct front front;

		if (!is_rank(m->rank) || m->saw_capture || !has_order(&q->job->groups[m->group]))
			continue;
		front = look_at(q, m->rank);
		front.index = last_over(q, m);
		if (front.index)
			keep(looks->fronts[m->group], front);
	}
	looks->one = is_one(q);
	job_for_each_rank(q->job, rank)
		looks->outdated[rank.i] =
			is_outdated(q, looks, rank) || has_left_its_dump(q, rank);
	return looks;
}

void looks_free(struct looks *looks)
{
	if (!looks)
		return;
	free(looks->fronts);
	free(looks->outdated);
	free(looks);
}

bool looks_are_one(const struct inquiry *q, struct rank_index rank)
{
	return q->looks->one || (q->job->nhosts < 2 && waits_are_by_dump(job_rank(q->job, rank)) &&
					q->waits->now[rank.i] == JOB_UNKNOWN);
}

bool looks_are_outdated(const struct inquiry *q, struct rank_index rank)
{
	return q->looks->outdated[rank.i];
}

/*
 * When ranks were looked at last: by each clock, and by the one in which clocks come together, as
 * it shows that at the earliest. JOB_UNKNOWN, which is less than all times: never.
 */
struct last_looks {
	int64_t *own, *common;
};

static int64_t *no_times(size_t n)
{
	int64_t *times = alloc_zeroed(n + 1, sizeof(*times));

	for (size_t i = 0; i < n; i++)
		times[i] = JOB_UNKNOWN;
	return times;
}

/* Takes the looks at these ranks over. */
static void find_last(
	const struct inquiry *q, const struct rank_list *ranks, struct last_looks *last)
{
	const struct clocks *clocks = q->clocks;

	for (size_t i = 0; i < ranks->list.nr; i++) {
		struct front look = look_at(q, ranks->list.items[i]);
		int common = clocks_common(clocks, look.clock);
		int64_t when = clocks_move(clocks, look.when, look.clock, common);

		if (look.when > last->own[look.clock])
			last->own[look.clock] = look.when;
		if (when == JOB_UNKNOWN)
			continue;
		when -= clocks_error(clocks, look.clock, common);
		if (when > last->common[common])
			last->common[common] = when;
	}
}

/* True if one of those looks was more than `by` ns after this one, whatever the clocks' error. */
static bool is_behind(
	const struct inquiry *q, struct front look, const struct last_looks *last, int64_t by)
{
	int common = clocks_common(q->clocks, look.clock);
	int64_t when = clocks_move(q->clocks, look.when, look.clock, common);

	if (look.when == JOB_UNKNOWN)
		return false;
	if (last->own[look.clock] != JOB_UNKNOWN && last->own[look.clock] - look.when > by)
		return true;
	return when != JOB_UNKNOWN && last->common[common] != JOB_UNKNOWN &&
	       last->common[common] - when >
		       by + clocks_error(q->clocks, look.clock, common);
}

void looks_find_before(const struct inquiry *q, const struct rank_list *ranks,
	const struct rank_list *others, int64_t by, struct rank_list *before)
{
	size_t clocks = q->job->nhosts + q->job->nranks;
	struct last_looks last = {no_times(clocks), no_times(clocks)};

	find_last(q, others, &last);
	for (size_t i = 0; i < ranks->list.nr; i++)
		if (is_behind(q, look_at(q, ranks->list.items[i]), &last, by))
			rank_list_add(before, ranks->list.items[i]);
	free(last.own);
	free(last.common);
}

/* -- who may wait since ------------------------------------------------------------------------ */

/*
 * A member that has long been in its own code: since when, by the clock in which all of its group
 * come together.
 */
struct quiet {
	struct front look;
	int64_t since; /* JOB_UNKNOWN: there is none */
	int64_t error; /* ns by which that may be off */
};

/* Of one group those who left their last call the latest: one, and one seen in another look. */
struct quiets {
	struct quiet last[2];
	int common; /* the clock of `since` */
};

/* Keeps the latest of one look in the first place, and that of all others in the second. */
static void keep_quiet(struct quiet last[2], struct quiet quiet)
{
	if (last[0].since != JOB_UNKNOWN && is_one_look(&last[0].look, &quiet.look)) {
		last[0] = quiet.since > last[0].since ? quiet : last[0];
	} else if (quiet.since > last[0].since) {
		last[1] = last[0];
		last[0] = quiet;
	} else if (quiet.since > last[1].since) {
		last[1] = quiet;
	}
}

/* True if others of its group may wait for the rank, or it for them. */
static bool takes_part(const struct inquiry *q, const struct job_member *m)
{
	const struct profile *p = is_rank(m->rank) ? &q->profiles[m->rank.i] : NULL;

	return p && p->process && !p->ended && p->readable && !seat_is_closed(m);
}

/* Returns when the rank entered the last operation that is known of it; JOB_UNKNOWN. */
static int64_t last_entered(const struct inquiry *q, struct rank_index rank)
{
	int64_t last = JOB_UNKNOWN;

	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];

		if (m->nops && m->ops[m->nops - 1].entered > last)
			last = m->ops[m->nops - 1].entered;
		if (m->np2p && m->p2p[m->np2p - 1].entered > last)
			last = m->p2p[m->np2p - 1].entered;
	}
	return last;
}

/*
 * Returns for how long the rank has called nothing, ns. A dump tells no calls, but operations, of
 * which it may have waited for the last until it was written.
 */
static int64_t quiet_for(const struct inquiry *q, struct rank_index rank)
{
	int64_t now = q->waits->now[rank.i], last;

	if (!waits_are_by_dump(job_rank(q->job, rank)))
		return q->profiles[rank.i].outside;
	last = last_entered(q, rank);
	return now == JOB_UNKNOWN || last == JOB_UNKNOWN ? JOB_UNKNOWN : now - last;
}

/* Returns the same for each rank, to be freed: each seat would go through all of its rank's. */
static int64_t *all_quiet_for(const struct inquiry *q)
{
	int64_t *all = alloc_zeroed(q->job->nranks + 1, sizeof(*all));

	job_for_each_rank(q->job, rank)
		all[rank.i] = quiet_for(q, rank);
	return all;
}

/* Finds who of each group has been in its own code for longer than a hang's time; to be freed. */
static struct quiets *find_quiet(const struct inquiry *q)
{
	struct quiets *quiets = alloc_zeroed(q->job->ngroups + 1, sizeof(*quiets));
	int64_t *all = all_quiet_for(q);

	for (size_t i = 0; i < q->job->ngroups; i++)
		quiets[i].last[0].since = quiets[i].last[1].since = JOB_UNKNOWN;
	for (size_t i = 0; i < q->job->nmembers; i++) {
		const struct job_member *m = &q->job->members[i];
		struct quiets *of = &quiets[m->group];
		struct quiet quiet;
		int64_t outside;

		if (!takes_part(q, m))
			continue;
		outside = all[m->rank.i];
		if (outside == JOB_UNKNOWN || outside <= q->threshold[m->group])
			continue;
		quiet.look = look_at(q, m->rank);
		if (of->last[0].since == JOB_UNKNOWN)
			of->common = clocks_common(q->clocks, quiet.look.clock);
		quiet.since = clocks_move(
			q->clocks, quiet.look.when - outside, quiet.look.clock, of->common);
		quiet.error = clocks_error(q->clocks, quiet.look.clock, of->common);
		if (quiet.since != JOB_UNKNOWN)
			keep_quiet(of->last, quiet);
	}
	free(all);
	return quiets;
}

/* Returns when the member was looked at, towards those who may keep it. */
static enum inquiry_look look_for(
	const struct inquiry *q, const struct job_member *m, const struct quiets *of)
{
	struct front look = look_at(q, m->rank);
	const struct quiet *keeper = &of->last[is_one_look(&of->last[0].look, &look)];
	int64_t when, early, error;

	if (keeper->since == JOB_UNKNOWN)
		return LOOKED_SINCE;
	when = clocks_move(q->clocks, look.when, look.clock, of->common);
	if (when == JOB_UNKNOWN)
		return LOOKED_WHENEVER;
	error = keeper->error + clocks_error(q->clocks, look.clock, of->common);
	early = keeper->since + q->threshold[m->group] / 2 - when;
	if (early > error)
		return LOOKED_BEFORE;
	return early + error > 0 && error ? LOOKED_WHENEVER : LOOKED_SINCE;
}

void looks_find_unwatched(
	const struct inquiry *q, struct rank_list *before, struct rank_list *whenever)
{
	struct quiets *quiets = find_quiet(q);

	for (size_t i = 0; i < q->job->nmembers; i++) {
		const struct job_member *m = &q->job->members[i];
		enum inquiry_look look;

		if (!takes_part(q, m))
			continue;
		look = look_for(q, m, &quiets[m->group]);
		if (look != LOOKED_SINCE)
			rank_list_add(look == LOOKED_BEFORE ? before : whenever, m->rank);
	}
	free(quiets);
	rank_list_settle(before);
	rank_list_settle(whenever);
}
