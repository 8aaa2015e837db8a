/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cursor: a row and a time. It moves in columns and rows, jumps, and remembers where it was;
 * the window follows it.
 */
#include "viewer/state/state-private.h"

#include <string.h>

void state_set_when(struct state *state, int64_t when)
{
	if (when < state->bounds.from)
		when = state->bounds.from;
	if (when > state->bounds.to)
		when = state->bounds.to;
	state->when = when;
	state->window = axis_show(state->fork, state->window, state->bounds, when);
}

void state_pick_row(struct state *state, ptrdiff_t row)
{
	const struct rows *rows = state->rows;

	if (!rows->n)
		return;
	if (row < 0)
		row = 0;
	if ((size_t)row >= rows->n)
		row = (ptrdiff_t)rows->n - 1;
	if (row == state->row)
		return;
	state->row = row;
	state->rank = rows->at[row].ranks[0];
	state->on_fold = rows->at[row].open;
}

/* -- Places ----------------------------------------------------------------------------------- */

struct state_place state_here(const struct state *state)
{
	return (struct state_place){state->rank, state->when, state->pane};
}

void state_restore(struct state *state, const struct state_place *place)
{
	if (is_rank(place->rank) && (size_t)place->rank.i < state->nranks) {
		state->rank = place->rank;
		state->on_fold = false;
		state->row = -1;
	}
	state_set_when(state, place->when);
	state->pane = place->pane;
}

/* Adds a place; of too many the oldest goes. */
static void push(struct state_place *places, size_t *n, struct state_place place)
{
	if (*n == STATE_BACK)
		memmove(places, places + 1, --*n * sizeof(*places));
	places[(*n)++] = place;
}

void state_remember(struct state *state)
{
	push(state->back, &state->nback, state_here(state));
}

bool state_go_back(struct state *state)
{
	if (!state->nback)
		return false;
	state_restore(state, &state->back[--state->nback]);
	return true;
}

void state_go(struct state *state, struct rank_index rank, int64_t when)
{
	state_remember(state);
	if (is_rank(rank) && (size_t)rank.i < state->nranks) {
		if (rows_of_rank(state->rows, rank) < 0 && state->filter.len) {
			state_set_filter(state, "");
			state_tell(state, "the filter hid it: taken off");
		}
		state->rank = rank;
		state->on_fold = false;
		state->row = -1;
	}
	if (when == JOB_UNKNOWN)
		return;
	if (when < state->window.from || when > state->window.to)
		state->window = axis_centre(state->fork, state->window, state->bounds, when);
	state_set_when(state, when);
}

/* -- Steps ------------------------------------------------------------------------------------ */

/* Moves by columns; at the window's edge it pans. */
static void move_time(struct state *state, int columns)
{
	struct axis axis = state_axis(state);
	int width = state->cells_w, column = axis_column(&axis, state->when);
	int64_t when;

	if (column >= width)
		column = width - 1;
	column += columns;
	if (column == axis.split && axis.split >= 0)
		column += columns < 0 ? -1 : 1;
	when = axis_beyond(&axis, column);
	/* Columns narrower than a nanosecond: still it moves. */
	if (when == state->when)
		when = columns < 0 ? window_earlier(when, 1) : window_later(when, 1);
	state_set_when(state, when);
}

/* Returns how many rows a page key moves. */
static ptrdiff_t half_page(const struct state *state)
{
	return state->layout.rows.h > 3 ? state->layout.rows.h / 2 : 1;
}

/* True if two rows are in the same: their state now, and in what. */
static bool is_alike(const struct state *state, ptrdiff_t a, ptrdiff_t b)
{
	const struct track *x = &state->tracks->at[state->rows->at[a].ranks[0].i];
	const struct track *y = &state->tracks->at[state->rows->at[b].ranks[0].i];

	return x->now == y->now && !strcmp(x->doing, y->doing);
}

/* Goes to the next row that is in something else. */
static void move_to_other_class(struct state *state, int by)
{
	ptrdiff_t row = state->row, n = (ptrdiff_t)state->rows->n;

	if (row < 0)
		return;
	while (row >= 0 && row < n && is_alike(state, row, state->row))
		row += by;
	if (row < 0 || row >= n)
		state_tell(state, "all rows %s are in the same state", by < 0 ? "above" : "below");
	else
		state_pick_row(state, row);
}

/* Takes the requests that move in time. */
static bool do_time(struct state *state, enum request request)
{
	int half = state->cells_w / 2 > 0 ? state->cells_w / 2 : 1;

	switch (request) {
	case REQUEST_TIME_LEFT:
		move_time(state, -1);
		return true;
	case REQUEST_TIME_RIGHT:
		move_time(state, 1);
		return true;
	case REQUEST_TIME_LEFT_FAR:
		move_time(state, -half);
		return true;
	case REQUEST_TIME_RIGHT_FAR:
		move_time(state, half);
		return true;
	case REQUEST_TIME_FIRST:
		state_set_when(state, state->bounds.from);
		return true;
	case REQUEST_TIME_LAST:
		state_set_when(state, state->bounds.to);
		return true;
	default:
		return false;
	}
}

