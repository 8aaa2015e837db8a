/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyramid-census.h: how many ranks were in which state, over time: what pyramid_census() asks, made
 * once for all ranks together, so that ten thousand cost no more than eight.
 */
#ifndef VIEWER_PYRAMID_CENSUS_H
#define VIEWER_PYRAMID_CENSUS_H

#include "viewer/timeline/track.h"

struct census;

/* Never NULL. */
struct census *census_new(const struct tracks *tracks);
/* Takes NULL. */
void census_free(struct census *census);

/* As pyramid_census(). */
void census_take(const struct census *census, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES]);

#endif
