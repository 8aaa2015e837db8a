/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows there are, which of them is chosen, and which are drawn. */
#include "viewer/state/state-private.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"

void state_make_rows(struct state *state)
{
	struct rows_wish wish = {.by = state->by,
		.by_chosen = state->by_chosen,
		.room = state->room ? state->room : 1,
		.filter = str_text(&state->filter),
		.tagged = state->tagged,
		.expanded = state->expanded,
		.all_expanded = state->all_expanded,
		.laned = is_rank(state->laned) ? &state->laned : NULL};

	rows_free(state->rows);
	state->rows = rows_new(state->tracks, state->scene.verdicts, &wish);
	state->folds = folds_new(state->tracks, state->pyramid, state->rows, state->folds);
	state->scene.rows = state->rows;
	free(state->shares);
	state->shares = alloc_zeroed(state->rows->n + 1, sizeof(*state->shares));
	state->by = state->rows->by;
	state->rows_stale = false;
	state->row = -1;
	state_drop_lines(state);
}

/* Returns how many rows are pinned and drawn before all others. */
static size_t state_pinned(const struct state *state)
{
	size_t pinned = 0, most = (size_t)state->layout.rows.h / 2;

	while (pinned < state->rows->n && state->rows->at[pinned].tagged && pinned < most)
		pinned++;
	return pinned;
}

ptrdiff_t state_row_at(const struct state *state, int line)
{
	size_t pinned = state_pinned(state), row;

	if (line < 0 || line >= state->layout.rows.h)
		return -1;
	row = (size_t)line < pinned ? (size_t)line : state->top + (size_t)line;
	return row < state->rows->n ? (ptrdiff_t)row : -1;
}

/*
 * Scrolls so that the row is seen. `top` is how many rows below the pinned ones are scrolled away.
 */
static void scroll(struct state *state)
{
	size_t pinned = state_pinned(state), n = state->rows->n;
	size_t room = state->layout.rows.h > 0 ? (size_t)state->layout.rows.h : 0;
	size_t row = state->row < 0 ? 0 : (size_t)state->row;

	if (room <= pinned)
		return;
	if (n <= room)
		state->top = 0;
	else if (state->top > n - room)
		state->top = n - room;
	if (row < pinned)
		return;
	if (row < pinned + state->top)
		state->top = row - pinned;
	else if (row >= state->top + room)
		state->top = row - room + 1;
}

/* True if a rank is in the row. */
static bool row_has(const struct row *row, struct rank_index rank)
{
	size_t place = bisect(0, row->n, i, row->ranks[i].i < rank.i);

	return place < row->n && same_rank(row->ranks[place], rank);
}

void state_find_row(struct state *state)
{
	const struct rows *rows = state->rows;
	ptrdiff_t row = state->row;

	if (row < 0 || (size_t)row >= rows->n || !row_has(&rows->at[row], state->rank)) {
		row = is_rank(state->rank) ? rows_of_rank(rows, state->rank) : -1;
		/* Its fold, where that is what was chosen. */
		for (ptrdiff_t i = row; state->on_fold && i >= 0; i--)
			if (rows->at[i].open && row_has(&rows->at[i], state->rank)) {
				row = i;
				break;
			}
	}
	if (row < 0 && rows->n) {
		row = 0;
		state->rank = rows->at[0].ranks[0];
	}
	if (!rows->n)
		state->rank = NO_RANK;
	state->row = row;
	state->on_fold = row >= 0 && rows->at[row].open;
	scroll(state);
}

bool state_set_filter(struct state *state, const char *filter)
{
	struct str why = {0};
	bool valid = rows_filter_is_valid(filter, &why);

	if (valid) {
		state->beside = false; /* who filters otherwise has them no more */
		str_cut(&state->filter, 0);
		str_add(&state->filter, filter);
		state_make_rows(state);
		if (!state->rows->n)
			state_tell(state, "no rank is like %s; & and Enter take it off", filter);
	} else {
		state_tell(state, "%s", *str_text(&why) ? str_text(&why) : "not a filter");
	}
	str_release(&why);
	return valid;
}

/* Pins all ranks of the row, or no longer. */
static void tag(struct state *state)
{
	const struct row *row;
	bool on;

	if (state->row < 0)
		return;
	row = &state->rows->at[state->row];
	on = !state->tagged[row->ranks[0].i];
	for (size_t i = 0; i < row->n; i++)
		state->tagged[row->ranks[i].i] = on;
	state_tell(state, on ? "pinned to the top" : "no longer pinned");
	state->rows_stale = true;
}

/* Pins nothing any more. */
static void untag(struct state *state)
{
	memset(state->tagged, 0, state->nranks * sizeof(*state->tagged));
	state_tell(state, "nothing is pinned");
	state->rows_stale = true;
}

/* Takes the next thing to fold rows by. */
static void group_by(struct state *state)
{
	state->by = (enum rows_by)((state->by + 1) % ROWS_BYS);
	state->by_chosen = true;
	state->rows_stale = true;
	state_tell(state, "rows by %s", rows_by_name(state->by));
}

/* Returns the fold that a row is, or is in: the row above it that is open. */
static ptrdiff_t fold_of(const struct state *state)
{
	ptrdiff_t row = state->row;

	while (row > 0 && state->rows->at[row].depth)
		row--;
	return row;
}

/* Opens a rank's lanes, of one rank at a time: one for each group in which it did anything. */
static void open_lanes(struct state *state, const struct row *row, bool open)
{
	size_t lanes = row ? rows_count_lanes(&state->tracks->at[row->ranks[0].i]) : 0;

	if (!open && row && row->laned) {
		state->laned = NO_RANK;
	} else if (!open || lanes < 3) {
		state_tell(state, "this row is no fold%s",
			open && row ? ", and what it calls is of one group" : "");
		return;
	} else {
		state->laned = row->ranks[0];
	}
	state->rank = row->ranks[0];
	state->on_fold = false;
	state->rows_stale = true;
}

/* Opens or closes the fold that the row is in. */
static void open_fold(struct state *state, bool open)
{
	ptrdiff_t fold = fold_of(state);
	const struct row *row = fold < 0 ? NULL : &state->rows->at[fold];

	if (!row || row->n < 2) {
		open_lanes(state, row, open);
		return;
	}
	if (!open && state->all_expanded) {
		state->all_expanded = false;
		memset(state->expanded, 0, state->nranks * sizeof(*state->expanded));
	}
	state->expanded[row->ranks[0].i] = open;
	state->rank = row->ranks[0];
	state->on_fold = open;
	state->rows_stale = true;
}

/* Opens all folds, or closes them. */
static void open_all(struct state *state)
{
	state->all_expanded = !state->all_expanded;
	if (!state->all_expanded)
		memset(state->expanded, 0, state->nranks * sizeof(*state->expanded));
	state_tell(state, state->all_expanded ? "all folds are open" : "all folds are closed");
	state->rows_stale = true;
}

bool state_do_rows(struct state *state, enum request request)
{
	switch (request) {
	case REQUEST_TAG:
		tag(state);
		return true;
	case REQUEST_UNTAG_ALL:
		untag(state);
		return true;
	case REQUEST_GROUP_BY:
		group_by(state);
		return true;
	default:
		break;
	}
	if (state->in_pane)
		return false;
	switch (request) {
	case REQUEST_EXPAND:
	case REQUEST_COLLAPSE:
		open_fold(state, request == REQUEST_EXPAND);
		return true;
	case REQUEST_EXPAND_ALL:
		open_all(state);
		return true;
	default:
		return false;
	}
}
