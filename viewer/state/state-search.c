/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search, from where one is on: the events of this rank, then rank by rank as the rows have them: a
 * rank itself is found by its number, its host, a group that it is in or a frame on its stacks;
 * then its events by their names. Nothing is collected: n goes to the next one. Of a great many
 * events one search looks through BUDGET, says so, and the next n goes on from there.
 */
#include "viewer/state/rows-filter.h"
#include "viewer/state/state-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BUDGET 20000000 /* events */
#define CHEAP  500000 /* so few events are searched with each key that is typed */

/* Where a search stands: a rank of a row, and an event of it; -1: before all its events. */
struct spot {
	ptrdiff_t row;
	size_t k;
	ptrdiff_t event;
	bool wrapped;
};

void state_search_new(struct state *state, const char *text)
{
	struct str copy = {0};

	str_add(&copy, text);
	str_release(&state->search.text);
	state->search.text = copy;
	state->search.hit_made = false;
	state_search_uncount(state);
	state->search.rank = NO_RANK;
}

/* -- Ranks ------------------------------------------------------------------------------------ */

/* Marks the ranks in a group whose name has the text. */
static void mark_groups(const struct job *job, const char *text, bool *hit)
{
	for (size_t i = 0; i < job->ngroups; i++) {
		const struct job_group *group = &job->groups[i];

		if (!strcasestr(group->name, text) || group->first_member < 0)
			continue;
		for (size_t j = 0; j < group->size; j++) {
			size_t member = (size_t)group->first_member + j;

			if (member < job->nmembers && is_rank(job->members[member].rank))
				hit[job->members[member].rank.i] = true;
		}
	}
}

/* Marks the rank whose number the text is. */
static void mark_numbers(const struct job *job, const char *text, bool *hit)
{
	char number[32];

	if (!strncasecmp(text, "rank ", 5))
		text += 5;
	job_for_each_rank(job, rank) {
		snprintf(number, sizeof(number), "%d", job_rank(job, rank)->world_rank.n);
		if (!strcmp(number, text))
			hit[rank.i] = true;
	}
}

/* Marks the ranks on a host whose name has the text. */
static void mark_hosts(const struct job *job, const char *text, bool *hit)
{
	job_for_each_rank(job, rank) {
		int host = job_rank(job, rank)->host;

		if (host >= 0 && (size_t)host < job->nhosts &&
			strcasestr(job->hosts[host].name, text))
			hit[rank.i] = true;
	}
}

/* Marks all ranks that are what is sought. */
static void mark(struct state *state)
{
	const struct job *job = state->scene.job;
	const char *text = str_text(&state->search.text);
	bool *hit = alloc_zeroed(job->nranks + 1, sizeof(*hit));

	free(state->search.hit);
	state->search.hit = hit;
	state->search.hit_made = true;
	if (!*text)
		return;
	mark_numbers(job, text, hit);
	mark_hosts(job, text, hit);
	mark_groups(job, text, hit);
	rows_filter_frames(job, text, hit);
}

bool state_search_is_hit(struct state *state, struct rank_index rank)
{
	if (!state->search.text.len)
		return false;
	if (!state->search.hit_made)
		mark(state);
	return state->search.hit[rank.i];
}

/* -- Steps ------------------------------------------------------------------------------------ */

/* True for rows of ranks: an open fold's are the rows below it; a lane has but a part of one. */
static bool is_searched(const struct state *state, ptrdiff_t row)
{
	return !state->rows->at[row].open && !state->rows->at[row].is_lane;
}

/* Returns the rank at a spot. */
static struct rank_index rank_at(const struct state *state, const struct spot *spot)
{
	return state->rows->at[spot->row].ranks[spot->k];
}

/* Goes to the next rank, row by row; behind the last to the first. */
static void next_rank(const struct state *state, struct spot *spot, bool back)
{
	ptrdiff_t n = (ptrdiff_t)state->rows->n, left = n;

	if (!back && spot->k + 1 < state->rows->at[spot->row].n) {
		spot->k++;
		return;
	}
	if (back && spot->k > 0) {
		spot->k--;
		return;
	}
	do {
		spot->row += back ? -1 : 1;
		if (spot->row < 0 || spot->row >= n)
			spot->wrapped = true;
		spot->row = (spot->row + n) % n;
	} while (!is_searched(state, spot->row) && left-- > 0);
	spot->k = back ? state->rows->at[spot->row].n - 1 : 0;
}

/* Finds where the cursor is; the last match, if it still is there. False: there is no row. */
static bool spot_here(const struct state *state, struct spot *spot)
{
	const struct state_search *search = &state->search;
	const struct row *row;
	const struct track *track;

	if (state->row < 0)
		return false;
	*spot = (struct spot){.row = state->row};
	/* A fold that is open has rows below it. */
	while (!is_searched(state, spot->row) && (size_t)spot->row + 1 < state->rows->n)
		spot->row++;
	row = &state->rows->at[spot->row];
	for (spot->k = 0; spot->k + 1 < row->n && !same_rank(row->ranks[spot->k], state->rank);)
		spot->k++;
	if (!same_rank(row->ranks[spot->k], state->rank))
		spot->k = 0;
	track = &state->tracks->at[rank_at(state, spot).i];
	if (same_rank(search->rank, state->rank) && search->when == state->when)
		spot->event = search->event;
	else
		spot->event = track_event_before(track, state->when);
	return true;
}

