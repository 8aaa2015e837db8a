/* SPDX-License-Identifier: Apache-2.0 */
/* Panes: tabs, lines with their cites at the right edge, the chosen one, and what is not seen. */
#include "viewer/draw.h"

#include <string.h>

#include "viewer/state/state-private.h"
#include "words/escape.h"

/* Draws the line that is above a pane. */
static void draw_rule(const struct screen *screen, struct rect area)
{
	for (int x = 0; x < area.w; x++)
		cells_glyph(screen->cells, area, x, 0, STYLE_BAR, GLYPH_RULE_H);
}

/* Draws the cursor's time, relative and real, at the end of the tabs. */
static void draw_when(const struct screen *screen, int from)
{
	const struct state *state = screen->state;
	struct rect area = screen->layout.tabs;
	struct axis axis = state_axis(state);
	uint64_t step = axis_step(&axis, axis_column(&axis, state->when));
	struct str text = {0};
	int x;

	str_add_char(&text, ' ');
	draw_relative(&text, window_between(state->bounds.from, state->when), step);
	if (area.w - from < 32) {
		str_add_char(&text, ' ');
		x = area.w - (int)text.len;
		if (x >= from)
			cells_put(screen->cells, area, x, 0, STYLE_FAINT, str_text(&text));
		str_release(&text);
		return;
	}
	str_add(&text, "  ");
	draw_real(&text, state->when, step);
	str_add(&text, " UTC ");
	x = area.w - (int)text.len - 1;
	if (x > from)
		cells_put(screen->cells, area, x, 0, STYLE_FAINT, str_text(&text));
	str_release(&text);
}

/* Finds the first and the last item of the lines from `top` on. */
static void count_items(const struct pane_lines *lines, size_t top, size_t seen, size_t *ret_first,
	size_t *ret_last)
{
	*ret_first = *ret_last = PANE_NO_ITEM;
	for (size_t i = top; i < top + seen; i++) {
		size_t item = lines->all.items[i].item;

		if (item == PANE_NO_ITEM)
			continue;
		*ret_first = *ret_first == PANE_NO_ITEM ? item : *ret_first;
		*ret_last = item;
	}
}

/*
 * Draws "3-10 of 25 lines" on the rule above a pane that has more; returns where it ends. Of a pane
 * of very many, of which not all are lines now, it is the items that are counted.
 */
static int draw_more(const struct screen *screen, struct rect rule, int x,
	const struct state_lines *of, size_t top, int h)
{
	const struct pane_lines *lines = &of->lines;
	size_t n = lines->all.nr, seen = n > top ? n - top : 0, first, last;
	struct str text = {0};

	if (h <= 0 || n <= (size_t)h)
		return x;
	seen = seen < (size_t)h ? seen : (size_t)h;
	count_items(lines, top, seen, &first, &last);
	if (lines->to - lines->from < lines->items && first != PANE_NO_ITEM)
		str_printf(&text, " %zu-%zu of %zu %s ", first + 1, last + 1, lines->items,
			panes[of->pane].items);
	else
		str_printf(&text, " %zu-%zu of %zu lines ", top + 1, top + seen, n);
	if (x + (int)text.len <= rule.w)
		x += cells_put(screen->cells, rule, x, 0, STYLE_BAR, str_text(&text));
	str_release(&text);
	return x;
}

/* Draws the tabs, and the cursor's time behind them. */
static void draw_tabs(const struct screen *screen)
{
	const struct state *state = screen->state;
	struct rect area = screen->layout.tabs;
	int x = 1;

	if (area.h < 1)
		return;
	draw_rule(screen, area);
	for (int i = 0; i < PANES; i++) {
		bool up = i == (int)state->pane && state_shows_pane(state);

		if (up)
			cells_put(screen->cells, area, x, 0, STYLE_TAB, "[");
		x += 1;
		x += cells_printf(screen->cells, area, x, 0, up ? STYLE_TAB : STYLE_BAR, "%d %s",
			i + 1, panes[i].name);
		if (up)
			cells_put(screen->cells, area, x, 0, STYLE_TAB, "]");
		x += 1;
	}
	if (state_shows_pane(state))
		x = draw_more(screen, area, x, &state->lines, state->line_top[state->pane],
			screen->layout.pane.h);
	draw_when(screen, x);
}

