/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document that needs nothing but itself. Each run of cells that look alike is one text, with its
 * length said, so that columns stand where they are whatever the reader's font is; block elements
 * and shades are drawn as what they are, since few fonts join them without gaps.
 */
#include "viewer/term/svg.h"

#include <string.h>

#include "words/escape.h"

#define W    9 /* of a cell, in pixels */
#define H    18
#define BASE 14 /* the line that letters stand on */

/* How a cell looks in the picture. */
struct ink {
	uint32_t fg, bg;
	bool bold, dim, underline, ground; /* ground: bg is the picture's own */
};

/* Returns the picture's own colour of text. */
static uint32_t own_fg(enum theme theme)
{
	return theme == THEME_DARK ? 0xd0d0d0 : 0x1c1c1c;
}

/* Returns the picture's own ground. */
static uint32_t own_bg(enum theme theme)
{
	return theme == THEME_DARK ? 0x0c0c0c : 0xffffff;
}

/* Returns how a cell looks, turned round where it is. */
static struct ink ink_of(const struct cell *cell, enum theme theme)
{
	struct look_of look = style_look((enum style)cell->style, theme, 256);
	struct ink ink = {
		.fg = look.fg < 0 ? own_fg(theme) : style_rgb(look.fg),
		.bg = look.bg < 0 ? own_bg(theme) : style_rgb(look.bg),
		.bold = look.bold,
		.dim = look.dim,
		.underline = look.underline,
	};

	ink.ground = look.bg < 0;
	if (look.reverse != cell->reverse) {
		uint32_t fg = ink.fg;

		ink.fg = ink.bg;
		ink.bg = fg;
		ink.ground = false;
	}
	return ink;
}

/* True if cells of these look alike. */
static bool same_ink(const struct ink *a, const struct ink *b)
{
	return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->dim == b->dim &&
	       a->underline == b->underline;
}

/* Appends a filled rectangle. */
static void add_rect(struct str *into, double x, double y, double w, double h, uint32_t rgb)
{
	str_printf(into, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x,
		y, w, h, rgb);
}

/*
 * How a block element fills its cell, in eighths of it, and its opacity in tenths. Shades are a
 * little stronger than their dots are, and what is as high as its cell leaves a pixel free: else
 * rows of one state would be one area.
 */
struct block {
	int32_t code;
	uint8_t x, y, w, h, opacity;
};

static const struct block blocks[] = {
	{0x2581, 0, 7, 8, 1, 10}, {0x2582, 0, 6, 8, 2, 10}, {0x2583, 0, 5, 8, 3, 10},
	{0x2584, 0, 4, 8, 4, 10}, {0x2585, 0, 3, 8, 5, 10}, {0x2586, 0, 2, 8, 6, 10},
	{0x2587, 0, 1, 8, 7, 10}, {0x2588, 0, 0, 8, 8, 10}, {0x258c, 0, 0, 4, 8, 10},
	{0x2591, 0, 0, 8, 8, 4}, {0x2592, 0, 0, 8, 8, 6}, {0x2593, 0, 0, 8, 8, 8},
	{0x259a, 0, 0, 4, 4, 10}, {0x259a, 4, 4, 4, 4, 10},
};

/*
 * Appends a run of n cells of this text as shapes; false, and nothing, where it is no block
 * element.
 */
static bool add_block(
	struct str *into, const char *text, int x, int y, int n, const struct ink *ink)
{
	size_t size;
	int32_t code = escape_decode(text, &size);
	bool is_block = false;

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		const struct block *block = &blocks[i];
		bool whole = block->w == 8; /* neighbours are one rectangle */

		if (block->code != code || text[size])
			continue;
		is_block = true;
		if (block->opacity < 10)
			str_printf(into, "<g opacity=\"0.%d\">", block->opacity);
		for (int at = 0; at < (whole ? 1 : n); at++)
			add_rect(into, (x + at) * W + block->x * W / 8.0,
				y * H + block->y * H / 8.0, (whole ? n : 1) * block->w * W / 8.0,
				block->h * H / 8.0 - (block->h == 8), ink->fg);
		if (block->opacity < 10)
			str_add(into, "</g>\n");
	}
	return is_block;
}

/* Appends cells as a text. */
static void add_text(struct str *into, const struct cell *row, int x, int end, int y,
	const struct ink *ink)
{
	str_printf(into, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s%s>", x * W,
		y * H + BASE, (end - x) * W, ink->fg, ink->bold ? " font-weight=\"bold\"" : "",
		ink->dim ? " opacity=\"0.6\"" : "",
		ink->underline ? " text-decoration=\"underline\"" : "");
	for (; x < end; x++)
		for (const char *c = row[x].text; *c; c++)
			switch (*c) {
			case '&':
				str_add(into, "&amp;");
				break;
			case '<':
				str_add(into, "&lt;");
				break;
			case '>':
				str_add(into, "&gt;");
				break;
			default:
				str_add_char(into, *c);
			}
	str_add(into, "</text>\n");
}

/* True for a cell with nothing in it. */
static bool is_blank(const struct cell *cell)
{
	return !strcmp(cell->text, " ");
}

/*
 * Returns how far the cells from x on are one and the same: the width of one, or of a run of
 * blocks.
 */
static int same_cells(const struct cell *row, int x, int end)
{
	int to = x + 1;

	while (to < end && (!row[to].text[0] || !strcmp(row[to].text, row[x].text)))
		to++;
	return to;
}

/* Appends cells of one ink from x to end: blocks as shapes, words as text, blanks as nothing. */
static void add_run(struct str *into, const struct cell *row, int x, int end, int y,
	const struct ink *ink)
{
	if (!ink->ground)
		add_rect(into, x * W, y * H, (end - x) * W, H, ink->bg);
	while (x < end) {
		int same = same_cells(row, x, end), to = x;

		if ((is_blank(&row[x]) && !ink->underline) ||
			add_block(into, row[x].text, x, y, same - x, ink)) {
			x = same;
			continue;
		}
		/* Up to where two blanks, or a block, begin. */
		while (to < end && (ink->underline || !is_blank(&row[to]) ||
				   (to + 1 < end && !is_blank(&row[to + 1])))) {
			struct str none = {0};
			bool block = add_block(&none, row[to].text, to, y, 1, ink);

			str_release(&none);
			if (block)
				break;
			to++;
		}
		add_text(into, row, x, to, y, ink);
		x = to;
	}
}

void svg_write(const struct cells *cells, enum theme theme, struct str *into)
{
	int w = cells->w * W, h = cells->h * H;

	str_printf(into,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" "
		"font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" "
		"font-size=\"15\" xml:space=\"preserve\">\n",
		w, h, w, h);
	add_rect(into, 0, 0, w, h, own_bg(theme));
	for (int y = 0; y < cells->h; y++) {
		const struct cell *row = &cells->at[y * cells->w];

		for (int x = 0; x < cells->w;) {
			struct ink ink = ink_of(&row[x], theme);
			int end = x + 1;

			while (end < cells->w) {
				struct ink next = ink_of(&row[end], theme);

				if (row[end].text[0] && !same_ink(&ink, &next))
					break;
				end++;
			}
			add_run(into, row, x, end, y, &ink);
			x = end;
		}
	}
	str_add(into, "</svg>\n");
}
