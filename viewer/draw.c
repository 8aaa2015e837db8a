/* SPDX-License-Identifier: Apache-2.0 */
/* The whole screen: the title (title.c), what is between, and the status line. */
#include "viewer/draw.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "viewer/state/range.h"
#include "viewer/state/state-private.h"
#include "words/escape.h"
#include "words/rank-names.h"

/* -- Status ----------------------------------------------------------------------------------- */

/* A key on the last line, and what it does. */
struct hint {
	enum request request;
	const char *words;
};

static const struct hint on_rows[] = {{REQUEST_VERDICT_JUMP, "culprit"},
	{REQUEST_EDGE_TO, "waits-for"}, {REQUEST_ENTER, "evidence"}, {REQUEST_PANE_NEXT, "pane"},
	{REQUEST_HELP, "help"}, {REQUEST_QUIT, "quit"}, {REQUEST_FOLLOW, "follow"},
	{REQUEST_ZOOM_FORK, "hang"}, {REQUEST_ZOOM_IN, "zoom in"}, {REQUEST_SEARCH, "find"},
	{REQUEST_COPY, "copy"}, {REQUEST_NONE, NULL}};
static const struct hint in_pane[] = {{REQUEST_ENTER, "to the event"}, {REQUEST_ROW_DOWN, "line"},
	{REQUEST_EXPAND, "all"}, {REQUEST_BACK, "back"}, {REQUEST_MAXIMISE, "whole screen"},
	{REQUEST_SEARCH, "find"}, {REQUEST_HELP, "help"}, {REQUEST_NONE, NULL}};

/* False where it would only say that it cannot. */
static bool has_use(const struct state *state, enum request request)
{
	if (request == REQUEST_FOLLOW)
		return state->scene.live && !state->follow;
	return request != REQUEST_ZOOM_FORK || state->forked != JOB_UNKNOWN;
}

/* Draws the keys; or, with `at` a column, draws nothing and says which of them stands there. */
static enum request draw_hints(const struct screen *screen, const struct hint *hints, int at)
{
	struct rect area = screen->layout.status;
	int x = 1;

	for (; hints->words; hints++) {
		const char *keys = keys_of(hints->request), *words = hints->words;
		int length = (int)strcspn(keys, " "), width;

		if (!has_use(screen->state, hints->request))
			continue;
		/* What q does is what it says. */
		if (hints->request == REQUEST_QUIT && state_shows_pane(screen->state))
			words = "close pane";
		if (hints->request == REQUEST_ENTER && screen->state->in_pane &&
			screen->state->pane == PANE_VERDICT)
			words = "open evidence";
		width = (int)strlen(words);

		if (x + length + 1 + width > area.w)
			break;
		if (at >= x && at < x + length + 1 + width)
			return hints->request;
		if (at < 0) {
			cells_printf(screen->cells, area, x, 0, STYLE_STRONG, "%.*s", length, keys);
			cells_put(screen->cells, area, x + length + 1, 0, STYLE_BAR, words);
		}
		x += length + 1 + width + 2;
	}
	return REQUEST_NONE;
}

enum request draw_hint_at(struct state *state, int x)
{
	const struct screen screen = {.state = state, .layout = state->layout};

	if (state->measuring || state->message.len)
		return REQUEST_NONE;
	return draw_hints(&screen, state->in_pane ? in_pane : on_rows, x);
}

/* Appends ": rank 3: waiting 2.1 s, ...". */
static void add_range(struct str *into, const struct state *state)
{
	const struct track *track = &state->tracks->at[state->rank.i];
	struct range range = range_of(track, state->anchor, state->when);

	str_add(into, ": ");
	ranks_name(into, state->scene.job, (struct verdict_ranks){&track->rank, 1});
	str_add(into, ": ");
	range_add_words(into, &range);
}

