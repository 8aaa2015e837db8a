/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds ops that need not be told. A thousand ranks with two thousand entries each are two million
 * ops, and nearly all say the same: at that place all did this, and it completed. If all who have
 * an entry of a collective did the same, and completed it, it can be neither waited in nor a fork.
 * Of such only each rank's latest are given, once there are very many: to sort and to draw. Jobs of
 * usual size are given whole.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/flight/decode-flight.h"

/* Up to so many ops all are given; of more, each rank's last so many. */
#define MANY	 (1u << 19)
#define DETAILED 256

/* What is known of one collective of a group; others than those in the range are not looked at. */
struct place {
	uint64_t sig; /* hash of its signature; 0 no rank has it */
	bool differs; /* ranks did different ops, or it is open, or brought nothing */
};

/* A group's range of collectives. */
struct places {
	int64_t from, to; /* numbers of the group's collectives; from > to: none */
	struct place *at;
};

static uint64_t hash_of(const struct job_sig *sig)
{
	uint64_t hash = (uint64_t)sig->op << 16 | (uint64_t)sig->dtype << 8 | sig->redop;

	hash = (hash ^ sig->count) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ sig->peer.n ^ hash >> 31) * 0x9e3779b97f4a7c15ull;
	return hash ? hash : 1;
}

static bool is_collective(const struct flight_op *op)
{
	return !op->p2p && !op->skip;
}

/* Finds each group's range; one that is too wide to be true is left empty. */
static void find_ranges(const struct flights *flights, struct places *places)
{
	for (size_t i = 0; i < flights->groups.nr; i++)
		places[i] = (struct places){.from = INT64_MAX};
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++) {
			const struct flight_seat *seat = &rank->seats.items[k];
			struct places *here = &places[seat->group];

			if (seat->from == seat->to)
				continue;
			if (rank->collectives[seat->from]->seq < here->from)
				here->from = rank->collectives[seat->from]->seq;
			if (rank->collectives[seat->to - 1]->seq > here->to)
				here->to = rank->collectives[seat->to - 1]->seq;
		}
	}
	for (size_t i = 0; i < flights->groups.nr; i++) {
		if (places[i].from > places[i].to || places[i].to - places[i].from > MANY)
			places[i].from = INT64_MAX;
		else
			places[i].at = alloc_zeroed((size_t)(places[i].to - places[i].from) + 1,
				sizeof(*places[i].at));
	}
}

/* Returns the place of an op; NULL it has none. */
static struct place *place_of(
	const struct flight_rank *rank, const struct flight_op *op, struct places *places)
{
	struct places *here = &places[rank->seats.items[op->seat].group];

	return is_collective(op) && op->seq >= here->from && op->seq <= here->to
		       ? &here->at[op->seq - here->from]
		       : NULL;
}

static void look_at_op(const struct flight_op *op, struct place *place)
{
	uint64_t sig = hash_of(&op->sig);

	place->differs |= !op->complete || op->captured || !op->sig.count ||
			  (place->sig && place->sig != sig);
	place->sig = sig;
}

static size_t count_ops(const struct flights *flights)
{
	size_t n = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++)
		n += flights->ranks.items[i].ops.nr;
	return n;
}

void flight_find_plain(struct flights *flights)
{
	struct places *places;

	flights->detailed = SIZE_MAX;
	if (count_ops(flights) <= MANY)
		return;
	flights->detailed = DETAILED;
	places = alloc_zeroed(flights->groups.nr, sizeof(*places));
	find_ranges(flights, places);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < flights->ranks.nr; i++) {
			struct flight_rank *rank = &flights->ranks.items[i];

			for (size_t k = 0; k < rank->ops.nr; k++) {
				struct flight_op *op = &rank->ops.items[k];
				struct place *place = place_of(rank, op, places);

				if (place && pass)
					op->plain = !place->differs;
				else if (place)
					look_at_op(op, place);
			}
		}
	for (size_t i = 0; i < flights->groups.nr; i++)
		free(places[i].at);
	free(places);
}
