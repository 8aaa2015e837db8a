/* SPDX-License-Identifier: Apache-2.0 */
/* Looks, leaving; and the mouse. */
#include "viewer/state/state-private.h"

#include <inttypes.h>
#include <string.h>

#include "viewer/draw.h"
#include "words/summary.h"

/* -- Where it comes from ---------------------------------------------------------------------- */

/* Says where all comes from, and puts the receipt up. */
static void info(struct state *state)
{
	const struct job *job = state->scene.job;
	struct disturbed disturbed = disturbed_by(job);
	struct str text = {0};

	str_printf(&text, "%s: ", state->scene.origin);
	summary_add_read(&text, job);
	if (job->nlosses)
		str_printf(&text, ", %zu thing%s missing", job->nlosses,
			job->nlosses == 1 ? "" : "s");
	if (disturbed.live) {
		str_add(&text, ", ");
		disturbed_add_stops(&text, &disturbed);
	}
	state_choose_pane(state, PANE_RECEIPT);
	state_tell(state, "%s", str_text(&text));
	str_release(&text);
}

/* -- Requests --------------------------------------------------------------------------------- */

/* Closes what is up; where only rows are left, ends. */
static void quit(struct state *state)
{
	if (state->maximised || state->in_pane) {
		state->maximised = false;
		state->in_pane = false;
		if (state->layout.kind != LAYOUT_SINGLE)
			state->pane_closed = true;
	} else if (state_shows_pane(state)) {
		state->pane_closed = true;
	} else {
		state_ask(state, EFFECT_QUIT, "");
	}
}

/* Takes the next colours. */
static void next_theme(struct state *state)
{
	static const char *const names[THEMES] = {"dark", "light", "mono"};

	state->theme = (enum theme)((state->theme + 1) % THEMES);
	state_tell(state, "theme %s", names[state->theme]);
}

/* What only the outside can do is asked of it at once. */
static const struct {
	enum request request;
	enum state_effect effect;
} asked[] = {
	{REQUEST_EXPORT, EFFECT_EXPORT},
	{REQUEST_REDRAW, EFFECT_REDRAW},
	{REQUEST_SUSPEND, EFFECT_SUSPEND},
	{REQUEST_QUIT_NOW, EFFECT_QUIT},
};

bool state_do_else(struct state *state, enum request request)
{
	bool loaded = state->scene.job != NULL;

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		if (asked[i].request == request) {
			state_ask(state, asked[i].effect, "");
			return true;
		}
	switch (request) {
	case REQUEST_COPY:
	case REQUEST_COPY_VERDICT:
		if (loaded)
			state_copy(state, request == REQUEST_COPY_VERDICT);
		return true;
	case REQUEST_CHARSET:
		state->utf8 = !state->utf8;
		state->rows_stale = loaded;
		state_tell(state, state->utf8 ? "UTF-8" : "ASCII");
		return true;
	case REQUEST_THEME:
		next_theme(state);
		return true;
	case REQUEST_HELP:
		state_help_open(state);
		return true;
	case REQUEST_INFO:
		if (loaded)
			info(state);
		return true;
	case REQUEST_QUIT:
		quit(state);
		return true;
	default:
		return false;
	}
}

/* -- The mouse -------------------------------------------------------------------------------- */

/* True if a cell lies in an area. */
static bool is_in(struct rect area, int x, int y)
{
	return x >= area.x && x < area.x + area.w && y >= area.y && y < area.y + area.h;
}

/* Takes a click on a row: its row, and its time. */
static void click_row(struct state *state, int x, int y)
{
	ptrdiff_t row = state_row_at(state, y - state->layout.rows.y);
	int column = x - state->layout.rows.x - state->label_w;
	struct axis axis = state_axis(state);

	state->in_pane = false;
	if (row >= 0)
		state_pick_row(state, row);
	if (column < 0 || column >= state->cells_w)
		return;
	state_set_when(state, axis_at(&axis, column));
	state->pressed = column;
}

