/* SPDX-License-Identifier: Apache-2.0 */
/* What is above the rows and shares their columns. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "job/attempts.h"
#include "viewer/draw.h"
#include "viewer/state/state-private.h"
#include "viewer/timeline/timeline.h"

#define APART	 14 /* columns between two ticks, at least */
#define RULER_LINES 3 /* since the beginning, the time of day, steps */
#define STEPS_LINE  2
#define ATTEMPTS 8 /* earlier attempts whose end is marked, the latest */

/* -- Times ------------------------------------------------------------------------------------ */

/* Appends the fraction of a second, with digits as the step wants them. */
static void add_fraction(struct str *into, uint64_t below, uint64_t step)
{
	int digits = 0;

	for (uint64_t unit = (uint64_t)CLOCK_NS_PER_S; unit > step && digits < 9; unit /= 10)
		digits++;
	if (!digits)
		return;
	str_add_char(into, '.');
	for (uint64_t unit = (uint64_t)CLOCK_NS_PER_S / 10; digits--; unit /= 10)
		str_add_char(into, (char)('0' + below / unit % 10));
}

void draw_relative(struct str *into, uint64_t ns, uint64_t step)
{
	uint64_t s = ns / (uint64_t)CLOCK_NS_PER_S;

	if (s >= 3600)
		str_printf(into, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60,
			s % 60);
	else
		str_printf(into, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
	add_fraction(into, ns % (uint64_t)CLOCK_NS_PER_S, step);
}

void draw_real(struct str *into, int64_t when, uint64_t step)
{
	int64_t ns = when % CLOCK_NS_PER_S, s = when / CLOCK_NS_PER_S;

	if (ns < 0) {
		ns += CLOCK_NS_PER_S;
		s--;
	}
	s %= 86400;
	if (s < 0)
		s += 86400;
	str_printf(into, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60, s % 60);
	add_fraction(into, (uint64_t)ns, step);
}

/* Returns the least of 1, 2, 5, 10, 20, ... that is not below it. */
static uint64_t round_number(uint64_t least)
{
	for (uint64_t unit = 1; unit < UINT64_MAX / 50; unit *= 10)
		for (uint64_t of = 1; of <= 5; of += of == 1 ? 1 : 3)
			if (unit * of >= least)
				return unit * of;
	return least;
}

/* Returns the least round step of which a tick has room in so many columns. */
static uint64_t tick_step(uint64_t span, int columns)
{
	static const uint64_t seconds[] = {1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800,
		3600, 7200, 10800, 21600, 43200, 86400};
	uint64_t least = span / (uint64_t)columns * APART;
	uint64_t day = 86400 * (uint64_t)CLOCK_NS_PER_S;

	if (least <= (uint64_t)CLOCK_NS_PER_S / 2)
		return round_number(least);
	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++)
		if (seconds[i] * (uint64_t)CLOCK_NS_PER_S >= least)
			return seconds[i] * (uint64_t)CLOCK_NS_PER_S;
	return (least / day + 1) * day;
}

/* -- Labels ----------------------------------------------------------------------------------- */

/* A line of the ruler. What matters most is put first: no label covers another, or touches it. */
struct ruler {
	const struct screen *screen;
	struct axis axis;
	int y;
	bool real;
	bool taken[CELLS_W]; /* by column of the screen */
	struct str end;	     /* the time at its end; "" not there */
};

/* True if no label is at those columns, or beside them. */
static bool is_free(const struct ruler *ruler, int from, int to)
{
	int w = ruler->screen->layout.ruler.w;

	if (from < ruler->screen->state->label_w || to > w || to > CELLS_W)
		return false;
	for (int x = from - 1; x <= to; x++)
		if (x >= 0 && x < CELLS_W && ruler->taken[x])
			return false;
	return true;
}

/* Takes those columns. */
static void take(struct ruler *ruler, int from, int to)
{
	for (int x = from < 0 ? 0 : from; x < to && x < CELLS_W; x++)
		ruler->taken[x] = true;
}

