/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colours. What tells states apart is hue and lightness as people with any of the usual kinds
 * of colour blindness see them (Machado, Oliveira, Fernandes 2009): the test of this file computes
 * the distances. Backgrounds are the terminal's own, so nothing here is black on black: what has no
 * colour of its own has the terminal's.
 */
#include "viewer/term/style.h"

#include <assert.h>

#include "viewer/timeline/track.h"

static_assert((int)TRACK_STATES <= (int)STYLE_STATES, "each state has a style");

#define STATE(name) [(int)STYLE_STATE + (int)TRACK_##name]

#define NONE STYLE_DEFAULT

/* How a style looks in one table. What is not named there is the terminal's own: plain(). */
struct paint {
	bool is_set;
	struct look_of look;
};

#define PAINT(...) {true, {__VA_ARGS__}}

static const struct paint dark_256[STYLES] = {
	[STYLE_FAINT] = PAINT(245, NONE),
	[STYLE_STRONG] = PAINT(NONE, NONE, .bold = true),
	[STYLE_TITLE] = PAINT(NONE, NONE, .bold = true),
	[STYLE_ALARM] = PAINT(209, NONE, .bold = true),
	[STYLE_WARN] = PAINT(220, NONE, .bold = true),
	[STYLE_GOOD] = PAINT(72, NONE),
	[STYLE_BAR] = PAINT(245, NONE),
	[STYLE_TAB] = PAINT(NONE, NONE, .bold = true),
	[STYLE_MATCH] = PAINT(16, 220),
	STATE(NODATA) = PAINT(245, NONE),
	STATE(OTHER) = PAINT(193, NONE),
	STATE(COMPUTE) = PAINT(29, NONE),
	STATE(DEVICE) = PAINT(99, NONE),
	STATE(COLLECTIVE) = PAINT(99, NONE),
	STATE(PENDING) = PAINT(99, NONE),
	STATE(INPUT) = PAINT(87, NONE),
	STATE(CHECKPOINT) = PAINT(87, NONE),
	STATE(USER) = PAINT(NONE, NONE),
	STATE(COMPILE) = PAINT(133, NONE),
	STATE(WAITING) = PAINT(220, NONE),
	STATE(BLOCKED) = PAINT(166, NONE, .bold = true),
	STATE(LOST) = PAINT(245, NONE),
	STATE(DEAD) = PAINT(166, NONE, .bold = true, .reverse = true),
};

static const struct paint light_256[STYLES] = {
	[STYLE_FAINT] = PAINT(242, NONE),
	[STYLE_STRONG] = PAINT(NONE, NONE, .bold = true),
	[STYLE_TITLE] = PAINT(NONE, NONE, .bold = true),
	[STYLE_ALARM] = PAINT(124, NONE, .bold = true),
	[STYLE_WARN] = PAINT(130, NONE, .bold = true),
	[STYLE_GOOD] = PAINT(29, NONE),
	[STYLE_BAR] = PAINT(242, NONE),
	[STYLE_TAB] = PAINT(NONE, NONE, .bold = true),
	[STYLE_MATCH] = PAINT(16, 220),
	STATE(NODATA) = PAINT(242, NONE),
	STATE(OTHER) = PAINT(NONE, NONE),
	STATE(COMPUTE) = PAINT(29, NONE),
	STATE(DEVICE) = PAINT(19, NONE),
	STATE(COLLECTIVE) = PAINT(19, NONE),
	STATE(PENDING) = PAINT(19, NONE),
	STATE(INPUT) = PAINT(53, NONE),
	STATE(CHECKPOINT) = PAINT(53, NONE),
	STATE(USER) = PAINT(NONE, NONE),
	STATE(COMPILE) = PAINT(134, NONE),
	STATE(WAITING) = PAINT(202, NONE),
	STATE(BLOCKED) = PAINT(88, NONE, .bold = true),
	STATE(LOST) = PAINT(242, NONE),
	STATE(DEAD) = PAINT(88, NONE, .bold = true, .reverse = true),
};

/* The first of 8 colours, by number. */
enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN };

