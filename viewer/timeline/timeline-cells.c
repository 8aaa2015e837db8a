/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cells of one row, each a bin of the row's pyramid: what goes on, and over it what happened.
 *
 * In ASCII states are letters, and the phases of compiles have letters of their own, the first of
 * their name that is free; with block characters a phase has its name written into it where there
 * is room.
 *
 * A mark hides what it stands on. So where a death or a wait has this one cell and no other, the
 * mark stands beside it, and that of an entry is left out; of entries in neighbouring cells the
 * first is drawn; and of steps in more than every eighth cell the first and the last in sight,
 * which say what one asks steps for: when it began to make them, and when it made its last. Of
 * children, lines, recompiles and kills in neighbouring cells the first is drawn; an exception
 * always.
 */
#include <assert.h>
#include <string.h>

#include "viewer/state/state-private.h"
#include "viewer/timeline/folds.h"
#include "viewer/timeline/timeline.h"
#include "words/escape.h"

/* Each mark has a glyph, in one order: draw_mark(). */
static_assert((int)GLYPH_EXCEPTION - (int)GLYPH_ENTERED == (int)TRACK_MARK_EXCEPTION &&
		      (int)TRACK_MARK_EXCEPTION + 1 == (int)TRACK_MARKS,
	"each mark has a glyph");
static_assert((int)GLYPH_KILL - (int)GLYPH_ENTERED == (int)TRACK_MARK_KILL, "of a kill");
static_assert((int)GLYPH_STEP - (int)GLYPH_ENTERED == (int)TRACK_MARK_STEP, "of a step");

#define STEPS_APART 8 /* cells for each step, on average, where all are drawn */

/* A row while it is drawn. */
struct cells_of_row {
	const struct screen *screen;
	struct timeline_shown *shown;
	int x, y; /* of the first cell */
	int w;
	int split; /* the column of the break, of which nothing is to be shown; -1 */
	struct bin bins[CELLS_W];
	int8_t marks[CELLS_W]; /* enum track_mark, -1 none */
	int run_phase, run_from; /* of a compile that goes on; -1: none does */
};

/* -- Phases ----------------------------------------------------------------------------------- */

/* True for letters that mean something else: of states, of marks. */
static bool is_taken(const struct timeline_shown *shown, char c)
{
	return strchr("iukgb?wxXEFLRK", c) || memchr(shown->letters, c, shown->nphases);
}

/* Returns a letter for a phase: of its name, else a capital one. */
static char letter_for(const struct timeline_shown *shown, const char *name)
{
	for (const char *at = name; *at; at++)
		if (*at >= 'a' && *at <= 'z' && !is_taken(shown, *at))
			return *at;
	for (char c = 'A'; c <= 'Z'; c++)
		if (!is_taken(shown, c))
			return c;
	return 'c';
}

void timeline_name_phases(struct timeline_shown *shown, const struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->nphases && shown->nphases < TIMELINE_PHASES; i++) {
		char letter = letter_for(shown, tracks->phases[i]);

		shown->letters[shown->nphases++] = letter;
	}
}

/* Returns which phase a span is of: its name is the phase's, perhaps with an id; -1 none. */
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

/*
 * Ends a run of one phase. Its name goes into the cells that it has, if there is room and nothing
 * else in it.
 */
static void end_run(struct cells_of_row *row, int column)
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

/* -- Marks ------------------------------------------------------------------------------------ */

/* True if what goes on in this cell is seen in a cell beside it as well, or may be hidden. */
static bool may_hide(const struct cells_of_row *row, int column)
{
	enum track_state state = row->bins[column].state;

	if (column == row->split)
		return false;
	return state < TRACK_WAITING || (column && row->bins[column - 1].state == state) ||
	       (column + 1 < row->w && row->bins[column + 1].state == state);
}

/* Puts a mark in its cell; else in the next one before or behind it where it hides nothing. */
static void put_mark(struct cells_of_row *row, int column, enum track_mark mark)
{
	int at = column;

	if (!may_hide(row, column) && column && may_hide(row, column - 1))
		at = column - 1;
	else if (!may_hide(row, column) && column + 1 < row->w && may_hide(row, column + 1))
		at = column + 1;
	row->marks[at] = (int8_t)mark;
}

/* Marks an entry where it is apart from the one before: many in a row are one. */
static void mark_entries(struct cells_of_row *row)
{
	for (int i = 0; i < row->w; i++) {
		if (!row->bins[i].marks[TRACK_MARK_ENTERED])
			continue;
		if (!may_hide(row, i) || (i && row->bins[i - 1].marks[TRACK_MARK_ENTERED]))
			row->shown->entries_left_out = true;
		else
			row->marks[i] = TRACK_MARK_ENTERED;
	}
}

/* Marks all steps, or the first and the last in sight. */
static void mark_steps(struct cells_of_row *row)
{
	int n = 0, first = -1, last = -1;
	bool all;

	for (int i = 0; i < row->w; i++)
		if (row->bins[i].marks[TRACK_MARK_STEP]) {
			n++;
			first = first < 0 ? i : first;
			last = i;
		}
	all = n <= 2 || n <= row->w / STEPS_APART;
	for (int i = first; i >= 0 && i <= last; i++)
		if (row->bins[i].marks[TRACK_MARK_STEP] && (all || i == first || i == last))
			put_mark(row, i, TRACK_MARK_STEP);
	row->shown->steps_left_out |= !all;
}

