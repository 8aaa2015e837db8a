/* SPDX-License-Identifier: Apache-2.0 */
/*
 * range.h: what one rank did between two times: how long it was in which state, and how many things
 * happened. As the rows have it (track.h): what nothing is known of is told as that, so that the
 * parts are the whole.
 */
#ifndef VIEWER_RANGE_H
#define VIEWER_RANGE_H

#include "base/str.h"
#include "viewer/timeline/track.h"

/* What was done between two times. */
struct range {
	int64_t from, to;
	uint64_t took[TRACK_STATES]; /* ns; with what is known of no state they are the whole */
	size_t entered;              /* operations that it entered then */
	size_t steps;
	size_t odd; /* exceptions, signals, deaths, gaps */
};

/*
 * Returns what was done between the two, which may come in any order. O(log n) and what lies
 * between them.
 */
struct range range_of(const struct track *track, int64_t a, int64_t b) __attribute__((nonnull));

/* Appends the greatest parts, the longest first: "waiting 2.1 s, compile 900 ms; 4 ops entered". */
void range_add_words(struct str *into, const struct range *range) __attribute__((nonnull));

/*
 * Appends all parts as a table in Markdown, for a ticket or a chat, under a line that says of whom
 * and when (UTC). Names in it are escaped.
 */
void range_add_table(struct str *into, const struct range *range, const struct track *track,
	const struct tracks *tracks) __attribute__((nonnull));

#endif
