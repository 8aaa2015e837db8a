/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: who, what over time, what now. */
#include "viewer/timeline/timeline.h"

#include <string.h>

#include "viewer/state/state-private.h"
#include "words/rank-names.h"

/* Returns the style of a state. */
static enum style style_of(enum track_state state)
{
	return (enum style)(STYLE_STATE + (int)state);
}

/* True if one of the row's ranks is what is searched for. */
static bool row_is_hit(struct state *state, const struct row *row)
{
	for (size_t i = 0; i < row->n; i++)
		if (state_search_is_hit(state, row->ranks[i]))
			return true;
	return false;
}

/* Only where there is room and the label is no count already: "1-63 (63)". */
void timeline_add_count(const struct state *state, const struct row *row, struct str *label, int w)
{
	struct str count = {0};

	if (row->n > 2 && state->rows->by == ROWS_BY_CLASS && !strchr(str_text(label), ' '))
		str_printf(&count, " (%zu)", row->n);
	if ((int)(label->len + count.len) <= w)
		str_add(label, str_text(&count));
	str_release(&count);
}

/*
 * Draws whom a row is about. A set of ranks that is longer than its room is counted: part of it
 * would be taken for all.
 */
static void draw_who(const struct screen *screen, const struct row *row, enum style style, int y)
{
	const struct state *state = screen->state;
	int x = 1 + row->depth, w = state->label_w - 1 - x;
	struct verdict_ranks ranks = {row->ranks, row->n};
	struct str text = {0};

	str_add(&text, row->label);
	if (row->n > 1 && state->rows->by == ROWS_BY_CLASS && (int)text.len > w) {
		str_cut(&text, 0);
		ranks_fit(&text, state->scene.job, ranks, w > 0 ? (size_t)w : 0);
	}
	timeline_add_count(state, row, &text, w);
	cells_put_middle(screen->cells, screen->layout.rows, x, y, w, style, str_text(&text));
	str_release(&text);
}

/*
 * Draws who; and between them and their cells, whom the verdict blames, and whether something of
 * them is lost at a time unknown. In the cells there is nothing of a verdict.
 */
static void draw_label(const struct screen *screen, struct timeline_shown *shown,
	const struct row *row, bool chosen, int y)
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
	draw_who(screen, row, style, y);
	if (row->culprit) {
		shown->blamed = true;
		cells_glyph(screen->cells, clip, state->label_w - 1, y, STYLE_ALARM, GLYPH_BLAME);
	}
	if (row->loses) {
		shown->lost = true;
		cells_glyph(screen->cells, clip, state->label_w - 1 - row->culprit, y,
			style_of(TRACK_LOST), (enum glyph)(GLYPH_STATE + (int)TRACK_LOST));
	}
}

/* Draws the time cursor on the chosen row. */
static void draw_cursor(const struct screen *screen, int line)
{
	const struct state *state = screen->state;
	struct axis axis = state_axis(state);
	int column = axis_column(&axis, state->when);
	struct rect rows = screen->layout.rows;

	if (column < 0)
		return;
	if (column >= state->cells_w)
		column = state->cells_w - 1;
	cells_reverse(screen->cells,
		rect_clip((struct rect){rows.x + state->label_w + column, rows.y + line, 1, 1},
			rows));
}

/* Draws a line of rows. */
static void draw_row(const struct screen *screen, struct timeline_shown *shown, int line)
{
	struct state *state = screen->state;
	ptrdiff_t row = state_row_at(state, line);

	if (row < 0)
		return;
	timeline_draw_cells(screen, shown, (size_t)row, line);
	draw_label(screen, shown, &state->rows->at[row], row == state->row, line);
	timeline_draw_end(screen, shown, &state->rows->at[row], line);
	if (row == state->row)
		draw_cursor(screen, line);
}

void draw_timeline(const struct screen *screen)
{
	struct timeline_shown shown = {0};

	timeline_name_phases(&shown, screen->state->tracks);
	for (int line = 0; line < screen->layout.rows.h; line++)
		draw_row(screen, &shown, line);
	if (!screen->state->rows->n)
		cells_put(screen->cells, screen->layout.rows, 1, 0, STYLE_FAINT,
			"no rank is shown: the filter hides all");
	timeline_draw_heads(screen);
	draw_legend(screen, &shown);
}
