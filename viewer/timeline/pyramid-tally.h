/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyramid-tally.h: how many ranks were in which state, over time: what pyramid_tally() asks, made
 * once for all ranks together, so that ten thousand cost no more than eight.
 */
#ifndef VIEWER_PYRAMID_TALLY_H
#define VIEWER_PYRAMID_TALLY_H

#include "viewer/timeline/track.h"

struct tally;

/* Makes the count of all tracks, which must outlive it. Never NULL. */
struct tally *tally_new(const struct tracks *tracks);
/* Frees it; NULL is fine. */
void tally_free(struct tally *tally);

/* Counts as pyramid_tally() has it. */
void tally_take(struct tally *tally, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES]);

#endif
