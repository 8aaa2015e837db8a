/* SPDX-License-Identifier: Apache-2.0 */
/* What is above and below the rows and shares their columns: ruler, minimap, strip. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "job/attempts.h"
#include "viewer/draw.h"
#include "viewer/state-private.h"
#include "viewer/timeline.h"

#define APART	 14 /* columns between two ticks, at least */
#define STRIP_FEW 64
#define ATTEMPTS 8  /* earlier attempts whose end is marked, the latest */

/* -- Times ------------------------------------------------------------------------------------ */

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

/* The least round step of which a tick has room. */
static uint64_t tick_step(const struct state *state)
{
	static const uint64_t seconds[] = {1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800,
		3600, 7200, 10800, 21600, 43200, 86400};
	uint64_t least = window_span(state->window) / (uint64_t)state->cells_w * APART;
	uint64_t unit = 1;

	for (; unit < (uint64_t)CLOCK_NS_PER_S; unit *= 10)
		for (uint64_t of = 1; of <= 5; of += of == 1 ? 1 : 3)
			if (unit * of >= least)
				return unit * of;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++)
		if (seconds[i] * (uint64_t)CLOCK_NS_PER_S >= least)
			return seconds[i] * (uint64_t)CLOCK_NS_PER_S;
	unit = 86400 * (uint64_t)CLOCK_NS_PER_S;
	return (least / unit + 1) * unit;
}

/* -- Ruler ------------------------------------------------------------------------------------ */

struct ruler {
	const struct screen *screen;
	uint64_t step;
	int end; /* column from which on there is no room */
	int y;
	bool real;
	struct {
		int from, to;
	} taken[ATTEMPTS]; /* columns of marks: no tick stands in them */
	int ntaken;
};

/* "11:08 now", ending behind the cells; where no room is there, before. Returns where it begins. */
static int draw_end(const struct ruler *ruler)
{
	const struct state *state = ruler->screen->state;
	struct rect area = ruler->screen->layout.ruler;
	bool goes_on = state->scene.live && state->scene.job->ended != JOB_YES;
	struct str text = {0};
	int x;

	if (ruler->real)
		draw_real(&text, state->bounds.to, ruler->step);
	else
		draw_relative(&text, window_span(state->bounds), ruler->step);
	x = state->label_w + state->cells_w - (int)text.len;
	str_add(&text, ruler->real ? " UTC" : goes_on ? " now" : " end");
	if (x + (int)text.len > area.w)
		x = area.w - (int)text.len;
	if (x > state->label_w)
		cells_put(ruler->screen->cells, area, x, ruler->y, STYLE_FAINT, str_text(&text));
	str_release(&text);
	return x;
}

static bool is_taken(const struct ruler *ruler, int from, int to)
{
	for (int i = 0; i < ruler->ntaken; i++)
		if (from <= ruler->taken[i].to && to >= ruler->taken[i].from)
			return true;
	return false;
}

static void draw_tick(const struct ruler *ruler, uint64_t offset)
{
	const struct state *state = ruler->screen->state;
	int64_t when = window_later(state->bounds.from, offset);
	int column = window_column(state->window, state->cells_w, when);
	struct str text = {0};

	if (ruler->real)
		draw_real(&text, when, ruler->step);
	else
		draw_relative(&text, offset, ruler->step);
	if (column >= 0 && state->label_w + column + (int)text.len < ruler->end &&
		!is_taken(ruler, column, column + (int)text.len))
		cells_put(ruler->screen->cells, ruler->screen->layout.ruler,
			state->label_w + column, ruler->y, STYLE_FAINT, str_text(&text));
	str_release(&text);
}

