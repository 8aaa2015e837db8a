/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyramid-tally.h: how many ranks were in which state, over time: what pyramid_tally() asks, made
 * once for all ranks together, so that ten thousand cost no more than eight.
 */
#ifndef VIEWER_PYRAMID_TALLY_H
#define VIEWER_PYRAMID_TALLY_H

#include "viewer/timeline/track.h"

struct tally;

/* Never NULL. */
struct tally *tally_new(const struct tracks *tracks);
/* Takes NULL. */
void tally_free(struct tally *tally);

/* As pyramid_tally(). */
void tally_take(struct tally *tally, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES]);

#endif
