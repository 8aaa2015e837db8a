/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyramid-slots.h: searching sorted times. The job's time is cut into slots, eight of the times to
 * a slot on average, and a list says where each slot begins: where things happen evenly, a search
 * is one look into the list and a few steps; where they do not, it is halving within a slot.
 */
#ifndef VIEWER_PYRAMID_SLOTS_H
#define VIEWER_PYRAMID_SLOTS_H

#include "viewer/timeline/track.h"

/* n times, ascending, each `stride` bytes behind the one before. */
struct times {
	const int64_t *first;
	size_t stride;
	size_t n;
};

/* The slots of some times. */
struct slots {
	const uint32_t *at; /* how many times lie before each slot; one more than n */
	size_t n;
	int64_t from;
	double per_ns;
};

/* Returns how many numbers the slots of n times take. */
size_t slots_count(size_t n);

/* Makes the slots of times, in the zeroed `at`; they stay its owner's. Returns how many it took. */
size_t slots_make(struct slots *slots, uint32_t *at, const struct tracks *tracks,
	struct times times);

/* Returns how many of the times lie before that one. */
size_t slots_before(const struct slots *slots, struct times times, int64_t when);

/* True if any of them is within [from, to). */
bool slots_have(const struct slots *slots, struct times times, int64_t from, int64_t to);

#endif