/* Takes the requests that move between rows. */
static bool do_row(struct state *state, enum request request)
{
	switch (request) {
	case REQUEST_ROW_DOWN:
		state_pick_row(state, state->row + 1);
		return true;
	case REQUEST_ROW_UP:
		state_pick_row(state, state->row - 1);
		return true;
	case REQUEST_ROW_FIRST:
		state_pick_row(state, 0);
		return true;
	case REQUEST_ROW_LAST:
		state_pick_row(state, (ptrdiff_t)state->rows->n - 1);
		return true;
	case REQUEST_PAGE_DOWN:
		state_pick_row(state, state->row + half_page(state));
		return true;
	case REQUEST_PAGE_UP:
		state_pick_row(state, state->row - half_page(state));
		return true;
	case REQUEST_CLASS_PREV:
	case REQUEST_CLASS_NEXT:
		move_to_other_class(state, request == REQUEST_CLASS_PREV ? -1 : 1);
		return true;
	default:
		return false;
	}
}

/* Takes both; in a pane the keys of rows are those of its lines. */
bool state_do_move(struct state *state, enum request request)
{
	return do_time(state, request) || (!state->in_pane && do_row(state, request));
}

/* -- Events of the row ------------------------------------------------------------------------ */

/* Returns the nearest event of the rank before or behind the cursor; NULL none. */
static const struct track_event *neighbour(const struct track *track, int64_t when, bool back)
{
	ptrdiff_t at = track_event_before(track, when);

	if (!back)
		at++;
	else
		while (at >= 0 && track->events[at].when >= when)
			at = when > INT64_MIN + 1 ? track_event_before(track, when - 1) : -1;
	if (at < 0 || (size_t)at >= track->nevents || track->events[at].when == JOB_UNKNOWN)
		return NULL;
	return &track->events[at];
}

/* Goes to the nearest event of the row's ranks. */
static void move_event(struct state *state, bool back)
{
	const struct row *row = state->row < 0 ? NULL : &state->rows->at[state->row];
	const struct track_event *best = NULL;
	struct rank_index rank = NO_RANK;

	for (size_t i = 0; row && i < row->n; i++) {
		const struct track *track = &state->tracks->at[row->ranks[i].i];
		const struct track_event *event = neighbour(track, state->when, back);

		if (!event || (best && (back ? event->when <= best->when :
					       event->when >= best->when)))
			continue;
		best = event;
		rank = row->ranks[i];
	}
	if (!best) {
		state_tell(state, "no event %s", back ? "before" : "after");
		return;
	}
	state->rank = rank;
	state_set_when(state, best->when);
	state_tell(state, "%s %s", track_kind_name(best->kind), best->name);
}

/* -- What is odd, of all ranks ----------------------------------------------------------------- */

/* Orders by time, then by rank: true if the event of that rank comes behind the other place. */
static bool is_behind(int64_t when, struct rank_index rank, int64_t other, struct rank_index than)
{
	return when != other ? when > other : rank.i > than.i;
}

/*
 * Returns the worst of what happens to the rank at the moment of that event, if odd; *at moves to
 * the last.
 */
static const struct track_event *worst_at(const struct track *track, size_t *at)
{
	const struct track_event *worst = &track->events[*at];

	if (worst->when == JOB_UNKNOWN)
		return NULL;
	for (; *at + 1 < track->nevents && track->events[*at + 1].when == worst->when; ++*at)
		if (track->events[*at + 1].kind > worst->kind)
			worst = &track->events[*at + 1];
	return worst->kind >= TRACK_EXCEPTION ? worst : NULL;
}

/*
 * The nearest behind (or before) the cursor, in time and then by rank, so that of several at one
 * moment each has its turn; NULL none. How many there are on that side, it included. Every event is
 * asked: such a key is pressed once, not held.
 */
static const struct track_event *find_odd(
	const struct state *state, bool back, struct rank_index *ret_rank, size_t *ret_n)
{
	const struct track_event *best = NULL;

	*ret_n = 0;
	job_for_each_rank(state->scene.job, rank) {
		const struct track *track = &state->tracks->at[rank.i];

		for (size_t i = 0; i < track->nevents; i++) {
			const struct track_event *event = worst_at(track, &i);

			if (!event ||
				is_behind(event->when, rank, state->when, state->rank) == back ||
				(event->when == state->when && same_rank(rank, state->rank)))
				continue;
			++*ret_n;
			if (best && is_behind(event->when, rank, best->when, *ret_rank) != back)
				continue;
			best = event;
			*ret_rank = rank;
		}
	}
	return best;
}

static void move_odd(struct state *state, bool back)
{
	struct rank_index of = NO_RANK;
	size_t left;
	const struct track_event *best = find_odd(state, back, &of, &left);

	if (!best) {
		state_tell(state, "no exception, signal, death or gap %s",
			back ? "before" : "after");
		return;
	}
	state_go(state, of, best->when);
	if (left > 1)
		state_tell(state, "%s %s; %zu more", track_kind_name(best->kind), best->name,
			left - 1);
	else
		state_tell(state, "%s %s", track_kind_name(best->kind), best->name);
}

bool state_do_event(struct state *state, enum request request)
{
	switch (request) {
	case REQUEST_ODD_NEXT:
	case REQUEST_ODD_PREV:
		move_odd(state, request == REQUEST_ODD_PREV);
		return true;
	case REQUEST_EVENT_PREV:
		move_event(state, true);
		return true;
	case REQUEST_EVENT_NEXT:
		move_event(state, false);
		return true;
	case REQUEST_VERDICT_JUMP:
		state_jump_verdict(state);
		return true;
	case REQUEST_MARK_SET:
		state_prompt_open(state, PROMPT_MARK_SET);
		return true;
	case REQUEST_MARK_JUMP:
		state_prompt_open(state, PROMPT_MARK_JUMP);
		return true;
	default:
		return false;
	}
}