/* "|attempt 2": what is left of the line was another attempt, of which the rows know nothing. */
static void mark_attempt(struct ruler *ruler, int attempt, bool named)
{
	const struct state *state = ruler->screen->state;
	int64_t ended = attempts_at(state->scene.job, attempt).ended;
	int column = window_column(state->window, state->cells_w, ended), from = column, to, at;
	struct str text = {0};

	/* Where the end's own words stand there is no room. */
	if (column < 0 || column >= state->cells_w || state->label_w + column >= ruler->end)
		return;
	if (named)
		str_printf(&text, "attempt %d", attempt + 1);
	to = column + (int)text.len;
	at = column + 1;
	if (state->label_w + to >= ruler->end) {
		str_cut(&text, 0);
		str_printf(&text, "attempt %d", attempt);
		at = from = column - (int)text.len;
		to = column;
	}
	if (from < 0 || state->label_w + to >= ruler->end || is_taken(ruler, from, to)) {
		str_cut(&text, 0);
		from = to = column;
	}
	cells_put(ruler->screen->cells, ruler->screen->layout.ruler, state->label_w + at, ruler->y,
		STYLE_WARN, str_text(&text));
	cells_glyph(ruler->screen->cells, ruler->screen->layout.ruler, state->label_w + column,
		ruler->y, STYLE_WARN, GLYPH_RULE_V);
	ruler->taken[ruler->ntaken].from = from - 1;
	ruler->taken[ruler->ntaken++].to = to + 1;
	str_release(&text);
}

/* "<attempt 1": it was over before all that there is to be seen. */
static void mark_before(struct ruler *ruler, int attempt)
{
	const struct state *state = ruler->screen->state;
	struct str text = {0};

	str_printf(&text, "attempt %d", attempt);
	if (state->window.from == state->bounds.from &&
		state->label_w + (int)text.len + 1 < ruler->end) {
		cells_glyph(ruler->screen->cells, ruler->screen->layout.ruler, state->label_w,
			ruler->y, STYLE_WARN, GLYPH_MORE_LEFT);
		cells_put(ruler->screen->cells, ruler->screen->layout.ruler, state->label_w + 1,
			ruler->y, STYLE_WARN, str_text(&text));
		ruler->taken[ruler->ntaken].from = 0;
		ruler->taken[ruler->ntaken++].to = (int)text.len + 1;
	}
	str_release(&text);
}

static void mark_attempts(struct ruler *ruler)
{
	int last = ruler->screen->state->scene.job->attempt - 1;

	ruler->ntaken = 0;
	if (last > 0 && attempts_at(ruler->screen->state->scene.job, last).ended <
				ruler->screen->state->bounds.from) {
		mark_before(ruler, last); /* also where nobody knows when */
		return;
	}
	for (int attempt = last; attempt > 0 && attempt > last - ATTEMPTS; attempt--)
		mark_attempt(ruler, attempt, attempt == last);
}

static void draw_ticks(struct ruler *ruler)
{
	const struct state *state = ruler->screen->state;
	uint64_t first = window_between(state->bounds.from, state->window.from);
	uint64_t last = window_between(state->bounds.from, state->window.to), at;

	ruler->end = state->label_w + state->cells_w + 1;
	if (state->window.to >= state->bounds.to)
		ruler->end = draw_end(ruler) - 1;
	if (!ruler->real)
		mark_attempts(ruler);
	else
		ruler->ntaken = 0;
	at = first % ruler->step ? first / ruler->step + 1 : first / ruler->step;
	/* No more ticks than columns, whatever the times are. */
	for (int n = 0; n <= state->cells_w && at <= last / ruler->step; n++, at++)
		draw_tick(ruler, at * ruler->step);
}

/* The cursor; what is measured from the anchor to it. */
static void mark_cursor(const struct screen *screen)
{
	const struct state *state = screen->state;
	struct rect area = screen->layout.ruler;
	int at = window_column(state->window, state->cells_w, state->when), from = at;

	if (state->measuring)
		from = window_column(state->window, state->cells_w, state->anchor);
	if (from > at) {
		int swap = from;

		from = at;
		at = swap;
	}
	from = from < 0 ? 0 : from >= state->cells_w ? state->cells_w - 1 : from;
	at = at < 0 ? 0 : at >= state->cells_w ? state->cells_w - 1 : at;
	cells_reverse(screen->cells,
		rect_clip((struct rect){area.x + state->label_w + from, area.y, at - from + 1, 1},
			area));
}