/* Takes a click on a line: a second one on the chosen line is Enter. */
static void click_line(struct state *state, int y)
{
	size_t line = state->line_top[state->pane] + (size_t)(y - state->layout.pane.y);
	bool chosen = state->in_pane && state->line[state->pane] == line;

	state->in_pane = true;
	if (line >= state->lines.lines.all.nr)
		return;
	if (chosen)
		state_enter_line(state);
	else
		state_pick_line(state, line);
}

/*
 * Chooses the tab whose name is there, as draw-pane.c writes them: "1 verdict", two columns apart.
 */
static void click_tab(struct state *state, int x)
{
	int at = state->layout.tabs.x + 2;

	for (int i = 0; i < PANES; i++) {
		int width = (int)strlen(panes[i].name) + 2;

		if (x >= at && x < at + width) {
			state_choose_pane(state, (enum pane_number)i);
			return;
		}
		at += width + 2;
	}
}

/* Chooses a pane that stands aside. */
static void click_aside(struct state *state, int x, int y)
{
	for (size_t i = 0; i < state->nasides; i++) {
		enum pane_number pane = state->asides[i].lines.pane;

		if (is_in(state->asides[i].area, x, y))
			state_choose_pane(state, pane == PANE_DIFFER ? PANE_STACKS
						 : pane < PANES	     ? pane
								     : state->pane);
	}
}

/* Takes a click. */
static void click(struct state *state, int x, int y)
{
	const struct layout *layout = &state->layout;
	int column = x - layout->minimap.x - state->label_w;

	if (is_in(layout->rows, x, y)) {
		click_row(state, x, y);
	} else if (is_in(layout->pane, x, y)) {
		click_line(state, y);
	} else if (is_in(layout->tabs, x, y)) {
		click_tab(state, x);
	} else if (is_in(layout->minimap, x, y) && column >= 0 && column < state->cells_w) {
		int64_t when = window_at(state->bounds, state->cells_w, column);

		state->window = axis_centre(state->fork, state->window, state->bounds, when);
		state_set_when(state, when);
	} else {
		click_aside(state, x, y);
	}
}

/* Takes a turn of the wheel: it zooms, or moves what is below it. */
static void wheel(struct state *state, int x, int y, int turn, bool zoom)
{
	int column = x - state->layout.rows.x - state->label_w;
	struct axis axis = state_axis(state);

	turn = turn < -CELLS_H ? -CELLS_H : turn > CELLS_H ? CELLS_H : turn;
	if (zoom && column >= 0 && column < state->cells_w) {
		state_zoom(state, axis_at(&axis, column), turn < 0);
	} else if (is_in(state->layout.pane, x, y)) {
		ptrdiff_t line = (ptrdiff_t)state->line[state->pane] + turn;

		state->in_pane = true;
		state_pick_line(state, line > 0 ? (size_t)line : 0);
	} else {
		state_pick_row(state, state->row + turn);
	}
}

void state_mouse_up(struct state *state, int x)
{
	int from = state->pressed, to = x - state->layout.rows.x - state->label_w;
	struct axis axis;

	state->pressed = -1;
	if (from < 0 || !state->scene.job || state->help || state->typing.kind != PROMPT_NONE)
		return;
	to = to < 0 ? 0 : to >= state->cells_w ? state->cells_w - 1 : to;
	if (from >= state->cells_w || to == from)
		return;
	axis = state_axis(state);
	if (!state->measuring)
		state->anchor = axis_at(&axis, from);
	state->measuring = state->drawn = true;
	state_set_when(state, axis_at(&axis, to));
	state_settle(state);
}

void state_mouse(struct state *state, int x, int y, int turn, bool zoom)
{
	state->touched = true;
	state->pressed = -1;
	if (state->drawn && !turn)
		state->measuring = state->drawn = false;
	if (!turn && !state->help && state->typing.kind == PROMPT_NONE && state->scene.job &&
		y == state->layout.status.y && draw_hint_at(state, x) != REQUEST_NONE) {
		state_do(state, draw_hint_at(state, x));
		state_settle(state);
		return;
	}
	str_cut(&state->message, 0);
	if (state->help) {
		state_help_mouse(state, y, turn);
	} else if (state->typing.kind == PROMPT_NONE && state->scene.job) {
		if (turn)
			wheel(state, x, y, turn, zoom);
		else
			click(state, x, y);
	}
	state_settle(state);
}
