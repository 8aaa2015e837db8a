/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.h: the part of time that is on the screen, and its columns. Arithmetic only; any times are
 * right, also such whose difference is more than an int64_t holds.
 */
#ifndef VIEWER_WINDOW_H
#define VIEWER_WINDOW_H

#include <stdint.h>

/* A part of time. */
struct window {
	int64_t from, to; /* from < to */
};

/* Returns the ns between two times, a <= b. */
uint64_t window_between(int64_t a, int64_t b);
/* Returns the ns of the whole window. */
uint64_t window_span(struct window window);

/* Returns a time so much earlier; at most what can be said. */
int64_t window_earlier(int64_t when, uint64_t by);
/* Returns a time so much later; at most what can be said. */
int64_t window_later(int64_t when, uint64_t by);

/* Returns the time at which a column of `width` begins; column `width` is the window's end. */
int64_t window_at(struct window window, int width, int column);
/* Returns the column that a time falls into; -1 before the window, `width` from its end on. */
int window_column(struct window window, int width, int64_t when);

/* Returns so much from that time on, moved and cut to lie within the bounds. */
struct window window_within(struct window bounds, int64_t from, uint64_t span);
/*
 * Returns a window of the span times num / den, at least `least`, about a time that stays in its
 * column.
 */
struct window window_zoom(struct window window, struct window bounds, int64_t about, unsigned num,
	unsigned den, uint64_t least);
/* Returns the window with that time in the middle, as far as the bounds let it. */
struct window window_centre(struct window window, struct window bounds, int64_t when);
/* Returns the window moved as little as needed for the time to be in it. */
struct window window_show(struct window window, struct window bounds, int64_t when);

#endif
