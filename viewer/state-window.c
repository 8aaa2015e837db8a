/* SPDX-License-Identifier: Apache-2.0 */
/* Zoom, pan, fit, follow. */
#include "viewer/state-private.h"

void state_fit(struct state *state)
{
	state->window = state->bounds;
}

/* A column is never less than a nanosecond, and a screen never less than a microsecond. */
uint64_t state_least_span(const struct state *state)
{
	return state->cells_w > 1000 ? (uint64_t)state->cells_w : 1000;
}

void state_zoom(struct state *state, int64_t about, bool in)
{
	struct window old = state->window;

	state->window = in ? window_zoom(old, state->bounds, about, 1, 2, state_least_span(state)) :
			     window_zoom(old, state->bounds, about, 2, 1, state_least_span(state));
	if (window_span(state->window) == window_span(old))
		state_tell(state, in ? "this is as near as it goes" : "this is the whole job");
	state->window = window_show(state->window, state->bounds, state->when);
}

/* The cursor stays in the window. */
static void pan(struct state *state, bool left)
{
	uint64_t span = window_span(state->window), by = span / 4 ? span / 4 : 1;
	int64_t from = left ? window_earlier(state->window.from, by) :
			      window_later(state->window.from, by);
	struct window old = state->window, now = window_within(state->bounds, from, span);

	if (now.from == old.from)
		state_tell(state, left ? "this is the beginning" : "this is the end");
	state->window = now;
	if (state->when < now.from)
		state->when = now.from;
	if (state->when > now.to || (state->when == now.to && now.to < state->bounds.to))
		state->when = window_at(now, state->cells_w, state->cells_w - 1);
}

/* What is under the cursor: a span of the rank, or all of its row's. */
static void fit_under(struct state *state)
{
	const struct track_span *span =
		state->rank < 0 ? NULL : track_at(&state->tracks->at[state->rank], state->when);
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

static void centre_or_fit(struct state *state)
{
	struct window centred = window_centre(state->window, state->bounds, state->when);
	bool is_centred = centred.from == state->window.from;

	if (state->centred || is_centred)
		fit_under(state);
	else
		state->window = centred;
	state->centred = !state->centred;
}

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
		state_fit(state);
		return true;
	case REQUEST_FIT_SELECTION:
		centre_or_fit(state);
		return true;
	case REQUEST_MEASURE:
		state->measuring = !state->measuring;
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
