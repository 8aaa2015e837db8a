/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole job in one line, what is in sight between brackets: of each column the worst that a
 * rank's own cell would show there. It depends on no window, and is made once for a width.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "viewer/draw.h"
#include "viewer/state/state-private.h"
#include "viewer/timeline/timeline.h"

struct minimap {
	struct window bounds; /* what it was made for */
	int w;
	uint8_t worst[CELLS_W + 1]; /* enum track_state */
};

/* Asks each rank for each column. */
static void ask_ranks(const struct state *state, struct minimap *map, const int64_t *edges)
{
	uint8_t states[CELLS_W + 1];

	for (size_t i = 0; i < state->tracks->n; i++) {
		pyramid_states(state->pyramid, i, edges, map->w, states);
		for (int column = 0; column < map->w; column++)
			if (states[column] > map->worst[column])
				map->worst[column] = states[column];
	}
}

/*
 * Asks the tally for each column: of very many, whom to ask each would be felt, how many were how
 * badly off is known.
 */
static void ask_tally(const struct state *state, struct minimap *map, const int64_t *edges)
{
	for (int column = 0; column < map->w; column++) {
		uint32_t counts[TRACK_STATES];

		pyramid_tally(state->pyramid, edges[column], edges[column + 1], counts);
		for (int i = TRACK_STATES - 1; i > 0 && !map->worst[column]; i--)
			if (counts[i])
				map->worst[column] = (uint8_t)i;
	}
}

/* Returns the minimap, made anew where time or width are others. */
static const struct minimap *take_minimap(struct state *state)
{
	int w = state->cells_w < CELLS_W ? state->cells_w : CELLS_W;
	struct minimap *map = state->minimap;
	int64_t edges[CELLS_W + 1];

	if (map && map->w == w && map->bounds.from == state->bounds.from &&
		map->bounds.to == state->bounds.to)
		return map;
	free(map);
	state->minimap = map = alloc_zeroed(1, sizeof(*map));
	map->bounds = state->bounds;
	map->w = w;
	edges[0] = window_at(state->bounds, w, 0);
	for (int column = 1; column <= w; column++) {
		edges[column] = window_at(state->bounds, w, column);
		if (edges[column] <= edges[column - 1])
			edges[column] = window_later(edges[column - 1], 1);
	}
	if (state->tracks->n > TIMELINE_MANY)
		ask_tally(state, map, edges);
	else
		ask_ranks(state, map, edges);
	return map;
}

void draw_minimap(const struct screen *screen)
{
	struct state *state = screen->state;
	struct rect area = screen->layout.minimap;
	int from = window_column(state->bounds, state->cells_w, state->window.from);
	int to = window_column(state->bounds, state->cells_w, state->window.to);
	const struct minimap *map;

	if (area.h < 1)
		return;
	map = take_minimap(state);
	for (int column = 0; column < map->w; column++)
		cells_glyph(screen->cells, area, state->label_w + column, 0,
			(enum style)(STYLE_STATE + (int)map->worst[column]),
			(enum glyph)(GLYPH_STATE + (int)map->worst[column]));
	if (to >= state->cells_w)
		to = state->cells_w;
	cells_put(screen->cells, area, state->label_w + from - 1, 0, STYLE_STRONG, "[");
	cells_put(screen->cells, area, state->label_w + (to > from ? to : from + 1), 0,
		STYLE_STRONG, "]");
	cells_put_words(screen->cells, area, state->label_w + state->cells_w + 2, 0,
		state->doing_w - 2, STYLE_FAINT, "whole job");
}
