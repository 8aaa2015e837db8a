/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h: what the files that draw the rows share: what has been shown, so that the legend
 * names that and nothing else.
 */
#ifndef VIEWER_TIMELINE_H
#define VIEWER_TIMELINE_H

#include "viewer/draw.h"
#include "viewer/state/rows.h"

#define TIMELINE_MANY	1024 /* ranks: of more it would be felt to ask each */
#define TIMELINE_PHASES 16 /* kinds of compile phases that have a letter of their own */

/* What has been shown. */
struct timeline_shown {
	bool states[TRACK_STATES];
	bool marks[TRACK_MARKS];
	bool steps_left_out; /* of some row only the first and the last in sight are drawn */
	bool entries_left_out; /* of entries in neighbouring cells the first is drawn */
	bool open, lost, blamed, broken; /* what goes on at the right edge, what is lost, who is
					  * blamed, and the break */
	char letters[TIMELINE_PHASES]; /* of phases, in the order of tracks->phases */
	bool phases[TIMELINE_PHASES];
	size_t nphases;
};

/* timeline-cells.c: gives phases their letters. */
void timeline_name_phases(struct timeline_shown *shown, const struct tracks *tracks)
	__attribute__((nonnull));
/* Draws the cells of a row on that line. */
void timeline_draw_cells(const struct screen *screen, struct timeline_shown *shown, size_t row,
	int line) __attribute__((nonnull));

/* Returns where the cell of that column ends, which begins and would end at these. */
int64_t timeline_cell_end(const struct state *state, int column, int64_t from, int64_t to)
	__attribute__((nonnull));

/* timeline.c: appends how many ranks a fold has, where label and count take at most w columns. */
void timeline_add_count(const struct state *state, const struct row *row, struct str *label, int w)
	__attribute__((nonnull));

/* timeline-ends.c: from so many columns on a row ends in numbers, which take so many. */
#define TIMELINE_NUMBERS_FROM 72
#define TIMELINE_NUMBERS_W    12
/* True if there is room for the numbers. */
bool timeline_has_numbers(const struct state *state) __attribute__((nonnull));
/* Draws the right end of a row. */
void timeline_draw_end(const struct screen *screen, struct timeline_shown *shown,
	const struct row *row, int y) __attribute__((nonnull));
/* Draws the headings of the numbers. */
void timeline_draw_heads(const struct screen *screen) __attribute__((nonnull));
/*
 * Appends, for so many columns, what the row does, and how late it was in that time: "AllReduce
 * #12", "late 9 times, by 2.4 s, last 0:58, sleep train.py:88".
 */
void timeline_add_words(struct state *state, const struct row *row, int64_t from, int64_t to,
	int w, struct str *into) __attribute__((nonnull));

/* legend.c: draws what the signs mean that have been shown. */
void draw_legend(const struct screen *screen, const struct timeline_shown *shown)
	__attribute__((nonnull));

#endif
