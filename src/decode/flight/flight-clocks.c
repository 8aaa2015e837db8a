/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the clocks of dumps: how far apart two are, and whether the two are of one run, by what
 * does not depend on clocks.
 *
 * A collective that is complete proves that all members had come to it. So each one that two ranks
 * have in common bounds, from both sides, how far their clocks can be apart. If no distance fits
 * all bounds, they never met: dumps of two runs.
 *
 * Ranks of one run wait for each other. However irregular their steps are, the distance of their
 * clocks at each op is about the same. Of two runs each goes its own way: there that distance walks
 * off, step by step. A walk is told from a noise by how much of the whole spread is that of two
 * neighbours (Dickey and Fuller's test of a unit root, at one in a hundred).
 *
 * If too little is in common for either, it is not known.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "decode/flight/decode-flight.h"
#include "job/names.h"

/* At most so many of a rank's last collectives are compared. */
#define SAMPLED 256
/* Two ranks with fewer in common are not taken to be of one run. */
#define FEWEST 24
/* The least n times share of neighbours in the spread; a walk has more once in a hundred times. */
#define NO_WALK 40.0
/*
 * The error of bounds, ns: times are rounded, and a clock may be set a little in the middle of a
 * run.
 */
#define SLACK CLOCK_NS_PER_S
/* Clocks that are further apart tell nothing, ns (three centuries would overflow). */
#define FURTHEST (INT64_C(1) << 58)

/* A collective of the yardstick's rank. */
struct known {
	uint32_t seat;
	int64_t seq;
	const struct flight_op *op;
};

/* A rank, and its collectives for looking up. */
struct flight_yardstick {
	const struct flight_rank *rank;
	ARRAY(struct known) ops; /* by seat and number */
};

/* What two ranks' dumps tell of one another. */
struct meeting {
	ARRAY(int64_t) leads; /* first clock less second, op by op, ns */
	int64_t least, most;  /* bounds of that difference */
};

/* True for a collective that can be compared. */
static bool is_met(const struct flight_op *op)
{
	return !op->p2p && !op->end && !op->skip && op->created != JOB_UNKNOWN;
}

static int compare_known(const void *va, const void *vb)
{
	const struct known *a = va, *b = vb;

	if (a->seat != b->seat)
		return a->seat < b->seat ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

struct flight_yardstick *flight_yardstick_new(const struct flight_rank *rank)
{
	struct flight_yardstick *yardstick = alloc_zeroed(1, sizeof(*yardstick));

	yardstick->rank = rank;
	for (size_t i = 0; i < rank->ops.nr; i++)
		if (is_met(&rank->ops.items[i]))
			*array_add(&yardstick->ops) = (struct known){rank->ops.items[i].seat,
				rank->ops.items[i].seq, &rank->ops.items[i]};
	array_sort(&yardstick->ops, compare_known);
	return yardstick;
}

void flight_yardstick_free(struct flight_yardstick *yardstick)
{
	array_release(&yardstick->ops);
	free(yardstick);
}

/* Returns when all had come to the op at the latest, by this rank's clock; JOB_UNKNOWN. */
static int64_t all_came(const struct flight_op *op)
{
	if (!op->took_ms || !op->sig.count || job_op_is_rooted(op->sig.op))
		return JOB_UNKNOWN;
	return op->created + (int64_t)op->took_ms * CLOCK_NS_PER_MS;
}

/* Takes one collective that both have. */
static void meet_at(const struct flight_op *mine, const struct flight_op *theirs, struct meeting *m)
{
	int64_t lead = mine->created - theirs->created;
	int64_t came = all_came(mine), they_came = all_came(theirs);

	if (lead > FURTHEST || lead < -FURTHEST)
		return;
	*array_add(&m->leads) = lead;
	if (came != JOB_UNKNOWN && came - theirs->created < m->most)
		m->most = came - theirs->created;
	if (they_came != JOB_UNKNOWN && mine->created - they_came > m->least)
		m->least = mine->created - they_came;
}

/* Compares all that the two have in common, in the order of `rank`. */
static void meet(const struct flight_yardstick *yardstick, const struct flight_rank *rank,
	struct meeting *m)
{
	size_t from = rank->ops.nr > SAMPLED ? rank->ops.nr - SAMPLED : 0;

	*m = (struct meeting){.least = -FURTHEST, .most = FURTHEST};
	for (size_t i = from; i < rank->ops.nr; i++) {
		const struct flight_op *op = &rank->ops.items[i];
		const struct flight_seat *seat = &rank->seats.items[op->seat];
		const struct known *found;
		struct known key;

		if (!is_met(op) || !yardstick->ops.nr)
			continue;
		key.seat = flight_find_seat(
			yardstick->rank, seat->name, seat->desc, FLIGHT_UNKNOWN);
		key.seq = op->seq;
		found = bsearch(&key, yardstick->ops.items, yardstick->ops.nr, sizeof(key),
			compare_known);
		if (found)
			meet_at(op, found->op, m);
	}
}

/* True if the leads are no random walk: then one waited for the other, time and again. */
static bool keeps_step(const struct meeting *m)
{
	double mean = 0, steps = 0, spread = 0;
	size_t n = m->leads.nr;

	for (size_t i = 0; i < n; i++)
		mean += (double)(m->leads.items[i] - m->leads.items[0]) / (double)n;
	for (size_t i = 0; i < n; i++) {
		double off = (double)(m->leads.items[i] - m->leads.items[0]) - mean;
		double step = i ? (double)(m->leads.items[i] - m->leads.items[i - 1]) : 0;

		spread += off * off;
		steps += step * step;
	}
	/* No clock makes times that are the same to the nanosecond. */
	return n >= FEWEST && spread > 0 && steps * (double)n >= NO_WALK * spread;
}

static int compare_leads(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

enum flight_kin flight_kin(const struct flight_yardstick *yardstick,
	const struct flight_rank *rank, int64_t *ret_ahead)
{
	enum flight_kin kin = FLIGHT_KIN_UNKNOWN;
	struct meeting m;

	meet(yardstick, rank, &m);
	if (m.leads.nr && m.least > m.most + SLACK)
		kin = FLIGHT_KIN_APART;
	else if (keeps_step(&m))
		kin = FLIGHT_KIN_ONE;
	else if (m.leads.nr && (m.least > SLACK || m.most < -SLACK))
		kin = FLIGHT_KIN_OFF;
	array_sort(&m.leads, compare_leads);
	*ret_ahead = m.leads.nr ? m.leads.items[m.leads.nr / 2] : JOB_UNKNOWN;
	array_release(&m.leads);
	return kin;
}

/* -- one clock for all ------------------------------------------------------------------------- */

/* Whether a rank's clock is set, and whether others were compared with it. */
struct setting {
	bool set, tried;
};

/* Sets all clocks that are not set yet, by this rank's, if they met it. */
static void set_by(struct flights *flights, size_t by, struct setting *settings)
{
	struct flight_yardstick *yardstick = flight_yardstick_new(&flights->ranks.items[by]);

	settings[by] = (struct setting){true, true};
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];
		int64_t ahead;

		if (settings[i].set || !rank->ops.nr)
			continue;
		flight_kin(yardstick, rank, &ahead);
		if (ahead == JOB_UNKNOWN)
			continue;
		ahead += flights->ranks.items[by].ahead;
		settings[i].set = true;
		rank->ahead = ahead > FURTHEST || ahead < -FURTHEST ? 0 : ahead;
	}
	flight_yardstick_free(yardstick);
}

/* Returns the rank to try next: one whose clock is set, else the first; SIZE_MAX if all are set. */
static size_t next_by(const struct flights *flights, const struct setting *settings)
{
	size_t next = SIZE_MAX;
	bool all = true;

	for (size_t i = flights->ranks.nr; i-- > 0;) {
		if (!flights->ranks.items[i].ops.nr || settings[i].tried)
			continue;
		all &= settings[i].set;
		if (next == SIZE_MAX || settings[i].set || !settings[next].set)
			next = i;
	}
	return all ? SIZE_MAX : next;
}

/*
 * At most so many ranks are compared with all others: each may have met others than those before.
 */
#define YARDSTICKS 64

/* Finds when the first and the last thing in any dump was. */
static void find_extent(struct flights *flights)
{
	flights->newest = flights->oldest = JOB_UNKNOWN;
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];
		int64_t last = flight_to_common(rank, rank->newest);

		if (last > flights->newest)
			flights->newest = last;
		for (size_t k = 0; k < rank->ops.nr; k++) {
			int64_t first = flight_to_common(rank, rank->ops.items[k].created);

			if (first != JOB_UNKNOWN &&
				(flights->oldest == JOB_UNKNOWN || first < flights->oldest))
				flights->oldest = first;
		}
	}
}

void flight_set_clocks(struct flights *flights)
{
	struct setting *settings = alloc_zeroed(flights->ranks.nr + 1, sizeof(*settings));
	size_t by;

	for (int tried = 0; tried < YARDSTICKS; tried++) {
		by = next_by(flights, settings);
		if (by == SIZE_MAX)
			break;
		set_by(flights, by, settings);
	}
	find_extent(flights);
	free(settings);
}
