/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axis.h: which time each column of the rows shows. A hang of minutes and the milliseconds before
 * it do not fit on one scale: so the axis may be broken at one moment, the fork, and what is before
 * it has a scale of its own. The break takes one column, which shows no time.
 *
 * So that zooming, panning and scrolling go by columns also across the break, they are done on a
 * straightened time, in which what is before the fork is stretched or pressed to the scale of what
 * is behind it. With scale 1 nothing is straightened, and all is as window.h has it.
 */
#ifndef VIEWER_AXIS_H
#define VIEWER_AXIS_H

#include <stdbool.h>

#include "viewer/timeline/window.h"

#define AXIS_LEAST 16 /* columns: of fewer none is given away for a break */

/* Where it is broken: so much time before `at` has the room of one part behind it. */
struct axis_break {
	int64_t at;
	long double scale; /* above 0; 1: it is not broken */
};

/* The axis of one screen. */
struct axis {
	struct window window;
	struct axis_break fork;
	int width; /* columns, at least 1 */
	int split; /* the column of the break; -1: there is none in sight */
};

/*
 * Returns a break at that time, which gives what is before it two fifths of the window where it
 * would have less than a third, or more than two; else one scale is enough, and is what comes back.
 */
struct axis_break axis_break_for(struct window window, int64_t at);

/* Returns the axis of a window, broken at `fork` where that is in sight. */
struct axis axis_of(struct window window, struct axis_break fork, int width);

/*
 * Returns when a column begins; of the break's the fork. Column `width` is the end of the window.
 */
int64_t axis_at(const struct axis *axis, int column) __attribute__((nonnull));
/* Returns the column that a time falls into; -1 before the window, `width` from its end on. */
int axis_column(const struct axis *axis, int64_t when) __attribute__((nonnull));
/* Returns the time of a column that may lie outside of the window, below 0 or from `width` on. */
int64_t axis_beyond(const struct axis *axis, int column) __attribute__((nonnull));
/* Returns the ns of a column there. */
uint64_t axis_step(const struct axis *axis, int column) __attribute__((nonnull));

/* These four are as those of window.h, by columns. Returns the window zoomed about a time. */
struct window axis_zoom(struct axis_break fork, struct window window, struct window bounds,
	int64_t about, unsigned num, unsigned den, uint64_t least);
/* Returns the window with that time in its middle. */
struct window axis_centre(
	struct axis_break fork, struct window window, struct window bounds, int64_t when);
/* Returns the window moved by the least that brings that time into sight. */
struct window axis_show(
	struct axis_break fork, struct window window, struct window bounds, int64_t when);
/* Returns the window moved by num / den of its width, to earlier (below 0) or later. */
struct window axis_pan(
	struct axis_break fork, struct window window, struct window bounds, int num, unsigned den);

#endif
