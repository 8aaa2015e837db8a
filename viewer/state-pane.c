/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Panes: which one is up, the line chosen in it, and where its cite leads. Lines are made anew when
 * what they depend on has changed, and only of panes that are seen.
 */
#include "viewer/state-private.h"

#include <string.h>

bool state_shows_pane(const struct state *state)
{
	return state->layout.pane.h > 0 && state->layout.pane.w > 0;
}

static bool is_fresh(const struct state_lines *lines, enum pane_number pane,
	const struct pane_place *place)
{
	const struct pane_place *old = &lines->place;

	return lines->made && lines->pane == pane && old->width == place->width &&
	       old->all == place->all &&
	       (!panes[pane].by_row || (old->rank == place->rank && old->row == place->row)) &&
	       (!panes[pane].timed || old->when == place->when);
}

/* Whether the pane's place in rank and time is another one than when its lines were made. */
static bool has_moved(const struct state *state, const struct state_lines *lines)
{
	return lines->pane != state->pane || lines->place.rank != state->rank ||
	       lines->place.when != state->when;
}

static void make(struct state *state, struct state_lines *into, enum pane_number pane,
	struct rect area)
{
	struct pane_place place = {.rank = state->rank,
		.row = state->row,
		.when = state->when,
		.width = area.w,
		.all = state->all[pane]};

	if (area.h <= 0 || area.w <= 0 || is_fresh(into, pane, &place))
		return;
	pane_lines_release(&into->lines);
	panes[pane].fill(&state->scene, &place, &into->lines);
	into->pane = pane;
	into->place = place;
	into->made = true;
}

/*
 * The chosen line stays in sight; out of the pane, the one that belongs to the time does. In it
 * that one is chosen as well where the pane has just been opened, or Enter has led away.
 */
static void scroll(struct state *state, bool moved)
{
	size_t n = state->lines.lines.all.nr, *line = &state->line[state->pane];
	size_t *top = &state->line_top[state->pane], h = (size_t)state->layout.pane.h;

	bool to_here = (!state->in_pane || moved) && state->lines.lines.here >= 0;

	if (to_here)
		*line = (size_t)state->lines.lines.here;
	if (*line >= n)
		*line = n ? n - 1 : 0;
	if (n <= h)
		*top = 0;
	else if (*top > n - h)
		*top = n - h;
	if (*line < *top)
		*top = *line;
	else if (h && *line >= *top + h)
		*top = *line - h + 1;
	/* What stands below it belongs to it. */
	if (to_here && n > h && *line + h / 3 >= *top + h)
		*top = *line + h / 3 < n ? *line + h / 3 + 1 - h : n - h;
}

void state_make_lines(struct state *state)
{
	bool moved = has_moved(state, &state->lines);

	if (state->layout.pane2.h > 0)
		make(state, &state->beside,
			state->pane == PANE_VERDICT ? PANE_STACKS : PANE_VERDICT,
			state->layout.pane2);
	if (!state_shows_pane(state)) {
		state->in_pane = false;
		return;
	}
	make(state, &state->lines, state->pane, state->layout.pane);
	scroll(state, moved);
}

/* In a narrow terminal a pane is seen where one is in it, and only there. */
void state_choose_pane(struct state *state, enum pane_number pane)
{
	state->pane = pane;
	state->pane_closed = false;
	if (state->layout.kind == LAYOUT_SINGLE)
		state->in_pane = true;
	state_settle(state);
}

const struct pane_line *state_line(const struct state *state)
{
	size_t line = state->line[state->pane];

	if (!state_shows_pane(state) || line >= state->lines.lines.all.nr)
		return NULL;
	return &state->lines.lines.all.items[line];
}

void state_pick_line(struct state *state, size_t line)
{
	size_t n = state->lines.lines.all.nr;

	state->line[state->pane] = line < n ? line : n ? n - 1 : 0;
}

void state_enter_line(struct state *state)
{
	const struct pane_line *line = state_line(state);

	if (!line || (line->rank < 0 && line->when == JOB_UNKNOWN)) {
		state_tell(state, "this line leads nowhere");
		return;
	}
	if (state->maximised || state->layout.kind == LAYOUT_SINGLE) {
		state->maximised = false;
		state->in_pane = false;
	}
	state_go(state, line->rank, line->when);
}

static bool line_has(const struct pane_line *line, const char *text)
{
	return strcasestr(line->text, text) || strcasestr(line->right, text);
}