/* Puts a label at that column of the screen; false: there is no room. */
static bool put(struct ruler *ruler, int x, enum style style, const char *text)
{
	int w = (int)strlen(text);

	if (!is_free(ruler, x, x + w))
		return false;
	cells_put(ruler->screen->cells, ruler->screen->layout.ruler, x, ruler->y, style, text);
	take(ruler, x, x + w);
	return true;
}

/* Appends a time as the line has it: since the beginning, or of the day. */
static void add_time(const struct ruler *ruler, struct str *into, int64_t when, uint64_t step)
{
	if (ruler->real)
		draw_real(into, when, step);
	else
		draw_relative(into,
			window_between(ruler->screen->state->bounds.from, when), step);
}

/* -- What stands in it ------------------------------------------------------------------------ */

/* Appends the date of a time, UTC. */
static void add_date(struct str *into, int64_t when)
{
	time_t s = (time_t)(when / CLOCK_NS_PER_S);
	struct tm day;

	if (when > 0 && gmtime_r(&s, &day))
		str_printf(into, " %04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1,
			day.tm_mday);
}

/* Puts "11:08 now", ending behind the cells; where no room is there, before. */
static void draw_end(struct ruler *ruler)
{
	const struct state *state = ruler->screen->state;
	int w = ruler->screen->layout.ruler.w, x;
	bool goes_on = state->scene.live && state->scene.job->ended != JOB_YES;
	uint64_t step = tick_step(axis_step(&ruler->axis, ruler->axis.width), 1);
	struct str text = {0}, date = {0};

	if (state->window.to < state->bounds.to)
		return;
	add_time(ruler, &ruler->end, state->bounds.to, step);
	str_add(&text, str_text(&ruler->end));
	x = state->label_w + state->cells_w - (int)text.len;
	str_add(&text, ruler->real ? " UTC" : goes_on ? " now" : " end");
	add_date(&date, state->bounds.to);
	if (ruler->real && x + (int)(text.len + date.len) <= w)
		str_add(&text, str_text(&date));
	if (x + (int)text.len > w)
		x = w - (int)text.len;
	if (x > state->label_w)
		put(ruler, x, STYLE_FAINT, str_text(&text));
	str_release(&text);
	str_release(&date);
}

/* Puts where what hangs began to: "0:00.22 FORK", behind the break if the axis is broken there. */
static void draw_fork(struct ruler *ruler)
{
	const struct state *state = ruler->screen->state;
	int split = ruler->axis.split, x = state->label_w + split;
	struct str text = {0};

	if (split < 0 && (state->forked == JOB_UNKNOWN || state->forked < state->window.from ||
				 state->forked >= state->window.to))
		return;
	if (split < 0)
		x = state->label_w + axis_column(&ruler->axis, state->forked);
	else
		cells_glyph(ruler->screen->cells, ruler->screen->layout.ruler, x, ruler->y,
			STYLE_STRONG, GLYPH_BREAK);
	add_time(ruler, &text, state->forked, axis_step(&ruler->axis, split < 0 ? 0 : split - 1));
	if (!ruler->real)
		str_add(&text, state->by_death ? " DEATH" : " FORK");
	if (!put(ruler, x + (split >= 0), STYLE_STRONG, str_text(&text)))
		put(ruler, x - (int)text.len, STYLE_STRONG, str_text(&text));
	if (split >= 0)
		take(ruler, x, x + 1);
	str_release(&text);
}

/*
 * Puts "|attempt 2": what is left of the line was another attempt, of which the rows know nothing.
 */
static void mark_attempt(struct ruler *ruler, int attempt, bool named)
{
	const struct state *state = ruler->screen->state;
	int64_t ended = attempts_at(state->scene.job, attempt).ended;
	int column = axis_column(&ruler->axis, ended), x = state->label_w + column;
	struct str text = {0};

	/* Where the end's own words stand there is no room. */
	if (column < 0 || column >= state->cells_w || !is_free(ruler, x, x + 1))
		return;
	if (named) {
		str_printf(&text, "attempt %d", attempt + 1);
		if (!put(ruler, x + 1, STYLE_WARN, str_text(&text))) {
			str_cut(&text, 0);
			str_printf(&text, "attempt %d", attempt);
			put(ruler, x - (int)text.len, STYLE_WARN, str_text(&text));
		}
	}
	cells_glyph(ruler->screen->cells, ruler->screen->layout.ruler, x, ruler->y, STYLE_WARN,
		GLYPH_RULE_V);
	take(ruler, x, x + 1);
	str_release(&text);
}

