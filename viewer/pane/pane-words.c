/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/pane/pane-words.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "words/breaks.h"
#include "words/escape.h"
#include "words/rank-names.h"

#define LEAST_ROOM 8   /* columns that words get at least, however narrow the pane */
#define AROUND	   100 /* items before and behind the user's, of a pane of very many */

struct pane_words pane_words_of(const char *key)
{
	struct pane_words words = {.column = PANE_COLUMN, .cite = "", .goal = PANE_NOWHERE};

	str_printf(&words.key, " %s", key);
	return words;
}

struct pane_words pane_words_of_ranks(const struct job *job, struct verdict_ranks ranks)
{
	struct pane_words words = pane_words_of("");

	ranks_fit(&words.key, job, ranks, PANE_RANKS);
	return words;
}

/* Fills a line with blanks up to a column. */
static void pad(struct str *line, size_t column)
{
	for (size_t at = escape_width(str_text(line)); at < column; at++)
		str_add_char(line, ' ');
}

/* Adds one line of the words. */
static struct pane_line *add(const struct pane_fill *fill, const struct pane_words *words,
	const char *text)
{
	struct pane_line *line = pane_add(fill->into, STYLE_PLAIN, "%s", text);

	line->rank = words->goal.rank;
	line->when = words->goal.when;
	line->item = words->item ? words->item - 1 : PANE_NO_ITEM;
	return line;
}

/*
 * Returns how many columns are gone from a line's text where so many stand at its right edge (0:
 * nothing). As draw-pane.c has it: a blank at the edge, and two before what stands there.
 */
static size_t pane_right(const struct pane_fill *fill, size_t columns)
{
	size_t most = fill->place->width > 0 ? (size_t)fill->place->width / PANE_RIGHT : 0;

	return columns && most ? (columns < most ? columns : most) + 3 : 1;
}

size_t pane_room(const struct pane_fill *fill, size_t taken)
{
	size_t width = fill->place->width > 0 ? (size_t)fill->place->width : 0;

	return width > taken + LEAST_ROOM ? width - taken : LEAST_ROOM;
}

size_t pane_words_add(const struct pane_fill *fill, struct pane_words *words)
{
	struct str safe = {0}, cite = {0}, line = {0};
	size_t first = fill->into->all.nr, at = 0, taken, key, n = 0;

	escape_text(&safe, str_text(&words->words), true);
	if (words->cite)
		escape_text(&cite, words->cite, true);
	taken = escape_width(str_text(&cite));
	taken = pane_right(fill, taken);
	escape_text(&line, str_text(&words->key), true);
	key = line.len;
	do {
		size_t room, part;

		if (!n && key && escape_width(str_text(&line)) >= words->column)
			str_add_char(&line, ' ');
		pad(&line, n ? words->column + 1 : words->column);
		room = pane_room(fill, escape_width(str_text(&line)) + taken);
		part = breaks_at(str_text(&safe) + at, room);
		if (n + 1 == words->most)
			breaks_fit(&line, str_text(&safe) + at, room);
		else
			str_add_bytes(&line, str_text(&safe) + at, part);
		add(fill, words, str_text(&line));
		at += part;
		at += str_text(&safe)[at] == ' ';
		str_cut(&line, 0);
		taken = pane_right(fill, 0);
	} while (++n != words->most && str_text(&safe)[at]);
	fill->into->all.items[first].right = arena_text(&fill->into->arena, str_text(&cite));
	fill->into->all.items[first].style = words->style;
	fill->into->all.items[first].strong = words->style == STYLE_PLAIN ? 0 : key;
	str_release(&safe);
	str_release(&cite);
	str_release(&line);
	str_release(&words->key);
	str_release(&words->words);
	return first;
}

struct verdict_ranks pane_row_ranks(const struct pane_fill *fill)
{
	const struct rows *rows = fill->scene->rows;
	ptrdiff_t row = fill->place->row;

	if (rows && row >= 0 && (size_t)row < rows->n)
		return (struct verdict_ranks){rows->at[row].ranks, rows->at[row].n};
	if (is_rank(fill->place->rank) && (size_t)fill->place->rank.i < fill->scene->job->nranks)
		return (struct verdict_ranks){&fill->place->rank, 1};
	return (struct verdict_ranks){NULL, 0};
}

/* -- panes of very many ------------------------------------------------------------------------ */

void pane_window(struct pane_lines *into, const struct pane_place *place, size_t items, size_t here)
{
	size_t at = place->seek || place->item >= items ? here : place->item;
	size_t around = place->height > AROUND / 2 ? 2 * (size_t)place->height : AROUND;

	into->items = items;
	at = at < items ? at : 0;
	into->from = at > around ? at - around : 0;
	into->to = items - at > around ? at + around : items;
}

size_t pane_find_item(size_t n, size_t from, bool back, bool (*is_it)(void *context, size_t item),
	void *context)
{
	/* Back from 0 wraps round to SIZE_MAX, which is no item. */
	for (size_t i = from; i < n; i += back ? SIZE_MAX : 1)
		if (is_it(context, i))
			return i;
	return PANE_NO_ITEM;
}

/* -- times ------------------------------------------------------------------------------------- */

void pane_add_since(struct str *into, const struct scene *scene, int64_t when)
{
	int64_t ms = (int64_t)(((uint64_t)when - (uint64_t)scene->tracks->from) / CLOCK_NS_PER_MS);
	int64_t s = ms / 1000;

	if (when == JOB_UNKNOWN || when < scene->tracks->from)
		str_add(into, when == JOB_UNKNOWN ? "+?" : "before");
	else if (s < 3600)
		str_printf(into, "+%d:%02d.%03d", (int)(s / 60), (int)(s % 60), (int)(ms % 1000));
	else
		str_printf(into, "+%" PRId64 ":%02d:%02d.%03d", s / 3600, (int)(s / 60 % 60),
			(int)(s % 60), (int)(ms % 1000));
}

/* Appends a time in UTC: the nodes of a job may be anywhere. */
static void add_time(struct str *into, bool date, int64_t when)
{
	time_t seconds = when / CLOCK_NS_PER_S;
	struct tm tm;

	if (when == JOB_UNKNOWN || when < 0 || !gmtime_r(&seconds, &tm)) {
		str_add(into, "unknown");
		return;
	}
	if (date)
		str_printf(into, "%d-%02d-%02d ", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	str_printf(into, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
		(int)(when % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
}

void pane_add_date(struct str *into, int64_t when)
{
	add_time(into, true, when);
}

void pane_add_clock(struct str *into, int64_t when)
{
	add_time(into, false, when);
}