/* Draws what is measured, and how much of it the rank was in which state. */
static void draw_measure(const struct screen *screen)
{
	const struct state *state = screen->state;
	struct axis axis = state_axis(state);
	uint64_t step = axis_step(&axis, axis_column(&axis, state->when));
	bool later = state->when >= state->anchor;
	uint64_t ns = later ? window_between(state->anchor, state->when) :
			      window_between(state->when, state->anchor);
	char text[CLOCK_TEXT_SIZE];
	struct str line = {0};

	str_printf(&line, "%s%s from ", later ? "+" : "-",
		clock_format(ns > INT64_MAX ? INT64_MAX : (int64_t)ns, text));
	draw_relative(&line, window_between(state->bounds.from, state->anchor), step);
	str_add(&line, " to ");
	draw_relative(&line, window_between(state->bounds.from, state->when), step);
	if (state->message.len)
		str_printf(&line, "  %s", str_text(&state->message));
	else if (ns && is_rank(state->rank))
		add_range(&line, state);
	str_printf(&line, "  (%s ends, %s copies)", keys_of(REQUEST_MEASURE),
		keys_of(REQUEST_COPY));
	cells_put_fit(screen->cells, screen->layout.status, 1, 0, screen->layout.status.w - 1,
		STYLE_STRONG, str_text(&line));
	str_release(&line);
}

/* Draws what is typed; of a longer line the part that the cursor is in. */
static void draw_prompt(const struct screen *screen)
{
	static const char *const leads[] = {[PROMPT_SEARCH] = "/",
		[PROMPT_FILTER] = "&",
		[PROMPT_COMMAND] = ":",
		[PROMPT_MARK_SET] = "set mark (a-z): ",
		[PROMPT_MARK_JUMP] = "to mark (a-z): "};
	const struct state_typing *typing = &screen->state->typing;
	struct rect area = screen->layout.status;
	int x = cells_put(screen->cells, area, 0, 0, STYLE_STRONG, leads[typing->kind]), used;
	const char *text = str_text(&typing->text);
	size_t from = 0;
	struct str before = {0};

	for (;;) {
		struct str safe = {0};

		str_cut(&before, 0);
		str_add_bytes(&before, text + from, typing->at - from);
		escape_text(&safe, str_text(&before), screen->cells->utf8);
		used = (int)escape_width(str_text(&safe));
		str_release(&safe);
		if (x + used < area.w - 1 || from >= typing->at)
			break;
		from++;
	}
	cells_put(screen->cells, area, x, 0, STYLE_PLAIN, text + from);
	cells_reverse(screen->cells,
		rect_clip((struct rect){area.x + x + used, area.y, 1, 1}, area));
	if (*str_text(&screen->state->message) && x + used + 4 < area.w)
		cells_put_fit(screen->cells, area, x + used + 3, 0, area.w - x - used - 3,
			STYLE_FAINT, str_text(&screen->state->message));
	str_release(&before);
}

/* Draws the last line: a prompt, a measure, a message, or the keys of the moment. */
static void draw_status(const struct screen *screen)
{
	const struct state *state = screen->state;

	if (state->typing.kind != PROMPT_NONE)
		draw_prompt(screen);
	else if (state->measuring)
		draw_measure(screen);
	else if (state->message.len)
		cells_put_fit(screen->cells, screen->layout.status, 1, 0,
			screen->layout.status.w - 1, STYLE_STRONG, str_text(&state->message));
	else
		draw_hints(screen, state->in_pane ? in_pane : on_rows, -1);
}

/* -- All of it -------------------------------------------------------------------------------- */

/* Says how large the screen must be. */
static void draw_too_small(const struct screen *screen)
{
	const struct state *state = screen->state;

	cells_printf(screen->cells, screen->layout.status, 0, 0, STYLE_STRONG,
		"terminal %dx%d, need %dx%d", state->w, state->h, LAYOUT_LEAST_W, LAYOUT_LEAST_H);
}

void draw_screen(struct state *state, struct cells *cells)
{
	struct screen screen = {.state = state, .cells = cells};

	state_settle(state);
	screen.layout = state->layout;
	cells_reset(cells, state->w, state->h, state->utf8);
	if (screen.layout.kind == LAYOUT_TOO_SMALL) {
		draw_too_small(&screen);
		return;
	}
	if (state->help) {
		draw_help(&screen);
	} else if (!state->scene.job) {
		cells_put(cells, screen.layout.title, 1, 0, STYLE_FAINT, "nothing is loaded yet");
	} else {
		draw_title(&screen);
		if (screen.layout.rows.h > 0) {
			draw_ruler(&screen);
			draw_minimap(&screen);
			draw_timeline(&screen);
			draw_strip(&screen);
		}
		draw_panes(&screen);
	}
	if (!state->help || state->typing.kind != PROMPT_NONE || state->message.len)
		draw_status(&screen);
}