/* -- Lines ------------------------------------------------------------------------------------ */

/* Where lines are drawn. */
struct canvas {
	const struct screen *screen;
	struct rect area;
	const struct pane_lines *lines;
	const char *search; /* "" none */
};

/* Returns how many columns a text takes. */
static int columns_of(const struct canvas *canvas, const char *text)
{
	struct str safe = {0};
	int columns;

	escape_text(&safe, text, canvas->screen->cells->utf8);
	columns = (int)escape_width(str_text(&safe));
	str_release(&safe);
	return columns;
}

/* Draws the whole text in plain, then its strong beginning over it. */
static void draw_text(const struct canvas *canvas, const struct pane_line *line, int y, int w,
	enum style style)
{
	struct cells *cells = canvas->screen->cells;
	struct rect clip = canvas->area;
	struct str strong = {0};

	if (!line->strong || line->strong >= strlen(line->text)) {
		cells_put_fit(cells, clip, 0, y, w, style, line->text);
		return;
	}
	cells_put_fit(cells, clip, 0, y, w,
		style == STYLE_MATCH ? STYLE_MATCH : STYLE_PLAIN, line->text);
	str_add_bytes(&strong, line->text, line->strong);
	if (columns_of(canvas, str_text(&strong)) <= w)
		cells_put(cells, clip, 0, y, style, str_text(&strong));
	str_release(&strong);
}

/* Draws one line of a pane, with what stands at its right edge. */
static void draw_line(const struct canvas *canvas, size_t at, int y, bool chosen)
{
	const struct pane_line *line = &canvas->lines->all.items[at];
	struct cells *cells = canvas->screen->cells;
	struct rect clip = canvas->area;
	int right = columns_of(canvas, line->right), most = clip.w / 3, w = clip.w;
	enum style style = line->style;

	right = right < most ? right : most;
	if (right > 0) {
		w -= right + 2;
		cells_put_fit(cells, clip, clip.w - right - 1, y, right, STYLE_FAINT, line->right);
	}
	if (*canvas->search &&
		(strcasestr(line->text, canvas->search) || strcasestr(line->right, canvas->search)))
		style = STYLE_MATCH;
	draw_text(canvas, line, y, w > 1 ? w - 1 : 1, style);
	if (chosen)
		cells_reverse(cells, rect_clip((struct rect){clip.x, clip.y + y, clip.w, 1}, clip));
}

/* Draws lines from `top` on; `chosen` -1: none is. */
static void draw_lines(const struct canvas *canvas, size_t top, ptrdiff_t chosen)
{
	size_t n = canvas->lines->all.nr;

	for (int y = 0; y < canvas->area.h && top + (size_t)y < n; y++)
		draw_line(canvas, top + (size_t)y, y, chosen == (ptrdiff_t)(top + (size_t)y));
}

/* Draws what stands below the chosen pane, beside it, or below the legend. */
static void draw_aside(const struct screen *screen, const struct state_aside *aside)
{
	struct canvas canvas = {screen, aside->area, &aside->lines.lines, ""};
	struct rect heading = {canvas.area.x, canvas.area.y - 1, canvas.area.w, 1};
	const char *name = canvas.lines->heading;
	int x = 2;

	draw_rule(screen, heading);
	x += cells_printf(screen->cells, heading, x, 0, STYLE_BAR, "%s",
		name ? name : panes[aside->lines.pane].name);
	draw_more(screen, heading, x + 1, &aside->lines, aside->top, canvas.area.h);
	draw_lines(&canvas, aside->top, -1);
}

void draw_panes(const struct screen *screen)
{
	const struct state *state = screen->state;
	size_t top = state->line_top[state->pane];
	ptrdiff_t chosen = state->in_pane ? (ptrdiff_t)state->line[state->pane] :
					    state->lines.lines.here;
	struct canvas canvas = {screen, screen->layout.pane, &state->lines.lines,
		str_text(&state->pane_search)};

	draw_tabs(screen);
	if (!state_shows_pane(state))
		return;
	draw_lines(&canvas, top, chosen);
	for (size_t i = 0; i < screen->state->nasides; i++)
		draw_aside(screen, &screen->state->asides[i]);
}
