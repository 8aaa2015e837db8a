/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows: who, what over time, what now; and the legend, which names what is on the screen and
 * nothing else.
 *
 * A cell is one bin of the row's pyramid. In ASCII states are letters, and the phases of compiles
 * have letters of their own, the first of their name that is free; with block characters a phase
 * has its name written into it where there is room.
 */
#include "viewer/draw.h"

#include <inttypes.h>
#include <string.h>

#include "viewer/state-private.h"
#include "words/escape.h"

#define PHASES	   16
#define PHASE_NAME 14 /* columns of one in the legend */

struct phases {
	char letter[PHASES];
	bool seen[PHASES];
	size_t n;
};

/* What the rows have shown. */
struct shown {
	bool states[TRACK_STATES];
	bool entered, open, rank;
	struct phases phases;
};

struct row_of_cells {
	const struct screen *screen;
	struct shown *shown;
	size_t row;
	int x, y; /* of the first cell */
	bool was_entered;
	int run_phase, run_from; /* of a compile that goes on; -1: none does */
};

/* -- Phases ----------------------------------------------------------------------------------- */

/* Letters that mean something else: of states, of entries. */
static bool is_taken(const struct phases *phases, char c)
{
	return strchr("iuk?wxX", c) || memchr(phases->letter, c, phases->n);
}

static char letter_for(const struct phases *phases, const char *name)
{
	for (const char *at = name; *at; at++)
		if (*at >= 'a' && *at <= 'z' && !is_taken(phases, *at))
			return *at;
	for (char c = 'A'; c <= 'Z'; c++)
		if (!is_taken(phases, c))
			return c;
	return 'c';
}

static void name_phases(struct phases *phases, const struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->nphases && phases->n < PHASES; i++) {
		char letter = letter_for(phases, tracks->phases[i]);

		phases->letter[phases->n++] = letter;
	}
}

/* Which phase a span is of: its name is the phase's, perhaps with an id; -1 none. */
static int phase_of(const struct tracks *tracks, size_t n, const struct track_span *span)
{
	for (size_t i = 0; span && i < n; i++) {
		size_t length = strlen(tracks->phases[i]);

		if (!strncmp(span->name, tracks->phases[i], length) &&
			(!span->name[length] || span->name[length] == ' '))
			return (int)i;
	}
	return -1;
}

/* -- Cells ------------------------------------------------------------------------------------ */

static enum style style_of(enum track_state state)
{
	return (enum style)(STYLE_STATE + (int)state);
}

/* The name of a phase goes into the cells that it has, if there is room and nothing else in it. */
static void end_run(struct row_of_cells *row, int column)
{
	const struct screen *screen = row->screen;
	int phase = row->run_phase, from = row->run_from;
	struct str name = {0};

	row->run_phase = -1;
	if (phase < 0 || !screen->cells->utf8)
		return;
	escape_text(&name, screen->state->tracks->phases[phase], true);
	if ((int)escape_width(str_text(&name)) + 2 <= column - from)
		cells_put(screen->cells, screen->layout.rows, row->x + from + 1, row->y,
			STYLE_PLAIN, screen->state->tracks->phases[phase]);
	str_release(&name);
}

static void draw_compile(struct row_of_cells *row, int column, const struct bin *bin)
{
	const struct screen *screen = row->screen;
	struct phases *phases = &row->shown->phases;
	int phase = phase_of(screen->state->tracks, phases->n, bin->span);
	char letter[2] = "";

	if (phase != row->run_phase || phase < 0) {
		end_run(row, column);
		row->run_phase = phase;
		row->run_from = column;
	}
	if (phase < 0 || screen->cells->utf8) {
		row->shown->states[TRACK_COMPILE] = true;
		cells_glyph(screen->cells, screen->layout.rows, row->x + column, row->y,
			style_of(TRACK_COMPILE), GLYPH_STATE + (int)TRACK_COMPILE);
		return;
	}
	phases->seen[phase] = true;
	letter[0] = phases->letter[phase];
	cells_put(screen->cells, screen->layout.rows, row->x + column, row->y,
		style_of(TRACK_COMPILE), letter);
}

