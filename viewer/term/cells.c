/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/term/cells.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "words/escape.h"

/* Of a longer text only so many bytes are looked at, from each end: it could be all of a log. */
#define FAR (CELLS_W * 16)

struct rect rect_clip(struct rect a, struct rect b)
{
	int x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;
	int right = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	int bottom = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;

	return (struct rect){x, y, right > x ? right - x : 0, bottom > y ? bottom - y : 0};
}

static const struct cell blank = {.text = " ", .style = STYLE_PLAIN};

void cells_reset(struct cells *cells, int w, int h, bool utf8)
{
	w = w < 1 ? 1 : w > CELLS_W ? CELLS_W : w;
	h = h < 1 ? 1 : h > CELLS_H ? CELLS_H : h;
	if (!cells->at || cells->w * cells->h != w * h)
		cells->at = alloc_resize(cells->at, (size_t)w * (size_t)h, sizeof(*cells->at));
	cells->w = w;
	cells->h = h;
	cells->utf8 = utf8;
	for (int i = 0; i < w * h; i++)
		cells->at[i] = blank;
}

void cells_release(struct cells *cells)
{
	free(cells->at);
	*cells = (struct cells){0};
}

/* Returns the area of all cells. */
static struct rect whole(const struct cells *cells)
{
	return (struct rect){0, 0, cells->w, cells->h};
}

/*
 * Returns a cell of the screen, to be written: where it is half of a wide one the other half
 * becomes blank.
 */
static struct cell *claim(struct cells *cells, int x, int y)
{
	struct cell *cell = &cells->at[y * cells->w + x];

	if (!cell->text[0] && x > 0)
		memcpy(cell[-1].text, " ", 2);
	if (x + 1 < cells->w && !cell[1].text[0])
		memcpy(cell[1].text, " ", 2);
	return cell;
}

/* Writes a character into a cell of the screen. */
static void set(struct cells *cells, int x, int y, enum style style, const char *text, size_t size)
{
	struct cell *cell = claim(cells, x, y);

	memcpy(cell->text, text, size);
	cell->text[size] = '\0';
	cell->style = (uint8_t)style;
}

/* Where text goes: a pen over one line of the clip. */
struct pen {
	struct cells *cells;
	struct rect clip; /* what of it is on the screen */
	int from, x, end; /* columns of the screen; from may lie left of the clip */
	int y;
	enum style style;
	struct cell *base; /* what a combining mark stands on; NULL none */
};

/* Returns a pen at (x, y) of a clip. */
static struct pen pen_at(struct cells *cells, struct rect clip, int x, int y, enum style style)
{
	struct pen pen = {.cells = cells, .clip = rect_clip(clip, whole(cells)), .style = style};

	pen.from = pen.x = clip.x + x;
	pen.end = clip.x + clip.w;
	pen.y = clip.y + y;
	return pen;
}

/* True if that column of the pen's line is on the screen. */
static bool pen_sees(const struct pen *pen, int x)
{
	return pen->y >= pen->clip.y && pen->y < pen->clip.y + pen->clip.h && x >= pen->clip.x &&
	       x < pen->clip.x + pen->clip.w;
}

/* Writes one character that may be shown; false: no room for it any more. */
static bool pen_char(struct pen *pen, const char *text, size_t size, int columns)
{
	if (columns == 0) {
		if (pen->base && strlen(pen->base->text) + size < sizeof(pen->base->text))
			strncat(pen->base->text, text, size);
		return true;
	}
	if (pen->x + columns > pen->end)
		return false;
	pen->base = NULL;
	if (pen_sees(pen, pen->x) && pen_sees(pen, pen->x + columns - 1)) {
		set(pen->cells, pen->x, pen->y, pen->style, text, size);
		if (columns == 2)
			set(pen->cells, pen->x + 1, pen->y, pen->style, "", 0);
		pen->base = &pen->cells->at[pen->y * pen->cells->w + pen->x];
	} else {
		/* Half of a wide one is nothing. */
		for (int x = pen->x; x < pen->x + columns; x++)
			if (pen_sees(pen, x))
				set(pen->cells, x, pen->y, pen->style, " ", 1);
	}
	pen->x += columns;
	return true;
}

