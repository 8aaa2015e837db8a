/* SPDX-License-Identifier: Apache-2.0 */
/* The whole screen: the title with the answer, what is between, and the status line. */
#include "viewer/draw.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "viewer/state-private.h"
#include "words/escape.h"
#include "words/headline.h"

/* -- Title ------------------------------------------------------------------------------------ */

static enum style style_of(const struct verdict *verdict)
{
	if (verdict->class == VERDICT_HEALTHY)
		return STYLE_GOOD;
	if (verdict->class == VERDICT_SLOW || verdict->class == VERDICT_INCONCLUSIVE ||
		verdict->outlook == VERDICT_WAIT)
		return STYLE_WARN;
	return STYLE_ALARM;
}

/* How long until something ends the job, as it is now; JOB_UNKNOWN. */
static int64_t time_left(const struct scene *scene)
{
	int64_t left = scene->verdicts->at[0].watchdog_left, gathered = scene->job->gathered;

	if (left == JOB_UNKNOWN || !scene->live || gathered == JOB_UNKNOWN || scene->now < gathered)
		return left;
	left = window_earlier(left, window_between(gathered, scene->now));
	return left > 0 ? left : 0;
}

/* "WAIT  LIVE  watchdog 19:36"; of a job that has ended while it was looked at, "KILL  ENDED" */
static void add_right(const struct state *state, struct str *into)
{
	const struct verdict *verdict = &state->scene.verdicts->at[0];
	const char *limit = verdict_limit_name(verdict->watchdog);
	int64_t left = time_left(&state->scene);
	char text[CLOCK_TEXT_SIZE];

	if (verdict->outlook == VERDICT_WAIT)
		str_add(into, "  WAIT");
	else if (verdict->outlook == VERDICT_KILL)
		str_add(into, "  KILL");
	if (state->frozen)
		str_add(into, "  FROZEN");
	else if (state->scene.live && state->scene.job->ended == JOB_YES)
		str_add(into, "  ENDED");
	else if (state->scene.live)
		str_add(into, state->follow ? "  LIVE" : "  live");
	if (limit && left != JOB_UNKNOWN && state->scene.job->ended != JOB_YES)
		str_printf(into, "  %s %s", limit, clock_format(left, text));
	str_add_char(into, ' ');
}

static const char *name_of(const struct scene *scene)
{
	if (scene->job->name && *scene->job->name)
		return scene->job->name;
	if (scene->origin && *scene->origin)
		return scene->origin;
	return scene->job->id && *scene->job->id ? scene->job->id : "job";
}

static void draw_title(const struct screen *screen)
{
	const struct scene *scene = &screen->state->scene;
	const struct verdict *verdict = &scene->verdicts->at[0];
	struct rect area = screen->layout.title;
	struct str right = {0}, line = {0}, class = {0};
	int x, end;

	cells_fill(screen->cells, area, STYLE_TITLE, ' ');
	add_right(screen->state, &right);
	end = area.w - (int)right.len;
	x = 1 + cells_put_fit(screen->cells, area, 1, 0, area.w / 4, STYLE_TITLE, name_of(scene));
	if (end - x > 10) {
		headline_shout(&line, scene->verdicts, verdict, (size_t)(end - x - 2),
			screen->cells->utf8);
		x += 2;
		x += cells_put_fit(screen->cells, area, x, 0, end - x, style_of(verdict),
			str_text(&line));
	}
	str_printf(&class, "  %s %s", verdict_class_name(verdict->class),
		verdict_confidence_name(verdict->confidence));
	if (x + (int)class.len <= end)
		cells_put(screen->cells, area, end - (int)class.len, 0, STYLE_TITLE,
			str_text(&class));
	cells_put(screen->cells, area, end > 0 ? end : 0, 0, style_of(verdict), str_text(&right));
	str_release(&right);
	str_release(&line);
	str_release(&class);
}

/* -- Status ----------------------------------------------------------------------------------- */

struct hint {
	enum request request;
	const char *words;
};

static const struct hint on_rows[] = {{REQUEST_VERDICT_JUMP, "culprit"},
	{REQUEST_EDGE_TO, "waits-for"}, {REQUEST_ENTER, "evidence"}, {REQUEST_PANE_NEXT, "pane"},
	{REQUEST_HELP, "help"}, {REQUEST_QUIT, "quit"}, {REQUEST_ZOOM_IN, "zoom in"},
	{REQUEST_SEARCH, "find"}, {REQUEST_COPY, "copy"}, {REQUEST_NONE, NULL}};
static const struct hint in_pane[] = {{REQUEST_ENTER, "to the event"}, {REQUEST_ROW_DOWN, "line"},
	{REQUEST_EXPAND, "all"}, {REQUEST_BACK, "back"}, {REQUEST_MAXIMISE, "whole screen"},
	{REQUEST_SEARCH, "find"}, {REQUEST_HELP, "help"}, {REQUEST_NONE, NULL}};

static void draw_hints(const struct screen *screen, const struct hint *hints)
{
	struct rect area = screen->layout.status;
	int x = 1;

	for (; hints->words; hints++) {
		const char *keys = keys_of(hints->request);
		int length = (int)strcspn(keys, " "), width = (int)strlen(hints->words);

		if (x + length + 1 + width > area.w)
			return;
		x += cells_printf(screen->cells, area, x, 0, STYLE_STRONG, "%.*s", length, keys);
		x += 1;
		x += cells_put(screen->cells, area, x, 0, STYLE_BAR, hints->words);
		x += 2;
	}
}

static void draw_measure(const struct screen *screen)
{
	const struct state *state = screen->state;
	uint64_t step = window_span(state->window) / (uint64_t)state->cells_w;
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
	str_printf(&line, "  %s ends, %s copies  ", keys_of(REQUEST_MEASURE),
		keys_of(REQUEST_COPY));
	str_add(&line, str_text(&state->message));
	cells_put_fit(screen->cells, screen->layout.status, 1, 0, screen->layout.status.w - 1,
		STYLE_STRONG, str_text(&line));
	str_release(&line);
}

/* What is typed; of a longer line the part that the cursor is in. */
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
		draw_hints(screen, state->in_pane ? in_pane : on_rows);
}

/* -- All of it -------------------------------------------------------------------------------- */

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
			draw_timeline(&screen);
			draw_strip(&screen);
		}
		draw_panes(&screen);
	}
	if (!state->help)
		draw_status(&screen);
}
