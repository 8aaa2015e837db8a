/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The legend names what is on the screen and nothing else, the worst first. Where it does not all
 * fit, the count of rows goes before any sign does, unless it says that something is not drawn;
 * then what is left out is left out whole, from the end.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "viewer/state/state-private.h"
#include "viewer/timeline/timeline.h"
#include "words/escape.h"

#define SIGNS (TRACK_STATES + TIMELINE_PHASES + TRACK_MARKS + 4)
#define APART 2 /* columns between two signs, where there is room */

/* A sign, and what it is called. */
struct sign {
	enum style style;
	const char *sign;
	const char *name; /* that of a phase is from outside */
	int columns;
};

/* The legend while it is made. */
struct legend {
	const struct screen *screen;
	struct sign signs[SIGNS];
	size_t n;
	char letters[TIMELINE_PHASES][2];
	char scales[2 * CLOCK_TEXT_SIZE + 16];
};

/* -- What it names ---------------------------------------------------------------------------- */

/* Adds a sign. */
static void add(struct legend *legend, enum style style, const char *sign, const char *name)
{
	struct str text = {0};

	escape_text(&text, name, legend->screen->cells->utf8);
	legend->signs[legend->n++] =
		(struct sign){style, sign, name, 2 + (int)escape_width(str_text(&text))};
	str_release(&text);
}

/* Adds one of our own signs. */
static void add_glyph(struct legend *legend, enum style style, enum glyph glyph, const char *name)
{
	add(legend, style, glyph_text(glyph, legend->screen->cells->utf8), name);
}

/* Adds the letters of phases that are on the screen. */
static void add_phases(struct legend *legend, const struct timeline_shown *shown)
{
	const struct tracks *tracks = legend->screen->state->tracks;

	for (size_t i = 0; i < shown->nphases; i++) {
		legend->letters[i][0] = shown->letters[i];
		if (shown->phases[i])
			add(legend, (enum style)(STYLE_STATE + (int)TRACK_COMPILE),
				legend->letters[i], tracks->phases[i]);
	}
}

/*
 * Adds the sign of what is lost, of a time unknown: the row has a sign, what is of no rank has
 * none; the receipt says what.
 */
static void add_lost(struct legend *legend, const struct timeline_shown *shown)
{
	if (shown->lost || legend->screen->state->tracks->loses)
		add_glyph(legend, (enum style)(STYLE_STATE + (int)TRACK_LOST),
			(enum glyph)(GLYPH_STATE + (int)TRACK_LOST), help_signs[HELP_LOST].left);
}

/* Adds what a column is before the break and behind it. */
static void add_break(struct legend *legend)
{
	struct axis axis = state_axis(legend->screen->state);
	char before[CLOCK_TEXT_SIZE], behind[CLOCK_TEXT_SIZE];

	snprintf(legend->scales, sizeof(legend->scales), "%s | %s/column",
		clock_format((int64_t)axis_step(&axis, 0), before),
		clock_format((int64_t)axis_step(&axis, axis.width), behind));
	add_glyph(legend, STYLE_STRONG, GLYPH_BREAK, legend->scales);
}

/*
 * True if there are dumps of a rank, and nothing better: they say when an op was launched, and no
 * more.
 */
static bool has_dumps(const struct job *job)
{
	job_for_each_rank(job, rank)
		if ((job_rank(job, rank)->knows & JOB_KNOWS_DUMP) &&
			!(job_rank(job, rank)->knows & JOB_KNOWS_RING))
			return true;
	return false;
}

/* Returns what a state is called here. */
static const char *name_of(const struct legend *legend, int state)
{
	if (state == TRACK_NODATA && has_dumps(legend->screen->state->scene.job))
		return "not in a dump: it has entries, no returns";
	return track_state_name((enum track_state)state);
}

