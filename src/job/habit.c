/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank's ops go into one row, from the place on from which each of its seats has them without a
 * gap. Then the last place is looked for up to which the row repeats itself; what stands behind it
 * must be the same row with a piece left out, or a piece of it done again.
 */
#include "job/habit.h"

#include <stdlib.h>

#include "base/array.h"

#define HABIT_TAIL 64 /* ops behind the place where the habit broke, at most */

struct launch {
	uint64_t order;
	struct usual_op item;
};

struct row {
	ARRAY(struct launch) launches;
	uint64_t whole_from; /* order from which on no seat has a gap */
};

/* Launches by their order; those of one launch, which have none, by what they are. */
static int compare_launches(const void *va, const void *vb)
{
	const struct launch *a = va, *b = vb;
	const struct job_op *x = a->item.op, *y = b->item.op;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->item.group != b->item.group)
		return a->item.group < b->item.group ? -1 : 1;
	if (x->sig.op != y->sig.op)
		return x->sig.op < y->sig.op ? -1 : 1;
	if (x->sig.peer.n != y->sig.peer.n)
		return x->sig.peer.n < y->sig.peer.n ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Where the seat's collectives have their last gap; they all count from behind it. */
static uint64_t whole_collectives(const struct job_member *m)
{
	size_t i = m->nops;

	while (i > 1 && m->ops[i - 1].index == m->ops[i - 2].index + 1)
		i--;
	return !i || m->ops[i - 1].index == 1 ? 0 : m->ops[i - 1].order;
}

/* The latest sends and receives are kept, whatever their peers: from the first one on. */
static uint64_t whole_pairs(const struct job_member *m)
{
	for (size_t i = 0; i < m->np2p; i++) {
		size_t before = i;

		while (before && (m->p2p[before - 1].sig.op != m->p2p[i].sig.op ||
					 !same_group_rank(m->p2p[before - 1].sig.peer,
						 m->p2p[i].sig.peer)))
			before--;
		if (!before && m->p2p[i].index > 1)
			return m->p2p[0].order;
	}
	return 0;
}

static void add_seat(struct row *row, const struct job_member *m)
{
	uint64_t collectives = whole_collectives(m), pairs = whole_pairs(m);

	if (collectives > row->whole_from)
		row->whole_from = collectives;
	if (pairs > row->whole_from)
		row->whole_from = pairs;
	for (size_t i = 0; i < m->nops; i++)
		*array_add(&row->launches) =
			(struct launch){m->ops[i].order, {m->group, &m->ops[i]}};
	for (size_t i = 0; i < m->np2p; i++)
		*array_add(&row->launches) =
			(struct launch){m->p2p[i].order, {m->group, &m->p2p[i]}};
}

/* All ops of the rank that follow each other without a gap; how many goes to *ret_n. */
static struct usual_op *make_row(const struct job *job, struct rank_index rank, size_t *ret_n)
{
	struct row row = {.whole_from = 1};
	ARRAY(struct usual_op) items = {0};

	for (size_t i = 0; i < job->nmembers; i++)
		if (same_rank(job->members[i].rank, rank))
			add_seat(&row, &job->members[i]);
	array_sort(&row.launches, compare_launches);
	for (size_t i = 0; i < row.launches.nr; i++)
		if (row.launches.items[i].order >= row.whole_from)
			*array_add(&items) = row.launches.items[i].item;
	array_release(&row.launches);
	*ret_n = items.nr;
	return items.items;
}

/* True if row[from..n) is what was to be expected `ahead` places behind the habit's end. */
static bool goes_on(const struct habit *h, size_t from, size_t n, size_t ahead)
{
	for (size_t i = from; i < n; i++) {
		struct usual_op next = usual_next(h->row, h->at, h->period, ahead + i - from);

		if (!usual_same(&h->row[i], &next))
			return false;
	}
	return from < n;
}

/* True if the last ops are the k before the habit's end once more, and then as ever. */
static bool did_again(const struct habit *h, size_t n, size_t k)
{
	for (size_t i = h->at; i < n && i < h->at + k; i++)
		if (!usual_same(&h->row[i], &h->row[i - k]))
			return false;
	return n <= h->at + k || goes_on(h, h->at + k, n, 1);
}

/* How it went on where its habit ends; nothing is said where it did what it never did before. */
static void find_break(struct habit *h, size_t n)
{
	for (size_t k = 1; k < h->period && !h->skipped; k++)
		h->skipped = goes_on(h, h->at, n, 1 + k) ? k : 0;
	for (size_t k = 1; k < h->period && k <= h->at && !h->again; k++)
		h->again = did_again(h, n, k) ? k : 0;
	if (h->skipped || h->again)
		h->kind = HABIT_LEFT;
}

/* The last place up to which the row repeats itself. */
static void find_habit(struct habit *h, size_t n)
{
	for (size_t tail = 0; tail < HABIT_TAIL && tail < n && !h->period; tail++) {
		h->at = n - tail;
		h->period = usual_period(h->row, h->at);
	}
	if (h->period && h->at == n)
		h->kind = HABIT_KEPT;
	else if (h->period)
		find_break(h, n);
}

/*
 * A step with one op left out is twice the same, too, if it is laid over the end of the step before
 * ("sssr sssr" of "ssssr sssr"). That is no habit of its own where an older one, which held for
 * longer, explains all but less than one of these two.
 */
static void prefer_older(struct habit *h, size_t n)
{
	size_t held = usual_again(h->row, h->at, h->period);

	if (h->kind != HABIT_KEPT || held >= 2 * h->period)
		return;
	for (size_t tail = 1; tail < h->period && tail < n && tail < HABIT_TAIL; tail++) {
		struct habit older = {.row = h->row, .at = n - tail};

		older.period = usual_period(older.row, older.at);
		if (!older.period || usual_again(older.row, older.at, older.period) <= held)
			continue;
		find_break(&older, n);
		if (older.kind != HABIT_LEFT)
			continue;
		*h = older;
		return;
	}
}

struct habit habit_of(const struct job *job, struct rank_index rank)
{
	struct habit h = {.kind = HABIT_UNKNOWN};
	size_t n;

	h.row = make_row(job, rank, &n);
	find_habit(&h, n);
	prefer_older(&h, n);
	return h;
}

void habit_release(struct habit *habit)
{
	free(habit->row);
	habit->row = NULL;
}

bool habit_repeats(const struct habit *habit)
{
	return habit->again && (!habit->skipped || habit->again < habit->skipped);
}

const struct job_op *habit_lacks(const struct habit *habit, int group, uint8_t op,
	struct group_rank peer)
{
	for (size_t i = 1; !habit_repeats(habit) && i <= habit->skipped; i++) {
		struct usual_op next = usual_next(habit->row, habit->at, habit->period, i);

		if (next.group == group && next.op->sig.op == op &&
			same_group_rank(next.op->sig.peer, peer))
			return next.op;
	}
	return NULL;
}