static const struct paint dark_8[STYLES] = {
	[STYLE_FAINT] = PAINT(NONE, NONE, .dim = true),
	[STYLE_STRONG] = PAINT(NONE, NONE, .bold = true),
	[STYLE_TITLE] = PAINT(NONE, NONE, .bold = true),
	[STYLE_ALARM] = PAINT(RED, NONE, .bold = true),
	[STYLE_WARN] = PAINT(YELLOW, NONE, .bold = true),
	[STYLE_GOOD] = PAINT(GREEN, NONE),
	[STYLE_TAB] = PAINT(NONE, NONE, .bold = true),
	[STYLE_MATCH] = PAINT(BLACK, YELLOW),
	STATE(NODATA) = PAINT(NONE, NONE, .dim = true),
	STATE(COMPUTE) = PAINT(GREEN, NONE),
	STATE(DEVICE) = PAINT(BLUE, NONE, .bold = true),
	STATE(COLLECTIVE) = PAINT(BLUE, NONE, .bold = true),
	STATE(PENDING) = PAINT(BLUE, NONE, .bold = true),
	STATE(INPUT) = PAINT(CYAN, NONE),
	STATE(CHECKPOINT) = PAINT(CYAN, NONE),
	STATE(COMPILE) = PAINT(MAGENTA, NONE),
	STATE(WAITING) = PAINT(YELLOW, NONE),
	STATE(BLOCKED) = PAINT(RED, NONE, .bold = true),
	STATE(LOST) = PAINT(NONE, NONE, .dim = true),
	STATE(DEAD) = PAINT(RED, NONE, .reverse = true),
};

/* Yellow cannot be read on white: who waits is red there, and who hangs is reversed. */
static const struct paint light_8[STYLES] = {
	[STYLE_FAINT] = PAINT(NONE, NONE, .dim = true),
	[STYLE_STRONG] = PAINT(NONE, NONE, .bold = true),
	[STYLE_TITLE] = PAINT(NONE, NONE, .bold = true),
	[STYLE_ALARM] = PAINT(RED, NONE, .bold = true),
	[STYLE_WARN] = PAINT(MAGENTA, NONE, .bold = true),
	[STYLE_GOOD] = PAINT(GREEN, NONE),
	[STYLE_TAB] = PAINT(NONE, NONE, .bold = true),
	[STYLE_MATCH] = PAINT(BLACK, YELLOW),
	STATE(NODATA) = PAINT(NONE, NONE, .dim = true),
	STATE(COMPUTE) = PAINT(GREEN, NONE),
	STATE(DEVICE) = PAINT(BLUE, NONE),
	STATE(COLLECTIVE) = PAINT(BLUE, NONE),
	STATE(PENDING) = PAINT(BLUE, NONE),
	STATE(INPUT) = PAINT(CYAN, NONE),
	STATE(CHECKPOINT) = PAINT(CYAN, NONE),
	STATE(COMPILE) = PAINT(MAGENTA, NONE),
	STATE(WAITING) = PAINT(RED, NONE),
	STATE(BLOCKED) = PAINT(RED, NONE, .bold = true, .underline = true),
	STATE(LOST) = PAINT(NONE, NONE, .dim = true),
	STATE(DEAD) = PAINT(RED, NONE, .reverse = true),
};

static const struct paint mono[STYLES] = {
	[STYLE_FAINT] = PAINT(NONE, NONE, .dim = true),
	[STYLE_STRONG] = PAINT(NONE, NONE, .bold = true),
	[STYLE_TITLE] = PAINT(NONE, NONE, .bold = true),
	[STYLE_ALARM] = PAINT(NONE, NONE, .bold = true),
	[STYLE_WARN] = PAINT(NONE, NONE, .bold = true),
	[STYLE_TAB] = PAINT(NONE, NONE, .bold = true),
	[STYLE_MATCH] = PAINT(NONE, NONE, .bold = true, .underline = true),
	STATE(NODATA) = PAINT(NONE, NONE, .dim = true),
	STATE(COMPILE) = PAINT(NONE, NONE, .underline = true),
	STATE(WAITING) = PAINT(NONE, NONE, .dim = true),
	STATE(BLOCKED) = PAINT(NONE, NONE, .reverse = true),
	STATE(LOST) = PAINT(NONE, NONE, .dim = true),
	STATE(DEAD) = PAINT(NONE, NONE, .bold = true, .reverse = true),
};