/* Adds all that has been shown. */
static void add_all(struct legend *legend, const struct timeline_shown *shown)
{
	if (shown->marks[TRACK_MARK_EXCEPTION])
		add_glyph(legend, STYLE_ALARM, GLYPH_EXCEPTION, help_signs[HELP_EXCEPTION].left);
	if (shown->marks[TRACK_MARK_KILL])
		add_glyph(legend, STYLE_ALARM, GLYPH_KILL, help_signs[HELP_KILL].left);
	if (shown->marks[TRACK_MARK_RECOMPILE])
		add_glyph(legend, STYLE_STRONG, GLYPH_RECOMPILE, help_signs[HELP_RECOMPILE].left);
	for (int i = TRACK_STATES - 1; i >= 0; i--) {
		if (i == TRACK_COMPILE)
			add_phases(legend, shown);
		if (shown->states[i])
			add_glyph(legend, (enum style)(STYLE_STATE + i),
				(enum glyph)(GLYPH_STATE + i),
				name_of(legend, i));
		else if (i == TRACK_LOST)
			add_lost(legend, shown);
	}
	if (shown->broken)
		add_break(legend);
	if (shown->marks[TRACK_MARK_ENTERED])
		add_glyph(legend, STYLE_PLAIN, GLYPH_ENTERED,
			help_signs[shown->entries_left_out ? HELP_ENTERED_FIRST : HELP_ENTERED]
				.left);
	if (shown->marks[TRACK_MARK_STEP])
		add_glyph(legend, STYLE_STRONG, GLYPH_STEP,
			help_signs[shown->steps_left_out ? HELP_STEP_ENDS : HELP_STEP].left);
	if (shown->marks[TRACK_MARK_LOG])
		add_glyph(legend, STYLE_STRONG, GLYPH_LOG, help_signs[HELP_LOG].left);
	if (shown->marks[TRACK_MARK_FORK])
		add_glyph(legend, STYLE_STRONG, GLYPH_FORK, help_signs[HELP_FORK].left);
	if (shown->open)
		add_glyph(legend, STYLE_PLAIN, GLYPH_OPEN, help_signs[HELP_OPEN].left);
	if (shown->blamed)
		add_glyph(legend, STYLE_ALARM, GLYPH_BLAME, help_signs[HELP_BLAMED].left);
}

/* -- How it fits ------------------------------------------------------------------------------ */

/* Appends "12 of 1024 rows"; false: it says no more than one sees. */
static bool count_rows(const struct state *state, struct str *into)
{
	const struct rows *rows = state->rows;
	size_t room = state->layout.rows.h > 0 ? (size_t)state->layout.rows.h : 0;

	str_printf(into, "%zu of %zu rows", rows->n < room ? rows->n : room, rows->n);
	if (rows->ranks > rows->n)
		str_printf(into, ", %zu ranks", rows->ranks);
	if (rows->hidden)
		str_printf(into, ", %zu hidden by &", rows->hidden);
	return rows->n > room || rows->ranks > rows->n || rows->hidden;
}

/* Returns how many columns all signs take. */
static int columns_of(const struct legend *legend, int apart)
{
	int columns = 0;

	for (size_t i = 0; i < legend->n; i++)
		columns += legend->signs[i].columns + (i ? apart : 0);
	return columns;
}

/* Draws the signs that fit before a column. */
static void draw_signs(const struct legend *legend, int end)
{
	const struct screen *screen = legend->screen;
	int apart = columns_of(legend, APART) + 1 <= end ? APART : 1, x = 1;

	for (size_t i = 0; i < legend->n; i++) {
		const struct sign *sign = &legend->signs[i];

		if (x + sign->columns > end)
			continue;
		cells_put(screen->cells, screen->layout.legend, x, 0, sign->style, sign->sign);
		cells_put(screen->cells, screen->layout.legend, x + 2, 0, STYLE_FAINT, sign->name);
		x += sign->columns + apart;
	}
}

void draw_legend(const struct screen *screen, const struct timeline_shown *shown)
{
	struct legend legend = {.screen = screen};
	struct rect area = screen->layout.legend;
	struct str count = {0};
	bool telling = count_rows(screen->state, &count);
	int end = area.w - (int)count.len - 2;

	add_all(&legend, shown);
	if (telling || columns_of(&legend, 1) + 1 <= end)
		cells_put(screen->cells, area, end > 0 ? end + 1 : 0, 0, STYLE_PLAIN,
			str_text(&count));
	else
		end = area.w;
	draw_signs(&legend, end);
	str_release(&count);
}
