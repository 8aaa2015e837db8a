/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells.h: the screen as a grid, before any terminal. All drawing goes here; terminal.c, the text
 * form and the picture (svg.h) only read it.
 *
 * Nothing is ever written outside of the grid or of the clip, and no byte of a stranger reaches a
 * cell: text is escaped (words/escape.h), wide characters take two cells, combining marks stand on
 * their base and are dropped where there is none.
 */
#ifndef VIEWER_CELLS_H
#define VIEWER_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "viewer/term/style.h"

/* A cell. */
struct cell {
	char text[16]; /* one character with its marks, UTF-8; "" the right half of a wide one */
	uint8_t style; /* enum style */
	bool reverse;  /* the cursor, a selection */
};

/* An area of the screen. */
struct rect {
	int x, y, w, h; /* cells; w and h may be 0, never below */
};

/* The grid. {0} at first; cells_release() it. */
struct cells {
	int w, h;
	bool utf8; /* what is not ASCII may be drawn */
	struct cell *at;
};

/* The most there may be: a terminal that says more is taken for this. */
#define CELLS_W 1024
#define CELLS_H 512

/* Makes all blank. Cuts to the most and to at least 1x1. Reuses what it has. */
void cells_reset(struct cells *cells, int w, int h, bool utf8) __attribute__((nonnull));
/* Frees the cells. */
void cells_release(struct cells *cells) __attribute__((nonnull));

/*
 * Puts text from anywhere, escaped, from (x, y) of clip, at most clip.w - x columns; returns
 * columns, also of what lies left of the clip (x below 0).
 */
int cells_put(struct cells *cells, struct rect clip, int x, int y, enum style style,
	const char *text) __attribute__((nonnull));
/* Puts it cut to w columns, from its end ("..."). */
int cells_put_fit(struct cells *cells, struct rect clip, int x, int y, int w, enum style style,
	const char *text) __attribute__((nonnull));
/* Puts it cut from its middle. */
int cells_put_middle(struct cells *cells, struct rect clip, int x, int y, int w, enum style style,
	const char *text) __attribute__((nonnull));
/* Puts it cut behind the last word that fits; of a first one that does not fit, its beginning. */
int cells_put_words(struct cells *cells, struct rect clip, int x, int y, int w, enum style style,
	const char *text) __attribute__((nonnull));
/* Returns how many columns of at most w that takes. */
int cells_words_columns(const char *text, int w, bool utf8) __attribute__((nonnull));
/* Puts a format, as cells_put() does. */
int cells_printf(struct cells *cells, struct rect clip, int x, int y, enum style style,
	const char *format, ...) __attribute__((nonnull, format(printf, 6, 7)));
/* Puts one of our own glyphs (style.h), as the grid's charset has it. */
void cells_glyph(struct cells *cells, struct rect clip, int x, int y, enum style style,
	enum glyph glyph) __attribute__((nonnull));
/* Fills an area with one character. */
void cells_fill(struct cells *cells, struct rect area, enum style style, char c)
	__attribute__((nonnull));
/* Turns the colours of an area round; twice, back. */
void cells_reverse(struct cells *cells, struct rect area) __attribute__((nonnull));

/* Appends the whole as text: a line a row, without blanks at its end. */
void cells_text(const struct cells *cells, struct str *into) __attribute__((nonnull));

/* Returns the part of a that lies in b. */
struct rect rect_clip(struct rect a, struct rect b);

#endif