/* Puts "<attempt 1": it was over before all that there is to be seen. */
static void mark_before(struct ruler *ruler, int attempt)
{
	const struct state *state = ruler->screen->state;
	struct str text = {0};

	str_printf(&text, "attempt %d", attempt);
	if (state->window.from == state->bounds.from &&
		put(ruler, state->label_w + 1, STYLE_WARN, str_text(&text))) {
		cells_glyph(ruler->screen->cells, ruler->screen->layout.ruler, state->label_w,
			ruler->y, STYLE_WARN, GLYPH_MORE_LEFT);
		take(ruler, state->label_w, state->label_w + 1);
	}
	str_release(&text);
}

/* Marks the ends of earlier attempts. */
static void mark_attempts(struct ruler *ruler)
{
	int last = ruler->screen->state->scene.job->attempt - 1;

	if (last > 0 && attempts_at(ruler->screen->state->scene.job, last).ended <
				ruler->screen->state->bounds.from) {
		mark_before(ruler, last); /* also where nobody knows when */
		return;
	}
	for (int attempt = last; attempt > 0 && attempt > last - ATTEMPTS; attempt--)
		mark_attempt(ruler, attempt, attempt == last);
}

/* Puts ticks in a part of one scale, which has so many columns. */
static void draw_ticks(struct ruler *ruler, struct window part, int columns)
{
	const struct state *state = ruler->screen->state;
	uint64_t step = tick_step(window_span(part), columns > 0 ? columns : 1);
	uint64_t first = window_between(state->bounds.from, part.from);
	uint64_t last = window_between(state->bounds.from, part.to);
	uint64_t at = first % step ? first / step + 1 : first / step;
	struct str text = {0}, before = {0};

	/* No more ticks than columns, whatever the times are. */
	for (int n = 0; n <= columns && at <= last / step; n++, at++) {
		int64_t when = window_later(state->bounds.from, at * step);
		int column = axis_column(&ruler->axis, when);

		str_cut(&text, 0);
		add_time(ruler, &text, when, step);
		if (column < 0 || column >= state->cells_w ||
			!strcmp(str_text(&text), str_text(&before)) ||
			!strcmp(str_text(&text), str_text(&ruler->end)) ||
			!put(ruler, state->label_w + column, STYLE_FAINT, str_text(&text)))
			continue;
		str_cut(&before, 0);
		str_add(&before, str_text(&text));
	}
	str_release(&text);
	str_release(&before);
}

/* -- Steps ------------------------------------------------------------------------------------ */

#define STEP_APART 8 /* columns between two of them, on average */

/* The steps of the chosen rank that are in sight. */
struct steps {
	const struct track *track; /* NULL: there is no such */
	size_t from, to;	   /* events among which they are */
	uint64_t every; /* of this many steps one is named, by its number */
};

/* True for a step that is in sight. */
static bool is_step_in_sight(const struct ruler *ruler, const struct track_event *event)
{
	int column = axis_column(&ruler->axis, event->when);

	return event->kind == TRACK_STEP && event->when != JOB_UNKNOWN && column >= 0 &&
	       column < ruler->screen->state->cells_w;
}

/* Finds the chosen rank's steps that are in sight. */
static struct steps find_steps(const struct ruler *ruler)
{
	const struct state *state = ruler->screen->state;
	struct steps steps = {0};
	uint64_t n = 0, room = (uint64_t)(state->cells_w / STEP_APART) + 1;

