/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyramid.h: tracks, summed up so that a cell of any zoom costs the same whatever number of events
 * lies under it. The worst state wins, so that a death or a loss of one event is seen at every
 * zoom; of the ordinary ones, which every cell holds all of once steps are narrower than it, the
 * longest does: who waits looks unlike whom he waits for.
 */
#ifndef VIEWER_PYRAMID_H
#define VIEWER_PYRAMID_H

#include "viewer/timeline/track.h"

struct pyramid;

/* All that lies under one cell. */
struct bin {
	enum track_state state; /* the worst; of ordinary ones the longest */
	uint8_t share;	 /* of the cell's time in that state, 0 to 255 */
	bool marks[TRACK_MARKS]; /* which events are in it */
	const struct track_span *span; /* of a state that is not ordinary: the longest; else NULL */
};

/* Makes the pyramid of all tracks; never NULL. Memory: at most 3 times what the tracks take. */
struct pyramid *pyramid_new(const struct tracks *tracks) __attribute__((nonnull));
/* Frees it; NULL is fine. */
void pyramid_free(struct pyramid *pyramid);

/*
 * Returns the bin of track number `row` over [from, to). O(log n) at worst. The job's last instant
 * is in the last cell; outside of its time is no data.
 */
struct bin pyramid_bin(const struct pyramid *pyramid, size_t row, int64_t from, int64_t to)
	__attribute__((nonnull));

/*
 * Tells the states of n bins side by side, of which bin i is [edges[i], edges[i + 1]): what
 * pyramid_bin() says of each, at a cost of the spans in them, where those are few.
 */
void pyramid_states(const struct pyramid *pyramid, size_t row, const int64_t *edges, int n,
	uint8_t *states) __attribute__((nonnull));

/*
 * Counts how many ranks were in each state over [from, to), by the most that were at least so badly
 * off at once: no instant is left out, and nobody is counted twice. All counts add up to the ranks.
 * O(states) with what was made once; of very short windows also the changes within are looked at.
 */
void pyramid_tally(const struct pyramid *pyramid, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES]) __attribute__((nonnull));

#endif