/* Looks through the rank's events behind (or before) the spot; leaves the match's number in it. */
static bool search_events(const struct state *state, struct spot *spot, bool back, long *budget)
{
	const struct track *track = &state->tracks->at[rank_at(state, spot).i];
	const char *text = str_text(&state->search.text);
	ptrdiff_t n = (ptrdiff_t)track->nevents, at = spot->event;

	for (at += back ? -1 : 1; at >= 0 && at < n && *budget > 0; at += back ? -1 : 1) {
		--*budget;
		if (!strcasestr(track->events[at].name, text))
			continue;
		spot->event = at;
		return true;
	}
	return false;
}

/* Goes to a match, and says which it is of how many. */
static void go_to(struct state *state, const struct spot *spot)
{
	struct rank_index rank = rank_at(state, spot);
	const struct track *track = &state->tracks->at[rank.i];
	const struct track_event *event = spot->event < 0 ? NULL : &track->events[spot->event];
	struct str place = {0};
	size_t of, at;

	state->row = spot->row;
	state->on_fold = false;
	state->rank = rank;
	if (event && event->when != JOB_UNKNOWN) {
		if (event->when < state->window.from || event->when > state->window.to)
			state->window = axis_centre(
				state->fork, state->window, state->bounds, event->when);
		state_set_when(state, event->when);
	}
	state->search.rank = rank;
	state->search.event = spot->event;
	state->search.when = state->when;
	at = state_search_place(state, spot->row, spot->k, spot->event, &of);
	if (spot->wrapped)
		str_add(&place, at ? "wrapped, " : "wrapped: ");
	if (at)
		str_printf(&place, "%zu of %zu: ", at, of);
	if (event)
		state_tell(state, "%srank %d %s %s", str_text(&place), state->worlds[rank.i],
			track_kind_name(event->kind), event->name);
	else
		state_tell(state, "%srank %d", str_text(&place), state->worlds[rank.i]);
	str_release(&place);
}

/* Looks in the rank of the spot; `whole`: all of it, else only what is beyond the spot. */
static bool search_rank(
	struct state *state, struct spot *spot, bool back, bool whole, long *budget)
{
	struct rank_index rank = rank_at(state, spot);
	bool was_rank = !whole && spot->event < 0;

	if (whole)
		spot->event = back ? (ptrdiff_t)state->tracks->at[rank.i].nevents : -1;
	if (whole && !back && state_search_is_hit(state, rank))
		return true;
	if (search_events(state, spot, back, budget))
		return true;
	if (!back || was_rank || !state_search_is_hit(state, rank))
		return false;
	spot->event = -1;
	return true;
}

bool state_search_step(struct state *state, bool back)
{
	struct spot spot;
	long budget = BUDGET;
	size_t left = 1;

	if (!state->search.text.len || !spot_here(state, &spot))
		return false;
	for (size_t i = 0; i < state->rows->n; i++)
		left += is_searched(state, (ptrdiff_t)i) ? state->rows->at[i].n : 0;
	for (bool whole = false; left-- && budget > 0; whole = true) {
		if (search_rank(state, &spot, back, whole, &budget)) {
			go_to(state, &spot);
			return true;
		}
		if (budget > 0)
			next_rank(state, &spot, back);
	}
	if (budget > 0)
		return false;
	spot.event = -1;
	go_to(state, &spot);
	state_tell(state, "nothing in %d events so far; n goes on", BUDGET);
	return true;
}

bool state_search_is_cheap(const struct state *state)
{
	size_t events = 0;

	for (size_t i = 0; i < state->tracks->n; i++)
		events += state->tracks->at[i].nevents;
	return events <= CHEAP;
}

/* -- Requests --------------------------------------------------------------------------------- */

/* Looks for the same text again. */
static void search_again(struct state *state, bool back)
{
	const char *text = str_text(state->in_pane ? &state->pane_search : &state->search.text);
	bool found;

	if (!*text) {
		state_tell(state, "nothing was searched for yet: / does");
		return;
	}
	found = state->in_pane ? state_search_lines(state, text, back, false) :
				 state_search_step(state, back);
	if (!found)
		state_tell(state, "not found: %s%s", text,
			state->rows->hidden ? " (the filter hides some ranks)" : "");
}

bool state_do_find(struct state *state, enum request request)
{
	switch (request) {
	case REQUEST_SEARCH:
		state_prompt_open(state, PROMPT_SEARCH);
		return true;
	case REQUEST_FILTER:
		state_prompt_open(state, PROMPT_FILTER);
		return true;
	case REQUEST_COMMAND:
		state_prompt_open(state, PROMPT_COMMAND);
		return true;
	case REQUEST_SEARCH_NEXT:
	case REQUEST_SEARCH_PREV:
		search_again(state, request == REQUEST_SEARCH_PREV);
		return true;
	default:
		return false;
	}
}
