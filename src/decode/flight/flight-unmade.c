/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds ranks that may wait in the making of a group. A communicator is made at a group's first op,
 * before that has an entry: a rank that waits there for another one looks as one that stands. What
 * tells is that all who wait for it, which do what it does, have one group more. That matters only
 * where somebody else has not come either, or left no dump: else there is nobody to wait for.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/flight/decode-flight.h"

/* What the members of a group tell of those who have not come. */
struct rally {
	uint64_t open;	/* the furthest op that a member waits in first; 0 none */
	size_t fewest;	/* groups of those who came to that: the fewest of any */
};

/* Returns how many groups the rank's dump tells of. */
static size_t count_told(const struct flight_rank *rank)
{
	size_t n = 0;

	for (size_t i = 0; i < rank->seats.nr; i++)
		n += rank->seats.items[i].told && !rank->seats.items[i].left &&
		     (rank->seats.items[i].entries || rank->seats.items[i].status);
	return n;
}

static void find_open(const struct flights *flights, struct rally *rallies)
{
	for (size_t i = 0; i < flights->ranks.nr; i++)
		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++) {
			const struct flight_seat *seat = &flights->ranks.items[i].seats.items[k];
			struct rally *rally = &rallies[seat->group];

			if (seat->head_known && seat->done_known && seat->done < seat->head &&
				seat->done + 1 > rally->open)
				rally->open = seat->done + 1;
			rally->fewest = SIZE_MAX;
		}
}

static void find_fewest(const struct flights *flights, struct rally *rallies)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		size_t told = count_told(&flights->ranks.items[i]);

		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++) {
			const struct flight_seat *seat = &flights->ranks.items[i].seats.items[k];
			struct rally *rally = &rallies[seat->group];

			if (rally->open && seat->head_known && seat->head >= rally->open &&
				told < rally->fewest)
				rally->fewest = told;
		}
	}
}

/* True if the rank has not come to an op in which others wait; `fewer`: and has fewer groups. */
static bool is_away(const struct flight_rank *rank, const struct rally *rallies, bool fewer)
{
	size_t told = count_told(rank);

	for (size_t k = 0; k < rank->seats.nr && !rank->outdated; k++) {
		const struct flight_seat *seat = &rank->seats.items[k];
		const struct rally *rally = &rallies[seat->group];

		if (seat->head_known && !seat->left && seat->head < rally->open &&
			(!fewer || (rally->fewest != SIZE_MAX && told < rally->fewest)))
			return true;
	}
	return false;
}

void flight_find_unmade(struct flights *flights)
{
	struct rally *rallies = alloc_zeroed(flights->groups.nr + 1, sizeof(*rallies));
	size_t away = 0;
	int64_t most = -1;

	find_open(flights, rallies);
	find_fewest(flights, rallies);
	for (size_t i = 0; i < flights->groups.nr; i++)
		if (flights->groups.items[i].list && flights->groups.items[i].list->most > most)
			most = flights->groups.items[i].list->most;
	for (size_t i = 0; i < flights->ranks.nr; i++)
		away += is_away(&flights->ranks.items[i], rallies, false);
	away += most >= (int64_t)flights->ranks.nr;
	for (size_t i = 0; i < flights->ranks.nr && away > 1; i++)
		flights->ranks.items[i].unmade =
			is_away(&flights->ranks.items[i], rallies, true);
	free(rallies);
}
