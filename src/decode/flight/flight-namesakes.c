/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seats of one rank, by name: a table that holds the first seat of each name, and a chain of
 * its namesakes in the order in which they were added.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "decode/flight/decode-flight.h"

#define FIRST_SLOTS 16

static uint32_t *slot_of(const struct flight_rank *rank, const char *name, const char *desc)
{
	const struct flight_seat *seats = rank->seats.items;
	uint64_t hash = hash_text(hash_mix(hash_text(HASH_START, name), 0), desc);
	size_t at = hash & (rank->nnames - 1);

	while (rank->names[at] && (strcmp(seats[rank->names[at] - 1].name, name) ||
					  strcmp(seats[rank->names[at] - 1].desc, desc)))
		at = (at + 1) & (rank->nnames - 1);
	return &rank->names[at];
}

/* Doubles the table. */
static void grow_names(struct flight_rank *rank)
{
	uint32_t *old = rank->names;
	size_t nold = rank->nnames;

	rank->nnames = nold ? 2 * nold : FIRST_SLOTS;
	rank->names = alloc_zeroed(rank->nnames, sizeof(*rank->names));
	for (size_t i = 0; i < nold; i++) {
		const struct flight_seat *seat = old[i] ? &rank->seats.items[old[i] - 1] : NULL;

		if (seat)
			*slot_of(rank, seat->name, seat->desc) = old[i];
	}
	free(old);
}

uint32_t flight_add_seat(struct flight_rank *rank, const struct flight_seat *seat)
{
	uint32_t at = (uint32_t)rank->seats.nr, *slot;
	struct flight_seat *added = array_add(&rank->seats), *first;

	*added = *seat;
	added->namesake = UINT32_MAX;
	added->last_namesake = at;
	if (2 * rank->seats.nr > rank->nnames)
		grow_names(rank);
	slot = slot_of(rank, seat->name, seat->desc);
	if (!*slot) {
		*slot = at + 1;
		return at;
	}
	first = &rank->seats.items[*slot - 1];
	rank->seats.items[first->last_namesake].namesake = at;
	first->last_namesake = at;
	return at;
}

uint32_t flight_find_seat(
	const struct flight_rank *rank, const char *name, const char *desc, int64_t pg)
{
	uint32_t at = rank->nnames ? *slot_of(rank, name, desc) : 0;

	for (at = at ? at - 1 : UINT32_MAX; at != UINT32_MAX; at = rank->seats.items[at].namesake) {
		const struct flight_seat *seat = &rank->seats.items[at];

		if (pg == FLIGHT_UNKNOWN || seat->pg == pg || seat->pg == FLIGHT_UNKNOWN)
			return at;
	}
	return UINT32_MAX;
}

void flight_release_rank(struct flight_rank *rank)
{
	array_release(&rank->ops);
	array_release(&rank->seats);
	free(rank->names);
	arena_release(&rank->arena);
}