/* Writes text that was escaped before; false: it did not end before the room did. */
static bool pen_plain(struct pen *pen, const char *escaped)
{
	for (size_t size; *escaped; escaped += size) {
		int32_t code = escape_decode(escaped, &size);

		if (!pen_char(pen, escaped, size, (int)escape_columns(code)))
			return false;
	}
	return true;
}

/* Writes what may not be shown as it is, a character at a time: the longer way. */
static bool pen_escaped(struct pen *pen, const char *text, size_t size)
{
	struct str escaped = {0};
	char one[8] = "";
	bool fits;

	memcpy(one, text, size);
	escape_text(&escaped, one, pen->cells->utf8);
	fits = pen_plain(pen, str_text(&escaped));
	str_release(&escaped);
	return fits;
}

int cells_put(struct cells *cells, struct rect clip, int x, int y, enum style style,
	const char *text)
{
	struct pen pen = pen_at(cells, clip, x, y, style);

	for (size_t size; *text; text += size) {
		int32_t code = escape_decode(text, &size);
		bool as_is = escape_is_plain(code) && (code < 0x80 || cells->utf8);

		if (!(as_is ? pen_char(&pen, text, size, (int)escape_columns(code))
			    : pen_escaped(&pen, text, size)))
			break;
	}
	return pen.x - pen.from;
}

/* Appends the text, escaped; of one too long to be looked at, its beginning. */
static void escape_head(struct str *into, const char *text, bool utf8)
{
	char *head;

	if (strnlen(text, FAR + 1) <= FAR) {
		escape_text(into, text, utf8);
		return;
	}
	head = alloc_copy(text, FAR);
	escape_text(into, head, utf8);
	free(head);
}

/* Puts text that was escaped before; returns columns. */
static int put_escaped(struct cells *cells, struct rect clip, int x, int y, enum style style,
	const char *escaped)
{
	struct pen pen = pen_at(cells, clip, x, y, style);

	pen_plain(&pen, escaped);
	return pen.x - pen.from;
}

int cells_put_fit(struct cells *cells, struct rect clip, int x, int y, int w, enum style style,
	const char *text)
{
	struct str escaped = {0}, fit = {0};
	int room = w < clip.w - x ? w : clip.w - x;
	int columns;

	if (room <= 0)
		return 0;
	escape_head(&escaped, text, cells->utf8);
	escape_fit(&fit, str_text(&escaped), (size_t)room);
	columns = put_escaped(cells, clip, x, y, style, str_text(&fit));
	str_release(&fit);
	str_release(&escaped);
	return columns;
}

/* Returns the bytes of the words that fit; 0: not even the first. */
static size_t whole_words(const char *escaped, size_t room)
{
	size_t columns = 0, at = 0, end = 0;

	for (size_t size; columns <= room; at += size) {
		int32_t code = escape_decode(escaped + at, &size);

		if (!escaped[at] || escaped[at] == ' ' || !strncmp(escaped + at, ", ", 2))
			end = at;
		if (!escaped[at])
			break;
		columns += escape_columns(code);
	}
	return end && escaped[end] && escaped[end - 1] == ',' ? end - 1 : end;
}

int cells_words_columns(const char *text, int w, bool utf8)
{
	struct str escaped = {0};
	size_t room = w > 0 ? (size_t)w : 0, whole, columns;

	escape_head(&escaped, text, utf8);
	whole = whole_words(str_text(&escaped), room);
	if (whole || !escaped.len) {
		str_cut(&escaped, whole);
		columns = escape_width(str_text(&escaped));
	} else {
		columns = escape_width(str_text(&escaped));
		columns = columns < room ? columns : room;
	}
	str_release(&escaped);
	return (int)columns;
}