	if (!is_rank(state->rank))
		return steps;
	steps.track = &state->tracks->at[state->rank.i];
	steps.from = (size_t)(track_event_before(steps.track, state->window.from - 1) + 1);
	steps.to = (size_t)(track_event_before(steps.track, state->window.to) + 1);
	for (size_t i = steps.from; i < steps.to; i++)
		n += is_step_in_sight(ruler, &steps.track->events[i]);
	steps.every = round_number((n + room - 1) / room);
	return steps;
}

/*
 * Puts "first step   4    8   step 11": the last in sight has the word; on a line of its own, where
 * no number could be a time, others have theirs.
 */
static void draw_steps(struct ruler *ruler)
{
	const struct state *state = ruler->screen->state;
	struct steps steps = find_steps(ruler);
	bool last = true;

	for (size_t i = steps.to; i-- > steps.from;) {
		const struct track_event *event = &steps.track->events[i];
		int x = state->label_w + axis_column(&ruler->axis, event->when);
		const char *name = event->name;

		if (!is_step_in_sight(ruler, event))
			continue;
		if (event->index && !last) {
			name += strcspn(name, "0123456789");
			if (ruler->y < STEPS_LINE || event->index % steps.every)
				continue;
		}
		if (!put(ruler, x, STYLE_STRONG, name) && (last || !event->index))
			put(ruler, x + 1 - (int)strlen(name), STYLE_STRONG, name);
		last = false;
	}
}

/* -- All of a line ---------------------------------------------------------------------------- */

/* Puts all labels of a line. */
static void draw_line(struct ruler *ruler)
{
	const struct state *state = ruler->screen->state;
	int split = ruler->axis.split, w = state->cells_w;
	struct window window = state->window;

	draw_end(ruler);
	draw_fork(ruler);
	if (!ruler->real)
		mark_attempts(ruler);
	if (split >= 0) {
		draw_ticks(ruler, (struct window){window.from, state->fork.at}, split);
		draw_ticks(ruler, (struct window){state->fork.at, window.to}, w - 1 - split);
	} else {
		draw_ticks(ruler, window, w);
	}
	if (window.from > state->bounds.from)
		cells_glyph(ruler->screen->cells, ruler->screen->layout.ruler, state->label_w - 1,
			ruler->y, STYLE_FAINT, GLYPH_MORE_LEFT);
}

/*
 * Marks the cursor, where it covers no label; what is measured from the anchor to it, in any case.
 */
static void mark_cursor(const struct screen *screen, const struct ruler *lines, int n)
{
	const struct state *state = screen->state;
	struct rect area = screen->layout.ruler;
	int at = axis_column(&lines->axis, state->when), from = at, y = 0;

	if (state->measuring)
		from = axis_column(&lines->axis, state->anchor);
	if (from > at) {
		int swap = from;

		from = at;
		at = swap;
	}
	from = from < 0 ? 0 : from >= state->cells_w ? state->cells_w - 1 : from;
	at = at < 0 ? 0 : at >= state->cells_w ? state->cells_w - 1 : at;
	while (!state->measuring && y < n && lines[y].taken[state->label_w + at])
		y++;
	if (y < n)
		cells_reverse(screen->cells,
			rect_clip((struct rect){area.x + state->label_w + from, area.y + y,
					  at - from + 1, 1},
				area));
}

/* -- All of it -------------------------------------------------------------------------------- */

void draw_ruler(const struct screen *screen)
{
	struct ruler lines[RULER_LINES] = {{0}};
	int n = screen->layout.ruler.h < RULER_LINES ? screen->layout.ruler.h : RULER_LINES;

	for (int y = 0; y < n; y++) {
		lines[y].screen = screen;
		lines[y].axis = state_axis(screen->state);
		lines[y].y = y;
		lines[y].real = y == 1;
		if (y < 2)
			draw_line(&lines[y]);
	}
	if (n > 0) {
		draw_steps(&lines[n > STEPS_LINE ? STEPS_LINE : 0]);
		mark_cursor(screen, lines, n);
	}
	for (int y = 0; y < n; y++)
		str_release(&lines[y].end);
}