struct look_of style_look(enum style style, enum theme theme, int colors)
{
	static const struct look_of plain = {NONE, NONE};
	const struct paint *table = mono;

	if ((unsigned)style >= STYLES)
		return plain;
	if (theme != THEME_MONO && colors >= 256)
		table = theme == THEME_LIGHT ? light_256 : dark_256;
	else if (theme != THEME_MONO && colors >= 8)
		table = theme == THEME_LIGHT ? light_8 : dark_8;
	return table[style].is_set ? table[style].look : plain;
}

uint32_t style_rgb(int color)
{
	static const uint32_t first[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee,
		0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff,
		0xff00ff, 0x00ffff, 0xffffff};
	static const uint32_t step[6] = {0, 95, 135, 175, 215, 255};
	uint32_t grey;

	if (color < 0 || color > 255)
		return 0;
	if (color < 16)
		return first[color];
	if (color < 232) {
		color -= 16;
		return step[color / 36] << 16 | step[color / 6 % 6] << 8 | step[color % 6];
	}
	grey = 8 + 10 * ((uint32_t)color - 232);
	return grey << 16 | grey << 8 | grey;
}

#define GLYPH(name) [(int)GLYPH_STATE + (int)TRACK_##name]

/*
 * The signs: block elements and what else stands in every font, one column wide wherever that is
 * asked.
 */
static const struct {
	const char *ascii, *utf8;
} glyphs[GLYPHS] = {
	GLYPH(NODATA) = {"?", "?"},
	GLYPH(OTHER) = {":", "·"},
	GLYPH(COMPUTE) = {"#", "█"},
	GLYPH(COLLECTIVE) = {"=", "▓"},
	GLYPH(DEVICE) = {"g", "▀"},
	GLYPH(PENDING) = {"-", "─"},
	GLYPH(INPUT) = {"i", "▚"},
	GLYPH(CHECKPOINT) = {"k", "▄"},
	GLYPH(USER) = {"u", "▪"},
	GLYPH(COMPILE) = {"c", "▒"},
	GLYPH(WAITING) = {"w", "░"},
	GLYPH(BLOCKED) = {"b", "▌"},
	GLYPH(LOST) = {"~", "╌"},
	GLYPH(DEAD) = {"X", "×"},
	[GLYPH_ENTERED] = {"|", "│"},
	[GLYPH_STEP] = {"+", "┼"},
	[GLYPH_FORK] = {"F", "F"},
	[GLYPH_LOG] = {"L", "L"},
	[GLYPH_RECOMPILE] = {"R", "R"},
	[GLYPH_KILL] = {"K", "K"},
	[GLYPH_EXCEPTION] = {"E", "E"},
	[GLYPH_OPEN] = {">", "»"},
	[GLYPH_BLAME] = {"!", "!"},
	[GLYPH_CURSOR] = {">", "►"},
	[GLYPH_RULE_H] = {"-", "─"},
	[GLYPH_RULE_V] = {"|", "│"},
	[GLYPH_MORE_LEFT] = {"<", "«"},
	[GLYPH_MORE_RIGHT] = {">", "»"},
	[GLYPH_MARK] = {"*", "♦"},
	[GLYPH_BREAK] = {"/", "╎"},
	[GLYPH_BAR_1] = {".", "▁"},
	[GLYPH_BAR_2] = {":", "▂"},
	[GLYPH_BAR_3] = {"-", "▃"},
	[GLYPH_BAR_4] = {"=", "▄"},
	[GLYPH_BAR_5] = {"+", "▅"},
	[GLYPH_BAR_6] = {"*", "▆"},
	[GLYPH_BAR_7] = {"%", "▇"},
	[GLYPH_BAR_8] = {"#", "█"},
};

const char *glyph_text(enum glyph glyph, bool utf8)
{
	if ((unsigned)glyph >= GLYPHS || !glyphs[glyph].ascii)
		return "?";
	return utf8 ? glyphs[glyph].utf8 : glyphs[glyph].ascii;
}