int cells_put_words(struct cells *cells, struct rect clip, int x, int y, int w, enum style style,
	const char *text)
{
	struct str escaped = {0};
	int room = w < clip.w - x ? w : clip.w - x;
	size_t whole;
	int columns;

	if (room <= 0)
		return 0;
	escape_head(&escaped, text, cells->utf8);
	whole = whole_words(str_text(&escaped), (size_t)room);
	if (!whole && escaped.len) {
		columns = cells_put_fit(cells, clip, x, y, room, style, text);
	} else {
		str_cut(&escaped, whole);
		columns = put_escaped(cells, clip, x, y, style, str_text(&escaped));
	}
	str_release(&escaped);
	return columns;
}

/* Returns the end of an escaped text that takes at most w columns. */
static const char *tail(const char *escaped, size_t w)
{
	size_t width = escape_width(escaped);

	while (*escaped) {
		size_t size;
		unsigned columns = escape_columns(escape_decode(escaped, &size));

		if (width <= w && columns > 0)
			break;
		width -= columns;
		escaped += size;
	}
	return escaped;
}

/*
 * Returns the last bytes of a text too long to be looked at, from the beginning of a character on.
 */
static const char *far_end(const char *text)
{
	size_t len = strlen(text);

	if (len <= FAR)
		return text;
	for (text += len - FAR; (*text & 0xc0) == 0x80; text++)
		continue;
	return text;
}

int cells_put_middle(struct cells *cells, struct rect clip, int x, int y, int w, enum style style,
	const char *text)
{
	struct str head = {0}, end = {0}, cut = {0};
	int room = w < clip.w - x ? w : clip.w - x;
	int columns;

	if (room <= 0)
		return 0;
	escape_head(&head, text, cells->utf8);
	if (room < 8 || (strlen(text) <= FAR && escape_width(str_text(&head)) <= (size_t)room)) {
		escape_fit(&cut, str_text(&head), (size_t)room);
	} else {
		size_t left = (size_t)(room - 3 + 1) / 2;

		escape_text(&end, far_end(text), cells->utf8);
		/* Its own dots are the ones in the middle. */
		escape_fit(&cut, str_text(&head), left + 3);
		str_add(&cut, tail(str_text(&end), (size_t)room - left - 3));
	}
	columns = put_escaped(cells, clip, x, y, style, str_text(&cut));
	str_release(&head);
	str_release(&end);
	str_release(&cut);
	return columns;
}

int cells_printf(struct cells *cells, struct rect clip, int x, int y, enum style style,
	const char *format, ...)
{
	struct str text = {0};
	va_list args;
	int columns;

	va_start(args, format);
	str_vprintf(&text, format, args);
	va_end(args);
	columns = cells_put(cells, clip, x, y, style, str_text(&text));
	str_release(&text);
	return columns;
}

void cells_glyph(struct cells *cells, struct rect clip, int x, int y, enum style style,
	enum glyph glyph)
{
	struct pen pen = pen_at(cells, clip, x, y, style);

	pen_plain(&pen, glyph_text(glyph, cells->utf8));
}

void cells_fill(struct cells *cells, struct rect area, enum style style, char c)
{
	struct rect seen = rect_clip(area, whole(cells));

	if (c < ' ' || c > '~')
		c = ' ';
	for (int y = seen.y; y < seen.y + seen.h; y++)
		for (int x = seen.x; x < seen.x + seen.w; x++)
			set(cells, x, y, style, &c, 1);
}

void cells_reverse(struct cells *cells, struct rect area)
{
	struct rect seen = rect_clip(area, whole(cells));

	for (int y = seen.y; y < seen.y + seen.h; y++)
		for (int x = seen.x; x < seen.x + seen.w; x++) {
			struct cell *cell = &cells->at[y * cells->w + x];

			cell->reverse = !cell->reverse;
		}
}

void cells_text(const struct cells *cells, struct str *into)
{
	for (int y = 0; y < cells->h; y++) {
		const struct cell *row = &cells->at[y * cells->w];
		int end = cells->w;

		while (end > 0 && !strcmp(row[end - 1].text, " "))
			end--;
		for (int x = 0; x < end; x++)
			str_add(into, row[x].text);
		str_add_char(into, '\n');
	}
}
