/* SPDX-License-Identifier: Apache-2.0 */
#include "job/rank-row.h"

#include <stdlib.h>

#include "base/array.h"

/* One op of the row, and its place in the rank's order of launches. */
struct launch {
	uint64_t order;
	struct usual_op item;
};

struct row {
	ARRAY(struct launch) launches;
	uint64_t whole_from; /* order of launches from which on no seat has a gap */
};

/* Orders ops by their launches; those of one launch, which have no order, by what they are. */
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

/* Returns the order of the first collective behind the seat's last gap; 0: there is no gap. */
static uint64_t whole_collectives(const struct job_member *m)
{
	size_t i = m->nops;

	while (i > 1 && m->ops[i - 1].index == m->ops[i - 2].index + 1)
		i--;
	return !i || m->ops[i - 1].index == 1 ? 0 : m->ops[i - 1].order;
}

/*
 * Returns the order from which on the seat's sends and receives have no gap; 0: there is none. A
 * seat keeps its latest ones, whatever their peers; so they are whole from its first one on.
 */
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

struct rank_row rank_row_make(const struct job *job, const size_t *seats, size_t nseats)
{
	struct row row = {.whole_from = 1};
	ARRAY(struct usual_op) items = {0};

	for (size_t i = 0; i < nseats; i++)
		add_seat(&row, &job->members[seats[i]]);
	array_sort(&row.launches, compare_launches);
	for (size_t i = 0; i < row.launches.nr; i++)
		if (row.launches.items[i].order >= row.whole_from)
			*array_add(&items) = row.launches.items[i].item;
	array_release(&row.launches);
	return (struct rank_row){items.items, items.nr, row.whole_from == 1};
}

void rank_row_release(struct rank_row *row)
{
	free(row->items);
	*row = (struct rank_row){0};
}
