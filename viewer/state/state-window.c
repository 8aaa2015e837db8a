/* SPDX-License-Identifier: Apache-2.0 */
/* Zoom, pan, fit, follow. */
#include "viewer/state/state-private.h"

void state_fit(struct state *state)
{
	state->window = state->bounds;
	state->at_fork = false;
	state_break(state);
}

struct axis state_axis(const struct state *state)
{
	return axis_of(state->window, state->fork, state->cells_w);
}

void state_break(struct state *state)
{
	state->fork = (struct axis_break){0, 1};
	if (state->forked != JOB_UNKNOWN && !state->one_scale)
		state->fork = axis_break_for(state->window, state->forked);
}

/*
 * Returns the least that a screen shows: a column is never less than a nanosecond, and a screen
 * never less than a microsecond.
 */
static uint64_t state_least_span(const struct state *state)
{
	return state->cells_w > 1000 ? (uint64_t)state->cells_w : 1000;
}

void state_zoom(struct state *state, int64_t about, bool in)
{
	struct window old = state->window;

	state->window = axis_zoom(state->fork, old, state->bounds, about, in ? 1 : 2, in ? 2 : 1,
		state_least_span(state));
	if (window_span(state->window) == window_span(old))
		state_tell(state, in ? "this is as near as it goes" : "this is the whole job");
	state->window = axis_show(state->fork, state->window, state->bounds, state->when);
}

/* Moves the window by a quarter. The cursor stays in it. */
static void pan(struct state *state, bool left)
{
	struct window old = state->window;
	struct window now = axis_pan(state->fork, old, state->bounds, left ? -1 : 1, 4);
	struct axis axis;

	if (now.from == old.from)
		state_tell(state, left ? "this is the beginning" : "this is the end");
	state->window = now;
	axis = state_axis(state);
	if (state->when < now.from)
		state->when = now.from;
	if (state->when > now.to || (state->when == now.to && now.to < state->bounds.to))
		state->when = axis_at(&axis, state->cells_w - 1);
}

/* Shows what is under the cursor: a span of the rank. */
static void fit_under(struct state *state)
{
	const struct track_span *span =
		!is_rank(state->rank) ? NULL
				      : track_at(&state->tracks->at[state->rank.i], state->when);
	uint64_t length, margin;

	if (!span || span->from >= span->to) {
		state_tell(state, "nothing is known here that could be fitted");
		return;
	}
	length = window_between(span->from, span->to);
	margin = length / 10;
	if (length < state_least_span(state))
		length = state_least_span(state);
	state->window = window_within(state->bounds, window_earlier(span->from, margin),
		length > UINT64_MAX - 2 * margin ? UINT64_MAX : length + 2 * margin);
	state->window = window_show(state->window, state->bounds, state->when);
	state_tell(state, "%s", *span->name ? span->name : track_state_name(span->state));
}

/* Puts the cursor in the middle; asked again, fits what is under it. */
static void centre_or_fit(struct state *state)
{
	struct window centred =
		axis_centre(state->fork, state->window, state->bounds, state->when);
	bool is_centred = centred.from == state->window.from;

	if (state->centred || is_centred)
		fit_under(state);
	else
		state->window = centred;
	state->centred = !state->centred;
}

#define Z_ENTRIES 6 /* ops before the fork that z shows */

/* Shows all of it; asked again, on one scale. */
static void fit(struct state *state)
{
	bool whole = state->window.from == state->bounds.from &&
		     state->window.to == state->bounds.to && !state->at_fork;

	if (whole && (state->fork.scale != 1 || state->one_scale)) {
		state->one_scale = !state->one_scale;
		state_tell(state, state->one_scale ? "one scale for all of it; 0 breaks it"
						   : "broken at the fork; 0 unbreaks it");
	} else {
		state->one_scale = false;
	}
	state_fit(state);
}

/* Goes to the moment from which on it hangs, on one scale; and back. */
static void zoom_to_fork(struct state *state)
{
	uint64_t before;
	int64_t from;

	if (state->forked == JOB_UNKNOWN) {
		state_tell(state, "nothing hangs: there is no fork to zoom to");
		return;
	}
	state->at_fork = !state->at_fork;
	if (!state->at_fork) {
		state->window = state->unzoomed;
		state_break(state);
		return;
	}
	state->unzoomed = state->window;
	from = state_entry_before(state, state->rank, state->forked, Z_ENTRIES);
	before = window_between(from == JOB_UNKNOWN ? state->bounds.from : from, state->forked);
	before += before / 8;
	if (before < state_least_span(state))
		before = state_least_span(state);
	state->fork.scale = 1;
	state->window = window_within(
		state->bounds, window_earlier(state->forked, before), 2 * before);
	state_set_when(state, state->forked);
	state_tell(state, "where it began to hang; z goes back");
}

/* Follows the job's end, or no more. */
static void follow(struct state *state)
{
	if (!state->scene.live) {
		state_tell(state, "this is not a live job: it does not move");
		return;
	}
	state->follow = !state->follow;
	state_tell(state, state->follow ? "follows the job" : "follows no more");
	if (!state->follow)
		return;
	state->frozen = false;
	state->window = window_within(
		state->bounds, state->bounds.to, window_span(state->window));
	state->when = state->bounds.to;
}

/* Wants no next look, or wants them again. */
static void freeze(struct state *state)
{
	if (!state->scene.live) {
		state_tell(state, "this is not a live job: it does not move");
		return;
	}
	state->frozen = !state->frozen;
	state_tell(state, state->frozen ? "frozen: Z looks again" : "looks again");
}

bool state_do_window(struct state *state, enum request request)
{
	switch (request) {
	case REQUEST_ZOOM_IN:
	case REQUEST_ZOOM_OUT:
		state_zoom(state, state->when, request == REQUEST_ZOOM_IN);
		return true;
	case REQUEST_PAN_LEFT:
	case REQUEST_PAN_RIGHT:
		pan(state, request == REQUEST_PAN_LEFT);
		return true;
	case REQUEST_FIT_ALL:
		fit(state);
		return true;
	case REQUEST_ZOOM_FORK:
		zoom_to_fork(state);
		return true;
	case REQUEST_FIT_SELECTION:
		centre_or_fit(state);
		return true;
	case REQUEST_MEASURE:
		state->measuring = !state->measuring;
		state->drawn = false;
		state->anchor = state->when;
		return true;
	case REQUEST_FOLLOW:
		follow(state);
		return true;
	case REQUEST_FREEZE:
		freeze(state);
		return true;
	default:
		return false;
	}
}
