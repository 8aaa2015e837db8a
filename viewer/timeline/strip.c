/* SPDX-License-Identifier: Apache-2.0 */
/* The strip below the rows: how many ranks are in which state, over time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "viewer/draw.h"
#include "viewer/state/state-private.h"
#include "viewer/timeline/timeline.h"

/* What was counted. */
struct strip {
	struct axis axis; /* what it was counted for */
	struct window bounds;
	uint32_t counts[TRACK_STATES][CELLS_W + 1];
	uint32_t most[TRACK_STATES]; /* in any column */
	uint32_t now[TRACK_STATES]; /* in the last one */
};

/*
 * Counts in the last column the ranks of hosts that were looked at first, with what they did then:
 * hosts are looked at one after another, in the last column there is nothing of those, and how many
 * wait is still what one asks.
 */
static void add_early(const struct state *state, struct strip *strip)
{
	struct axis axis = state_axis(state);
	int64_t from = axis_at(&axis, state->cells_w - 1);

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

/* Cells between two edges; the break is none of them, but the two beside it have one edge. */
struct edges {
	int64_t at[CELLS_W + 2];
	int first; /* column of the first */
	int n;
};

/* Returns the edges of the cells [from, to). */
static struct edges edges_of(const struct state *state, const struct axis *axis, int from, int to)
{
	struct edges edges = {.first = from, .n = to - from};

	for (int column = from; column <= to; column++)
		edges.at[column - from] = axis_at(axis, column);
	if (edges.n > 0)
		edges.at[edges.n] = timeline_cell_end(
			state, to - 1, edges.at[edges.n - 1], edges.at[edges.n]);
	return edges;
}

/*
 * Counts a rank with what its own cell shows, so that the strip never says otherwise than the rows:
 * of runs of one state, one more from there on, and one less behind it.
 */
static void count_rank(const struct state *state, struct strip *strip, const struct edges *edges,
	size_t rank)
{
	uint8_t states[CELLS_W + 1];

	if (edges->n < 1)
		return;
	pyramid_states(state->pyramid, rank, edges->at, edges->n, states);
	for (int i = 0; i < edges->n; i++) {
		if (i && states[i] == states[i - 1])
			continue;
		strip->counts[states[i]][edges->first + i]++;
		if (i)
			strip->counts[states[i - 1]][edges->first + i]--;
	}
	strip->counts[states[edges->n - 1]][edges->first + edges->n]--;
}

/* Counts each rank, on both sides of the break. */
static void count_ranks(const struct state *state, struct strip *strip)
{
	const struct axis *axis = &strip->axis;
	int split = axis->split < 0 ? 0 : axis->split;
	struct edges before = edges_of(state, axis, 0, split);
	struct edges behind = edges_of(state, axis, axis->split + 1, axis->width);

	for (size_t i = 0; i < state->tracks->n; i++) {
		count_rank(state, strip, &before, i);
		count_rank(state, strip, &behind, i);
	}
}

/* Takes a count that was made once for all zooms, of very many: the most at once, not in all. */
static void count_at_once(const struct state *state, struct strip *strip)
{
	for (int column = 0; column < strip->axis.width; column++) {
		int64_t from = axis_at(&strip->axis, column);
		int64_t to = axis_at(&strip->axis, column + 1);
		uint32_t counts[TRACK_STATES];

		if (column == strip->axis.split)
			continue;
		to = timeline_cell_end(state, column, from, to);
		pyramid_tally(state->pyramid, from, to, counts);
		for (int i = 0; i < TRACK_STATES; i++) {
			strip->counts[i][column] = strip->now[i] = counts[i];
			if (counts[i] > strip->most[i])
				strip->most[i] = counts[i];
		}
	}
}

/* Sums up what was counted as more and less. */
static void sum_up(struct strip *strip)
{
	int w = strip->axis.width;

	for (int state = 0; state < TRACK_STATES; state++) {
		uint32_t sum = 0;

		for (int column = 0; column < w; column++) {
			sum += strip->counts[state][column];
			if (column == strip->axis.split)
				continue;
			strip->counts[state][column] = sum;
			if (sum > strip->most[state])
				strip->most[state] = sum;
		}
		strip->now[state] = sum;
	}
}

/* True if it was counted for this axis. */
static bool is_counted(const struct strip *strip, const struct axis *axis, struct window bounds)
{
	return strip && strip->axis.width == axis->width && strip->axis.split == axis->split &&
	       strip->axis.window.from == axis->window.from &&
	       strip->axis.window.to == axis->window.to && strip->bounds.to == bounds.to;
}

/* Returns the count for what is in sight. */
static struct strip *take_tally(struct state *state)
{
	struct axis axis =
		axis_of(state->window, state->fork, state->cells_w < CELLS_W ? state->cells_w
									      : CELLS_W);
	struct strip *strip = state->strip;

	if (is_counted(strip, &axis, state->bounds))
		return strip;
	free(strip);
	strip = alloc_zeroed(1, sizeof(*strip));
	strip->axis = axis;
	strip->bounds = state->bounds;
	if (state->tracks->n > TIMELINE_MANY) {
		count_at_once(state, strip);
	} else {
		count_ranks(state, strip);
		sum_up(strip);
	}
	if (state->tracks->uneven && state->window.to >= state->bounds.to)
		add_early(state, strip);
	state->strip = strip;
	return strip;
}

/* Draws a count: a digit where one says it; else eighths of all ranks. */
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

/* Draws one state's line. */
static void draw_counts(const struct screen *screen, const struct strip *strip, int y,
	enum track_state of)
{
	const struct state *state = screen->state;
	enum style style = (enum style)(STYLE_STATE + (int)of);
	struct axis axis = state_axis(state);
	struct str words = {0};

	for (int column = 0; column < state->cells_w && column < CELLS_W; column++)
		if (column == axis.split)
			cells_glyph(screen->cells, screen->layout.strip, state->label_w + column,
				y, STYLE_FAINT, GLYPH_BREAK);
		else
			draw_count(screen, state->label_w + column, y, of,
				strip->counts[of][column]);
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

/* Returns the state for one line: who waits; else who is gone; else what most do. */
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

/* Chooses states for so many lines, of more than one the worst first; returns how many. */
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
	const struct strip *strip;
	enum track_state states[TRACK_STATES];
	int h = screen->layout.strip.h;
	size_t n;

	if (h < 1)
		return;
	strip = take_tally(screen->state);
	n = choose_states(strip, h < TRACK_STATES ? (size_t)h : TRACK_STATES, states);
	for (size_t i = 0; i < n; i++)
		draw_counts(screen, strip, (int)i, states[i]);
}
