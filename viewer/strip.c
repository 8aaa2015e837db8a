/* SPDX-License-Identifier: Apache-2.0 */
/* The strip below the rows: how many ranks are in which state, over time. */
#include <inttypes.h>
#include <string.h>

#include "viewer/draw.h"
#include "viewer/state-private.h"
#include "viewer/timeline.h"

#define STRIP_FEW 64

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
	struct axis axis = state_axis(state);

	for (int column = 0; column < state->cells_w && column < CELLS_W; column++) {
		int64_t from = axis_at(&axis, column), to = axis_at(&axis, column + 1);
		uint32_t counts[TRACK_STATES];

		if (column == axis.split)
			continue;
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
