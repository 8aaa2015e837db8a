/* SPDX-License-Identifier: Apache-2.0 */
/*
 * style.h: what a cell looks like, by what it means. One table gives each style its colour in the
 * dark and light palettes (xterm-256), in 16 and 8 colours and without any; colour-blind safe, and
 * never alone: each state has a glyph and stands in the legend.
 */
#ifndef VIEWER_STYLE_H
#define VIEWER_STYLE_H

#include <stdbool.h>
#include <stdint.h>

/* What a cell means. */
enum style {
	STYLE_PLAIN,
	STYLE_FAINT,
	STYLE_STRONG,
	STYLE_TITLE,	/* the verdict's line */
	STYLE_ALARM,	/* KILL, culprits */
	STYLE_WARN,	/* WAIT */
	STYLE_GOOD,	/* healthy */
	STYLE_BAR,	/* tab and key bars */
	STYLE_TAB,	/* the pane that is up */
	STYLE_MATCH,	/* found by search */
	STYLE_STATE,	/* + enum track_state: one each */
	STYLE_STATES = 16, /* room for them */
	STYLES = STYLE_STATE + STYLE_STATES
};

/* Our own signs. */
enum glyph {
	GLYPH_STATE,	/* + enum track_state */
	GLYPH_ENTERED = GLYPH_STATE + STYLE_STATES, /* marks: in the order of track.h */
	GLYPH_FORK,
	GLYPH_STEP,
	GLYPH_LOG,
	GLYPH_RECOMPILE,
	GLYPH_KILL,
	GLYPH_EXCEPTION,
	GLYPH_OPEN,	/* goes on at the right edge */
	GLYPH_CURSOR,	/* before the selected row */
	GLYPH_BLAME,	/* behind the label of whom the verdict blames */
	GLYPH_RULE_H,	/* lines of panes */
	GLYPH_RULE_V,
	GLYPH_MORE_LEFT,
	GLYPH_MORE_RIGHT,
	GLYPH_MARK,
	GLYPH_BREAK,	/* where the scale of time changes */
	GLYPH_BAR_1, GLYPH_BAR_2, GLYPH_BAR_3, GLYPH_BAR_4, /* eighths, for the strip */
	GLYPH_BAR_5, GLYPH_BAR_6, GLYPH_BAR_7, GLYPH_BAR_8,
	GLYPHS
};

/* Which colours. */
enum theme { THEME_DARK, THEME_LIGHT, THEME_MONO, THEMES };

#define STYLE_DEFAULT (-1) /* the terminal's own colour */

/* How a style looks. */
struct look_of {
	int16_t fg, bg; /* number in so many colours; STYLE_DEFAULT */
	bool bold, dim, underline, reverse;
};

/*
 * Returns how a style looks. colors: 0 (mono), 8, 16 or 256; anything else is taken down to the
 * next.
 */
struct look_of style_look(enum style style, enum theme theme, int colors);
/* Returns 0xRRGGBB of an xterm-256 colour: for pictures and tests of contrast. */
uint32_t style_rgb(int color);

/* Returns a sign, one column wide, UTF-8 or one ASCII character; never NULL. */
const char *glyph_text(enum glyph glyph, bool utf8);

#endif
