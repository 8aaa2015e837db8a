/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds ranks that may wait in the making of a communicator. That is made at a group's first op,
 * and of single messages at the first of a pair, before there is an entry: a rank that waits there
 * for another one looks as one that stands. What tells is that all who wait for it, which do what
 * it does, have made one more. That matters only where somebody else waits in nothing either, or
 * left no dump: else there is nobody to wait for.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/flight/decode-flight.h"

/* What the members of a group tell of those who have not come. */
struct rally {
	uint64_t open;	/* the furthest op that a member waits in first; 0 none */
	size_t fewest;	/* what those made who came to that: the fewest of any */
};

/* Peers are told apart up to so many. */
#define PEERS 16

/* Returns with how many peers the rank has sent or received. */
static size_t count_peers(const struct flight_rank *rank)
{
	const struct flight_op *peers[PEERS];
	size_t n = 0, k;

	for (size_t i = 0; i < rank->ops.nr && n < PEERS; i++) {
		const struct flight_op *op = &rank->ops.items[i];

		if (!op->p2p || !is_group_rank(op->sig.peer))
			continue;
		for (k = 0; k < n; k++)
			if (peers[k]->seat == op->seat &&
				same_group_rank(peers[k]->sig.peer, op->sig.peer))
				break;
		if (k == n)
			peers[n++] = op;
	}
	return n;
}

/* Returns how many groups and pairs the rank's dump tells of. */
static size_t count_made(const struct flight_rank *rank)
{
	size_t n = count_peers(rank);

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
		size_t made = count_made(&flights->ranks.items[i]);

		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++) {
			const struct flight_seat *seat = &flights->ranks.items[i].seats.items[k];
			struct rally *rally = &rallies[seat->group];

			if (rally->open && seat->head_known && seat->head >= rally->open &&
				made < rally->fewest)
				rally->fewest = made;
		}
	}
}

/* True if the rank's dump tells of something that it waits in. */
static bool waits(const struct flight_rank *rank)
{
	for (size_t i = 0; i < rank->seats.nr; i++) {
		const struct flight_seat *seat = &rank->seats.items[i];

		if (seat->head_known && seat->done_known && seat->done < seat->head && !seat->left)
			return true;
	}
	for (size_t i = rank->ops.nr; i-- > 0;)
		if (rank->ops.items[i].p2p && !rank->ops.items[i].complete &&
			!rank->ops.items[i].skip)
			return true;
	return false;
}

/*
 * True if the rank waits in nothing, and has not come to an op in which all who wait have made more
 * than it has.
 */
static bool may_be_making(const struct flight_rank *rank, const struct rally *rallies)
{
	size_t made = count_made(rank);

	if (rank->outdated || waits(rank))
		return false;
	for (size_t k = 0; k < rank->seats.nr; k++) {
		const struct flight_seat *seat = &rank->seats.items[k];
		const struct rally *rally = &rallies[seat->group];

		if (seat->head_known && !seat->left && seat->head < rally->open &&
			rally->fewest != SIZE_MAX && made < rally->fewest)
			return true;
	}
	return false;
}

void flight_find_unmade(struct flights *flights)
{
	struct rally *rallies = alloc_zeroed(flights->groups.nr + 1, sizeof(*rallies));
	size_t idle = 0;
	int64_t most = -1;

	find_open(flights, rallies);
	find_fewest(flights, rallies);
	for (size_t i = 0; i < flights->groups.nr; i++)
		if (flights->groups.items[i].list && flights->groups.items[i].list->most > most)
			most = flights->groups.items[i].list->most;
	for (size_t i = 0; i < flights->ranks.nr; i++)
		idle += !waits(&flights->ranks.items[i]);
	idle += most >= (int64_t)flights->ranks.nr;
	for (size_t i = 0; i < flights->ranks.nr && idle > 1; i++)
		flights->ranks.items[i].unmade =
			may_be_making(&flights->ranks.items[i], rallies);
	free(rallies);
}
