/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "3 of 17": which match one is on, in the order in which n goes through them. Matches of each rank
 * are counted once for a text and a look; then a place is a sum over ranks and one rank's events.
 * Where there are more events than BUDGET nothing is counted, and nothing is said.
 */
#include "viewer/state/state-private.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BUDGET 5000000

/* Returns how many of the rank's first n events have the text in their name. */
static size_t count_events(const struct track *track, const char *text, size_t n)
{
	const char *name = NULL;
	bool match = false;
	size_t matches = 0;

	for (size_t i = 0; i < n; i++) {
		/* Equal names often follow one another. */
		if (track->events[i].name != name) {
			name = track->events[i].name;
			match = strcasestr(name, text) != NULL;
		}
		matches += match;
	}
	return matches;
}

/* Counts the matches of each rank. */
static void count_all(struct state *state)
{
	struct state_search *search = &state->search;
	size_t events = 0;

	search->counted = true;
	for (size_t i = 0; i < state->tracks->n; i++)
		events += state->tracks->at[i].nevents;
	if (events > BUDGET)
		return;
	search->counts = alloc_zeroed(state->tracks->n + 1, sizeof(*search->counts));
	for (size_t i = 0; i < state->tracks->n; i++) {
		const struct track *track = &state->tracks->at[i];

		search->counts[i] =
			count_events(track, str_text(&search->text), track->nevents) +
			state_search_is_hit(state, rank_index(i));
	}
}

void state_search_uncount(struct state *state)
{
	free(state->search.counts);
	state->search.counts = NULL;
	state->search.counted = false;
}

size_t state_search_place(
	struct state *state, ptrdiff_t row, size_t k, ptrdiff_t event, size_t *ret_of)
{
	struct state_search *search = &state->search;
	size_t place = 0;

	*ret_of = 0;
	if (!search->counted)
		count_all(state);
	if (!search->counts)
		return 0;
	for (size_t i = 0; i < state->rows->n; i++) {
		const struct row *at = &state->rows->at[i];

		for (size_t j = 0; !at->open && j < at->n; j++) {
			struct rank_index rank = at->ranks[j];

			if ((ptrdiff_t)i == row && j == k)
				place = *ret_of + state_search_is_hit(state, rank) +
					count_events(&state->tracks->at[rank.i],
						str_text(&search->text), (size_t)(event + 1));
			*ret_of += search->counts[rank.i];
		}
	}
	return place;
}
