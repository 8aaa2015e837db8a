/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job may end its groups and make them anew in the same processes: then names begin anew, and so
 * do the numbers of collectives. What tells such groups apart is the number that the process counts
 * for itself, which never does. A group's LIFE is how many of its name came before it.
 *
 * Ranks must mean the same by it. Where all that there are of a name were numbered alike, their
 * numbers tell which is which, whoever has lost his entries of the first ones. Else each counts his
 * own, from the first one on where he has all his entries, and else from the last one back.
 *
 * Who made a later group of a name has left the one before: whatever was open there, was given up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/flight.h"

struct lives {
	ARRAY(int64_t) numbers; /* that any process gave a group of this name, each once */
	size_t most;            /* groups of this name that one process had */
};

static bool same_name(const struct flight_seat *a, const struct flight_seat *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->desc, b->desc);
}

/* How many of the rank's seats have this one's name, and a lower number where `lower` is asked. */
static size_t namesakes(
	const struct flight_rank *rank, const struct flight_seat *seat, bool lower)
{
	size_t n = 0;

	for (size_t i = 0; i < rank->seats.nr; i++)
		n += same_name(&rank->seats.items[i], seat) &&
		     (!lower || rank->seats.items[i].pg < seat->pg);
	return n;
}

static int compare_numbers(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static void collect(const struct flights *flights, const struct flight_seat *like,
	struct lives *lives)
{
	size_t n = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];
		size_t own = namesakes(rank, like, false);

		lives->most = own > lives->most ? own : lives->most;
		for (size_t k = 0; k < rank->seats.nr; k++)
			if (same_name(&rank->seats.items[k], like) &&
				rank->seats.items[k].pg != FLIGHT_UNKNOWN)
				*array_add(&lives->numbers) = rank->seats.items[k].pg;
	}
	array_sort(&lives->numbers, compare_numbers);
	for (size_t i = 0; i < lives->numbers.nr; i++)
		if (!n || lives->numbers.items[i] != lives->numbers.items[n - 1])
			lives->numbers.items[n++] = lives->numbers.items[i];
	lives->numbers.nr = n;
}

static uint32_t life_of(
	const struct flight_rank *rank, const struct flight_seat *seat, const struct lives *lives)
{
	size_t own = namesakes(rank, seat, false), before = namesakes(rank, seat, true);

	if (lives->numbers.nr == lives->most)
		for (size_t i = 0; i < lives->numbers.nr; i++)
			if (lives->numbers.items[i] == seat->pg)
				return (uint32_t)i;
	return (uint32_t)(rank->from_start ? before : lives->most - own + before);
}

/* All seats of this name, whoever has them. */
static void number_name(struct flights *flights, const struct flight_seat *like)
{
	struct lives lives = {0};

	collect(flights, like, &lives);
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++) {
			struct flight_seat *seat = &rank->seats.items[k];

			if (!same_name(seat, like))
				continue;
			seat->life = life_of(rank, seat, &lives);
			seat->left = namesakes(rank, seat, true) + 1 < namesakes(rank, seat, false);
		}
	}
	array_release(&lives.numbers);
}

void flight_number_lives(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++) {
			const struct flight_seat seat = rank->seats.items[k];

			if (!seat.life && !seat.left && namesakes(rank, &seat, false) > 1)
				number_name(flights, &seat);
		}
	}
}
