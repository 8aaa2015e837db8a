/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers groups of one name that a job made one after the other. A job may end its groups and make
 * them anew in the same processes: then names begin anew, and so do the numbers of collectives.
 * Such groups are told apart by the number that the process counts for itself, which never does. A
 * group's LIFE is how many of its name came before it.
 *
 * Ranks must mean the same by it. If all processes gave the groups of a name the same numbers,
 * these tell which is which, even for a rank that has lost its first entries. Else each rank counts
 * its own groups: from the first one on if it has all its entries, and else from the last one back.
 *
 * A rank that made a later group of a name has left the one before, and given up what was open.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/flight/decode-flight.h"

/* One rank's seat in a group. */
struct place {
	size_t rank;
	struct flight_seat *seat;
};

/* All seats of one name, a rank's beside each other, by their numbers. */
struct name {
	const struct place *at;
	size_t n;
	ARRAY(int64_t) numbers; /* numbers that processes gave groups of this name, each once */
	size_t most;            /* most groups of this name that one process had */
};

static int compare_names(const struct flight_seat *a, const struct flight_seat *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->desc, b->desc);
}

static int compare_numbers(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static int compare_places(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;
	int order = compare_names(a->seat, b->seat);

	if (!order)
		order = (a->rank > b->rank) - (a->rank < b->rank);
	return order ? order : compare_numbers(&a->seat->pg, &b->seat->pg);
}

/* Returns how many of the seats from `at` on are the same rank's. */
static size_t count_own(const struct name *name, size_t at)
{
	size_t n = 1;

	while (at + n < name->n && name->at[at + n].rank == name->at[at].rank)
		n++;
	return n;
}

/* Finds the numbers of a name, and the most groups of it in one process. */
static void collect(struct name *name)
{
	size_t n = 0;

	for (size_t at = 0, own; at < name->n; at += own) {
		own = count_own(name, at);
		name->most = own > name->most ? own : name->most;
	}
	for (size_t i = 0; i < name->n; i++)
		if (name->at[i].seat->pg != FLIGHT_UNKNOWN)
			*array_add(&name->numbers) = name->at[i].seat->pg;
	array_sort(&name->numbers, compare_numbers);
	for (size_t i = 0; i < name->numbers.nr; i++)
		if (!n || name->numbers.items[i] != name->numbers.items[n - 1])
			name->numbers.items[n++] = name->numbers.items[i];
	name->numbers.nr = n;
}

/* Returns a seat's life; `before` of the rank's `own` seats have a lower number. */
static uint32_t life_of(const struct name *name, const struct flight_rank *rank,
	const struct flight_seat *seat, size_t own, size_t before)
{
	const int64_t *found = NULL;

	if (name->numbers.nr && name->numbers.nr == name->most)
		found = bsearch(&seat->pg, name->numbers.items, name->numbers.nr,
			sizeof(*name->numbers.items), compare_numbers);
	if (found)
		return (uint32_t)(found - name->numbers.items);
	return (uint32_t)(rank->from_start ? before : name->most - own + before);
}

/* Numbers the seats of one rank. */
static void number_own(
	const struct name *name, const struct flight_rank *rank, size_t from, size_t own)
{
	size_t before = 0;

	for (size_t i = 0; i < own; i++) {
		struct flight_seat *seat = name->at[from + i].seat;

		if (seat->pg != name->at[from + before].seat->pg)
			before = i;
		seat->life = life_of(name, rank, seat, own, before);
		seat->left = before + 1 < own;
	}
}

/* Numbers all seats of one name, if a rank has more than one of them. */
static void number_name(struct flights *flights, const struct place *at, size_t n)
{
	struct name name = {.at = at, .n = n};

	collect(&name);
	for (size_t from = 0, own; from < n && name.most > 1; from += own) {
		own = count_own(&name, from);
		number_own(&name, &flights->ranks.items[at[from].rank], from, own);
	}
	array_release(&name.numbers);
}

void flight_number_lives(struct flights *flights)
{
	ARRAY(struct place) places = {0};

	for (size_t i = 0; i < flights->ranks.nr; i++)
		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++)
			*array_add(&places) =
				(struct place){i, &flights->ranks.items[i].seats.items[k]};
	array_sort(&places, compare_places);
	for (size_t from = 0, to; from < places.nr; from = to) {
		for (to = from + 1; to < places.nr &&
				    !compare_names(places.items[from].seat, places.items[to].seat);
			to++)
			;
		number_name(flights, &places.items[from], to - from);
	}
	array_release(&places);
}
