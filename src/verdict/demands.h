/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demands.h: which standing waits are for one rank. Half of a job may wait for its other half, so
 * going through all waits for each of them would take ranks squared; an index by what a wait is for
 * finds them.
 *
 * Waits that are alike are told by one: of those in one operation that have one clock (or clocks
 * that met exactly), one timeout and one threshold, the one that began first. Whatever is asked of
 * each wait in time (did it begin before, had it lasted) holds of any of them only if it holds of
 * that one.
 */
#ifndef VERDICT_DEMANDS_H
#define VERDICT_DEMANDS_H

#include "verdict/inquiry.h"

struct demands;

/* Waits, as indexes into those of the inquiry. */
struct demand_list {
	const size_t *at;
	size_t n;
};

/*
 * Makes an empty index of an inquiry, which is filled when first asked: by then waits, thresholds,
 * seats and the graph are made. Never NULL; demands_free() it.
 */
struct demands *demands_new(const struct inquiry *q);
/* Frees it; NULL is fine. */
void demands_free(struct demands *demands);

/*
 * Returns the standing waits for a rank: in what its own seats have not come to, or for a key that
 * it has to set. `led`: also those from which an edge of the graph leads to it. A wait may be there
 * twice. The list is valid until the next call.
 */
struct demand_list demands_of(struct demands *demands, struct rank_index rank, bool led);

#endif