bool state_search_lines(struct state *state, const char *text, bool back, bool from_here)
{
	size_t n = state->lines.lines.all.nr, at = state->line[state->pane];

	for (size_t i = from_here ? 0 : 1; i <= n && n; i++) {
		size_t line = back ? (at + n - i % n) % n : (at + i) % n;

		if (!line_has(&state->lines.lines.all.items[line], text))
			continue;
		if (i && (back ? line >= at : line <= at))
			state_tell(state, "the search wrapped");
		state_pick_line(state, line);
		return true;
	}
	return false;
}

/* -- Requests --------------------------------------------------------------------------------- */

static void move_line(struct state *state, ptrdiff_t by)
{
	ptrdiff_t line = (ptrdiff_t)state->line[state->pane] + by;

	state_pick_line(state, line > 0 ? (size_t)line : 0);
}

/* Of another colour of text: the next heading, or the end of this run. */
static void move_to_other_line(struct state *state, int by)
{
	const struct pane_lines *lines = &state->lines.lines;
	ptrdiff_t at = (ptrdiff_t)state->line[state->pane], n = (ptrdiff_t)lines->all.nr, i = at;

	while (i >= 0 && i < n && lines->all.items[i].style == lines->all.items[at].style)
		i += by;
	if (i >= 0 && i < n)
		state_pick_line(state, (size_t)i);
	else
		state_tell(state, "no other line %s", by < 0 ? "above" : "below");
}

static void longer(struct state *state, bool all)
{
	if (state->all[state->pane] == all)
		state_tell(state, all ? "this is all there is" : "this is the short form");
	state->all[state->pane] = all;
}

static bool do_in_pane(struct state *state, enum request request)
{
	int half = state->layout.pane.h > 3 ? state->layout.pane.h / 2 : 1;

	switch (request) {
	case REQUEST_ROW_DOWN:
	case REQUEST_ROW_UP:
		move_line(state, request == REQUEST_ROW_DOWN ? 1 : -1);
		return true;
	case REQUEST_ROW_FIRST:
		state_pick_line(state, 0);
		return true;
	case REQUEST_ROW_LAST:
		state_pick_line(state, state->lines.lines.all.nr);
		return true;
	case REQUEST_PAGE_DOWN:
	case REQUEST_PAGE_UP:
		move_line(state, request == REQUEST_PAGE_DOWN ? half : -half);
		return true;
	case REQUEST_CLASS_NEXT:
	case REQUEST_CLASS_PREV:
		move_to_other_line(state, request == REQUEST_CLASS_NEXT ? 1 : -1);
		return true;
	case REQUEST_EXPAND:
	case REQUEST_COLLAPSE:
		longer(state, request == REQUEST_EXPAND);
		return true;
	case REQUEST_EXPAND_ALL:
		longer(state, !state->all[state->pane]);
		return true;
	default:
		return false;
	}
}

static void enter(struct state *state)
{
	if (state->in_pane) {
		state_enter_line(state);
		return;
	}
	state->pane_closed = false;
	state->in_pane = true;
}

static void maximise(struct state *state)
{
	state->maximised = !state->maximised;
	state->pane_closed = false;
	state->in_pane = state->maximised;
}

/* One step out: of what is searched or measured, of the pane, to the place before the last jump. */
static void go_back(struct state *state)
{
	if (state->measuring)
		state->measuring = false;
	else if (state->maximised)
		maximise(state);
	else if (state->in_pane)
		state->in_pane = false;
	else if (!state_go_back(state))
		state_tell(state, "there is nothing to go back to");
}

bool state_do_pane(struct state *state, enum request request)
{
	int next = (state->pane + 1) % PANES, prev = (state->pane + PANES - 1) % PANES;

	switch (request) {
	case REQUEST_PANE_NEXT:
	case REQUEST_PANE_PREV:
		/* A pane that is not seen is opened first. */
		if (!state_shows_pane(state))
			state_choose_pane(state, state->pane);
		else
			state_choose_pane(state, (enum pane_number)(
				request == REQUEST_PANE_NEXT ? next : prev));
		return true;
	case REQUEST_PANE_VERDICT:
	case REQUEST_PANE_STACKS:
	case REQUEST_PANE_EVENTS:
	case REQUEST_PANE_GROUPS:
	case REQUEST_PANE_RECEIPT:
		state_choose_pane(state, (enum pane_number)(request - REQUEST_PANE_VERDICT));
		return true;
	case REQUEST_ENTER:
		enter(state);
		return true;
	case REQUEST_BACK:
		go_back(state);
		return true;
	case REQUEST_MAXIMISE:
		maximise(state);
		return true;
	default:
		return state->in_pane && do_in_pane(state, request);
	}
}