/* Marks the first of those in neighbouring cells: three hundred workers are started at once. */
static void mark_firsts(struct cells_of_row *row, enum track_mark mark)
{
	for (int i = 0; i < row->w; i++)
		if (row->bins[i].marks[mark] && (!i || !row->bins[i - 1].marks[mark]))
			put_mark(row, i, mark);
}

/* Marks all, what matters most last: it stays. */
static void mark_all(struct cells_of_row *row)
{
	memset(row->marks, -1, sizeof(row->marks));
	mark_entries(row);
	mark_firsts(row, TRACK_MARK_FORK);
	mark_steps(row);
	mark_firsts(row, TRACK_MARK_LOG);
	mark_firsts(row, TRACK_MARK_RECOMPILE);
	mark_firsts(row, TRACK_MARK_KILL);
	for (int i = 0; i < row->w; i++)
		if (row->bins[i].marks[TRACK_MARK_EXCEPTION])
			put_mark(row, i, TRACK_MARK_EXCEPTION);
}

/* -- Cells ------------------------------------------------------------------------------------ */

/* Returns the style of a state. */
static enum style style_of(enum track_state state)
{
	return (enum style)(STYLE_STATE + (int)state);
}

/* Draws a cell of a compile. */
static void draw_compile(struct cells_of_row *row, int column)
{
	const struct screen *screen = row->screen;
	struct timeline_shown *shown = row->shown;
	int phase = phase_of(screen->state->tracks, shown->nphases, row->bins[column].span);
	char letter[2] = "";

	if (phase != row->run_phase || phase < 0) {
		end_run(row, column);
		row->run_phase = phase;
		row->run_from = column;
	}
	if (phase < 0 || screen->cells->utf8) {
		shown->states[TRACK_COMPILE] = true;
		cells_glyph(screen->cells, screen->layout.rows, row->x + column, row->y,
			style_of(TRACK_COMPILE), GLYPH_STATE + (int)TRACK_COMPILE);
		return;
	}
	shown->phases[phase] = true;
	letter[0] = shown->letters[phase];
	cells_put(screen->cells, screen->layout.rows, row->x + column, row->y,
		style_of(TRACK_COMPILE), letter);
}

/* Draws a mark. */
static void draw_mark(struct cells_of_row *row, int column, enum track_mark mark)
{
	enum style style = style_of(row->bins[column].state);

	if (mark != TRACK_MARK_ENTERED)
		style = mark >= TRACK_MARK_KILL ? STYLE_ALARM : STYLE_STRONG;
	row->shown->marks[mark] = true;
	cells_glyph(row->screen->cells, row->screen->layout.rows, row->x + column, row->y, style,
		(enum glyph)(GLYPH_ENTERED + (int)mark));
}

/* Draws a cell. */
static void draw_cell(struct cells_of_row *row, int column)
{
	const struct screen *screen = row->screen;
	enum track_state state = row->bins[column].state;

	if (row->marks[column] < 0 && state == TRACK_COMPILE) {
		draw_compile(row, column);
		return;
	}
	end_run(row, column);
	if (column == row->split) {
		row->shown->broken = true;
		cells_glyph(screen->cells, screen->layout.rows, row->x + column, row->y,
			STYLE_FAINT, GLYPH_BREAK);
		return;
	}
	if (row->marks[column] >= 0) {
		draw_mark(row, column, (enum track_mark)row->marks[column]);
		return;
	}
	if (state == TRACK_NODATA && row->bins[column].span &&
		row->bins[column].span->name == folds_elsewhere)
		return;
	row->shown->states[state] = true;
	cells_glyph(screen->cells, screen->layout.rows, row->x + column, row->y, style_of(state),
		(enum glyph)(GLYPH_STATE + (int)state));
}

/* What happens at the very end of the evidence is in the last column. */
int64_t timeline_cell_end(const struct state *state, int column, int64_t from, int64_t to)
{
	int w = state->cells_w < CELLS_W ? state->cells_w : CELLS_W;

	if (to <= from || (column + 1 == w && to == state->bounds.to))
		return window_later(to, 1);
	return to;
}

void timeline_draw_cells(
	const struct screen *screen, struct timeline_shown *shown, size_t row, int line)
{
	const struct state *state = screen->state;
	struct axis axis = state_axis(state);
	struct cells_of_row cells = {.screen = screen,
		.split = axis.split,
		.shown = shown,
		.x = state->label_w,
		.y = line,
		.w = state->cells_w < CELLS_W ? state->cells_w : CELLS_W,
		.run_phase = -1};

	for (int column = 0; column < cells.w; column++) {
		int64_t from = axis_at(&axis, column), to = axis_at(&axis, column + 1);

		if (column == axis.split)
			continue;
		to = timeline_cell_end(state, column, from, to);
		cells.bins[column] = folds_bin(state->folds, row, from, to);
	}
	mark_all(&cells);
	for (int column = 0; column < cells.w; column++)
		draw_cell(&cells, column);
	end_run(&cells, cells.w);
}