/* An entry is drawn where it is apart from the one before: many in a row are one. */
static void draw_cell(struct row_of_cells *row, int column, const struct bin *bin)
{
	const struct screen *screen = row->screen;
	bool entered = bin->entered && bin->state < TRACK_LOST && !row->was_entered;

	row->was_entered = bin->entered;
	if (bin->state == TRACK_COMPILE && !entered) {
		draw_compile(row, column, bin);
		return;
	}
	end_run(row, column);
	if (entered)
		row->shown->entered = true;
	else
		row->shown->states[bin->state] = true;
	cells_glyph(screen->cells, screen->layout.rows, row->x + column, row->y,
		style_of(bin->state),
		entered ? GLYPH_ENTERED : (enum glyph)(GLYPH_STATE + (int)bin->state));
}

static void draw_cells(struct row_of_cells *row)
{
	struct state *state = row->screen->state;

	for (int column = 0; column < state->cells_w; column++) {
		int64_t from = window_at(state->window, state->cells_w, column);
		int64_t to = window_at(state->window, state->cells_w, column + 1);
		struct bin bin;

		/* What happens at the very end of the evidence is in the last column. */
		if (to <= from || (column + 1 == state->cells_w && to == state->bounds.to))
			to = window_later(to, 1);
		bin = folds_bin(state->folds, row->row, from, to);
		draw_cell(row, column, &bin);
	}
	end_run(row, state->cells_w);
}

/* -- A row ------------------------------------------------------------------------------------ */

static bool row_is_hit(struct state *state, const struct row *row)
{
	for (size_t i = 0; i < row->n; i++)
		if (state_search_is_hit(state, row->ranks[i]))
			return true;
	return false;
}

static void draw_label(const struct screen *screen, const struct row *row, bool chosen, int y)
{
	struct state *state = screen->state;
	enum style style = row->culprit ? STYLE_ALARM : STYLE_PLAIN;
	struct rect clip = screen->layout.rows;

	if (row_is_hit(state, row))
		style = STYLE_MATCH;
	if (chosen)
		cells_glyph(screen->cells, clip, 0, y, STYLE_STRONG, GLYPH_CURSOR);
	else if (row->tagged)
		cells_glyph(screen->cells, clip, 0, y, STYLE_STRONG, GLYPH_MARK);
	cells_put_middle(screen->cells, clip, 1 + row->depth, y,
		state->label_w - 2 - row->depth, style, row->label);
}

/* What the row does now, behind the sign that it goes on. */
static void draw_doing(const struct screen *screen, struct shown *shown, size_t row, int y)
{
	struct state *state = screen->state;
	const struct track *track = &state->tracks->at[folds_worst(state->folds, row)];
	int x = state->label_w + state->cells_w;
	bool at_end = state->window.to >= state->bounds.to;
	const struct track_span *last =
		track->nspans ? &track->spans[track->nspans - 1] : NULL;

	if (state->doing_w < 1)
		return;
	if (!at_end) {
		cells_glyph(screen->cells, screen->layout.rows, x, y, STYLE_FAINT,
			GLYPH_MORE_RIGHT);
	} else if (last && last->open && last->state != TRACK_DEAD) {
		shown->open = true;
		cells_glyph(screen->cells, screen->layout.rows, x, y, style_of(track->now),
			GLYPH_OPEN);
	}
	cells_put_fit(screen->cells, screen->layout.rows, x + 2, y, state->doing_w - 2,
		style_of(track->now), track->doing);
}

static void draw_cursor(const struct screen *screen, int line)
{
	const struct state *state = screen->state;
	int column = window_column(state->window, state->cells_w, state->when);
	struct rect rows = screen->layout.rows;

	if (column < 0)
		return;
	if (column >= state->cells_w)
		column = state->cells_w - 1;
	cells_reverse(screen->cells,
		rect_clip((struct rect){rows.x + state->label_w + column, rows.y + line, 1, 1},
			rows));
}

