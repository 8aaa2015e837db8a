/* SPDX-License-Identifier: Apache-2.0 */
/* draw.h: state becomes cells: the whole screen, from nothing, each time. */
#ifndef VIEWER_DRAW_H
#define VIEWER_DRAW_H

#include "viewer/state/state.h"
#include "viewer/term/cells.h"

/* Draws the screen of this state into cells, which it resets to the state's size. */
void draw_screen(struct state *state, struct cells *cells) __attribute__((nonnull));

/*
 * What all parts of the screen are drawn from. They have files of their own: timeline.c has rows,
 * ruler, minimap and strip.
 */
struct screen {
	struct state *state; /* settled; drawing changes only what is made when first needed */
	struct layout layout;
	struct cells *cells; /* to be drawn into */
};
/* Draws the line at the top. */
void draw_title(const struct screen *screen) __attribute__((nonnull));
/* Draws the rows, and the legend, which names what they have shown. */
void draw_timeline(const struct screen *screen) __attribute__((nonnull));
/* Draws relative and real time, and the cursor in it. */
void draw_ruler(const struct screen *screen) __attribute__((nonnull));
/* Draws the minimap, where there is room. */
void draw_minimap(const struct screen *screen) __attribute__((nonnull));
/* Draws how many ranks are in which state, over time. */
void draw_strip(const struct screen *screen) __attribute__((nonnull));
/* Draws the pane that is up, the one beside it, and the tabs. */
void draw_panes(const struct screen *screen) __attribute__((nonnull));
/* Draws the overlay with keys and words, while it is up. */
void draw_help(const struct screen *screen) __attribute__((nonnull));
/* Returns which of the keys on the last line stands there; REQUEST_NONE. */
enum request draw_hint_at(struct state *state, int x) __attribute__((nonnull));

/* Appends a time as the ruler has it, "11:08", with digits as steps of `step` ns want them. */
void draw_relative(struct str *into, uint64_t ns, uint64_t step) __attribute__((nonnull));
/* Appends a time of day as the ruler has it, "03:11:52", UTC. */
void draw_real(struct str *into, int64_t when, uint64_t step) __attribute__((nonnull));

#endif