/* -- Minimap ---------------------------------------------------------------------------------- */

static enum track_state worst_of(const uint32_t counts[TRACK_STATES])
{
	for (int i = TRACK_STATES - 1; i > 0; i--)
		if (counts[i])
			return (enum track_state)i;
	return TRACK_NODATA;
}

/* The whole job, the window in brackets. */
static void draw_minimap(const struct screen *screen)
{
	const struct state *state = screen->state;
	struct rect area = screen->layout.minimap;
	int from = window_column(state->bounds, state->cells_w, state->window.from);
	int to = window_column(state->bounds, state->cells_w, state->window.to);

	if (area.h < 1)
		return;
	for (int column = 0; column < state->cells_w; column++) {
		int64_t begin = window_at(state->bounds, state->cells_w, column);
		int64_t end = window_at(state->bounds, state->cells_w, column + 1);
		uint32_t counts[TRACK_STATES];
		enum track_state worst;

		pyramid_census(state->pyramid, begin, end > begin ? end : window_later(begin, 1),
			counts);
		worst = worst_of(counts);
		cells_glyph(screen->cells, area, state->label_w + column, 0,
			(enum style)(STYLE_STATE + (int)worst),
			(enum glyph)(GLYPH_STATE + (int)worst));
	}
	if (to >= state->cells_w)
		to = state->cells_w;
	cells_put(screen->cells, area, state->label_w + from - 1, 0, STYLE_STRONG, "[");
	cells_put(screen->cells, area, state->label_w + (to > from ? to : from + 1), 0,
		STYLE_STRONG, "]");
	cells_put_words(screen->cells, area, state->label_w + state->cells_w + 2, 0,
		state->doing_w - 2, STYLE_FAINT, "whole job");
}

void draw_ruler(const struct screen *screen)
{
	struct ruler ruler = {.screen = screen, .step = tick_step(screen->state)};

	for (; ruler.y < screen->layout.ruler.h && ruler.y < 2; ruler.y++) {
		ruler.real = ruler.y == 1;
		draw_ticks(&ruler);
	}
	if (screen->layout.ruler.h > 0)
		mark_cursor(screen);
	draw_minimap(screen);
}

/* -- Strip ------------------------------------------------------------------------------------ */

struct strip {
	uint32_t counts[TRACK_STATES][CELLS_W];
	uint32_t most[TRACK_STATES];
	uint32_t now[TRACK_STATES];
};

/*
 * Hosts are looked at one after another: in the last column there is nothing of those that came
 * first, and how many wait is still what one asks. Their ranks count with what they did then.
 */
static void add_early(const struct state *state, struct strip *strip)
{
	int64_t from = window_at(state->window, state->cells_w, state->cells_w - 1);

	for (size_t i = 0; i < state->tracks->n; i++) {
		const struct track *track = &state->tracks->at[i];
		const struct track_span *last = track_last(track);

		if (!last || last->to > from || last == &track->spans[track->nspans - 1] ||
			!strip->now[TRACK_NODATA])
			continue;
		strip->now[TRACK_NODATA]--;
		strip->now[track->now]++;
	}
}

/* Of few ranks what their own cells show is counted, so that the strip never says otherwise. */
static void count_cells(const struct state *state, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES])
{
	memset(counts, 0, TRACK_STATES * sizeof(*counts));
	for (size_t i = 0; i < state->tracks->n; i++)
		counts[pyramid_bin(state->pyramid, i, from, to).state]++;
}