static void draw_row(const struct screen *screen, struct shown *shown, int line)
{
	struct state *state = screen->state;
	ptrdiff_t row = state_row_at(state, line);
	struct row_of_cells cells = {.screen = screen,
		.shown = shown,
		.row = (size_t)row,
		.x = state->label_w,
		.y = line,
		.run_phase = -1};

	if (row < 0)
		return;
	draw_cells(&cells);
	draw_label(screen, &state->rows->at[row], row == state->row, line);
	draw_doing(screen, shown, (size_t)row, line);
	if (row == state->row)
		draw_cursor(screen, line);
}

/* -- Legend ----------------------------------------------------------------------------------- */

struct legend {
	const struct screen *screen;
	int x, end;
};

/* A sign and its name, if both fit. */
static void add_sign(struct legend *legend, enum style style, const char *sign, const char *name)
{
	const struct screen *screen = legend->screen;
	struct str text = {0};
	int width;

	escape_text(&text, name, screen->cells->utf8);
	width = (int)escape_width(str_text(&text));
	width = width < PHASE_NAME ? width : PHASE_NAME;
	if (legend->x + width + 2 <= legend->end) {
		cells_put(screen->cells, screen->layout.legend, legend->x, 0, style, sign);
		cells_put_fit(screen->cells, screen->layout.legend, legend->x + 2, 0, width,
			STYLE_FAINT, name);
		legend->x += width + 4;
	}
	str_release(&text);
}

static void count_rows(const struct state *state, struct str *into)
{
	const struct rows *rows = state->rows;
	size_t room = state->layout.rows.h > 0 ? (size_t)state->layout.rows.h : 0;

	str_printf(into, "%zu of %zu rows", rows->n < room ? rows->n : room, rows->n);
	if (rows->ranks > rows->n)
		str_printf(into, ", %zu ranks", rows->ranks);
	if (rows->hidden)
		str_printf(into, ", %zu hidden by &", rows->hidden);
}

static void draw_legend(const struct screen *screen, const struct shown *shown)
{
	const struct state *state = screen->state;
	bool utf8 = screen->cells->utf8;
	struct legend legend = {screen, 1, screen->layout.legend.w};
	struct str count = {0};
	int width;

	count_rows(state, &count);
	width = (int)count.len;
	legend.end -= width + 2;
	cells_put(screen->cells, screen->layout.legend,
		legend.end > 0 ? screen->layout.legend.w - width - 1 : 0, 0, STYLE_PLAIN,
		str_text(&count));
	str_release(&count);
	for (int i = TRACK_STATES - 1; i >= 0; i--) {
		if (i == TRACK_COMPILE)
			for (size_t j = 0; j < shown->phases.n; j++)
				if (shown->phases.seen[j])
					add_sign(&legend, style_of(TRACK_COMPILE),
						(char[2]){shown->phases.letter[j]},
						state->tracks->phases[j]);
		if (shown->states[i])
			add_sign(&legend, style_of((enum track_state)i),
				glyph_text((enum glyph)(GLYPH_STATE + i), utf8),
				track_state_name((enum track_state)i));
	}
	if (shown->entered)
		add_sign(&legend, STYLE_PLAIN, glyph_text(GLYPH_ENTERED, utf8), "entered");
	if (shown->open)
		add_sign(&legend, STYLE_PLAIN, glyph_text(GLYPH_OPEN, utf8), "open");
}

void draw_timeline(const struct screen *screen)
{
	struct shown shown = {0};

	name_phases(&shown.phases, screen->state->tracks);
	for (int line = 0; line < screen->layout.rows.h; line++)
		draw_row(screen, &shown, line);
	if (!screen->state->rows->n)
		cells_put(screen->cells, screen->layout.rows, 1, 0, STYLE_FAINT,
			"no rank is shown: the filter hides all");
	draw_legend(screen, &shown);
}
