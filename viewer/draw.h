/* SPDX-License-Identifier: Apache-2.0 */
/* draw.h: state becomes cells: the whole screen, from nothing, each time. */
#ifndef VIEWER_DRAW_H
#define VIEWER_DRAW_H

#include "viewer/cells.h"
#include "viewer/state.h"

/* Draws the screen of this state into cells, which it resets to the state's size. */
void draw_screen(struct state *state, struct cells *cells) __attribute__((nonnull));

/* Parts of it, in files of their own: timeline.c has rows, ruler, minimap and strip. */
struct screen {
	const struct state *state;
	struct layout layout;
	struct cells *cells;
};
void draw_timeline(const struct screen *screen) __attribute__((nonnull));
void draw_help(const struct screen *screen) __attribute__((nonnull));

#endif