static void take_census(const struct state *state, struct strip *strip)
{
	for (int column = 0; column < state->cells_w && column < CELLS_W; column++) {
		int64_t from = window_at(state->window, state->cells_w, column);
		int64_t to = window_at(state->window, state->cells_w, column + 1);
		uint32_t counts[TRACK_STATES];

		to = timeline_cell_end(state, column, from, to);
		if (state->tracks->n <= STRIP_FEW)
			count_cells(state, from, to, counts);
		else
			pyramid_census(state->pyramid, from, to, counts);
		for (int i = 0; i < TRACK_STATES; i++) {
			strip->counts[i][column] = counts[i];
			strip->now[i] = counts[i];
			if (counts[i] > strip->most[i])
				strip->most[i] = counts[i];
		}
	}
	if (state->tracks->uneven && state->window.to >= state->bounds.to)
		add_early(state, strip);
}

/* A digit where one says it; else eighths of all ranks. */
static void draw_count(const struct screen *screen, int x, int y, enum track_state state,
	uint32_t count)
{
	size_t all = screen->state->nranks;
	enum style style = (enum style)(STYLE_STATE + (int)state);
	size_t eighths = all ? ((size_t)count * 8 + all - 1) / all : 0;
	char digit[2] = {(char)('0' + count % 10)};

	if (all <= 9)
		cells_put(screen->cells, screen->layout.strip, x, y, count ? style : STYLE_FAINT,
			count ? digit : ".");
	else if (eighths)
		cells_glyph(screen->cells, screen->layout.strip, x, y, style,
			(enum glyph)(GLYPH_BAR_1 + (eighths > 8 ? 7 : (int)eighths - 1)));
}

static void draw_counts(const struct screen *screen, const struct strip *strip, int y,
	enum track_state of)
{
	const struct state *state = screen->state;
	enum style style = (enum style)(STYLE_STATE + (int)of);
	struct str words = {0};

	for (int column = 0; column < state->cells_w && column < CELLS_W; column++)
		draw_count(screen, state->label_w + column, y, of, strip->counts[of][column]);
	cells_glyph(screen->cells, screen->layout.strip, 1, y, style,
		(enum glyph)(GLYPH_STATE + (int)of));
	/* The sign at its left says of what. */
	str_printf(&words, "%" PRIu32 " %s", strip->now[of], track_state_name(of));
	if ((int)words.len > state->doing_w - 2)
		str_cut(&words, strcspn(words.text, " "));
	cells_put_words(screen->cells, screen->layout.strip, state->label_w + state->cells_w + 2, y,
		state->doing_w - 2, style, str_text(&words));
	str_release(&words);
}

/* Of one line: who waits; else who is gone; else what most do. */
static enum track_state choose_state(const struct strip *strip)
{
	enum track_state most = TRACK_LOST;

	if (strip->most[TRACK_WAITING] || strip->most[TRACK_BLOCKED])
		return strip->most[TRACK_WAITING] >= strip->most[TRACK_BLOCKED] ? TRACK_WAITING :
										  TRACK_BLOCKED;
	if (strip->most[TRACK_DEAD])
		return TRACK_DEAD;
	for (int i = TRACK_LOST - 1; i >= 0; i--)
		if (strip->now[i] > strip->now[most])
			most = (enum track_state)i;
	return most;
}

/* Of more than one the worst first. */
static size_t choose_states(const struct strip *strip, size_t room, enum track_state *ret)
{
	size_t n = 0;

	if (room == 1) {
		*ret = choose_state(strip);
		return strip->most[*ret] > 0;
	}
	for (int i = TRACK_STATES - 1; i >= 0 && n < room; i--)
		if (strip->most[i])
			ret[n++] = (enum track_state)i;
	return n;
}

void draw_strip(const struct screen *screen)
{
	struct strip strip = {.most = {0}};
	enum track_state states[TRACK_STATES];
	int h = screen->layout.strip.h;
	size_t n;

	if (h < 1)
		return;
	take_census(screen->state, &strip);
	n = choose_states(&strip, h < TRACK_STATES ? (size_t)h : TRACK_STATES, states);
	for (size_t i = 0; i < n; i++)
		draw_counts(screen, &strip, (int)i, states[i]);
}
