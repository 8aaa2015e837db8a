/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of panes: made anew when what they depend on has changed, and only of panes that are
 * seen. Of a pane of very many there are only those around the user: when he comes near the end of
 * them others are made, and he finds himself at the same item, on the same line of the screen.
 */
#include "viewer/state/state-private.h"

/* True if what is to be seen has a line: not so near to the end of all that more is seen. */
static bool covers(const struct state_lines *lines, const struct pane_place *place)
{
	const struct pane_lines *has = &lines->lines;
	size_t margin = place->height > 0 ? (size_t)place->height : 0;

	if (place->seek)
		return has->here >= 0 || lines->place.seek;
	return (place->item >= has->from + margin || !has->from) &&
	       (place->item + margin < has->to || has->to == has->items);
}

/* True if the lines are that pane's, and nothing that they depend on has changed. */
static bool is_fresh(const struct state_lines *lines, enum pane_number pane,
	const struct pane_place *place)
{
	const struct pane_place *old = &lines->place;

	return lines->made && lines->pane == pane && old->width == place->width &&
	       old->all == place->all &&
	       (!panes[pane].by_row ||
		       (same_rank(old->rank, place->rank) && old->row == place->row)) &&
	       (!panes[pane].by_height || old->height == place->height) &&
	       (!panes[pane].timed || old->when == place->when) &&
	       (!lines->lines.items || covers(lines, place));
}

/* True if the pane's place in rank and time is another one than when its lines were made. */
static bool has_moved(const struct state *state, const struct state_lines *lines)
{
	return lines->pane != state->pane || !same_rank(lines->place.rank, state->rank) ||
	       lines->place.when != state->when;
}

/* Puts away what was made of another pane, or for another place; takes what was made of this. */
static void exchange(struct state *state, struct state_lines *into, enum pane_number pane)
{
	struct state_lines *from = &state->kept[pane], taken;

	/* It may have stood where another pane is going to stand, or none. */
	for (size_t i = state->nasides; i < STATE_ASIDES; i++)
		if (state->asides[i].lines.made && state->asides[i].lines.pane == pane)
			from = &state->asides[i].lines;
	if (from == into)
		return;
	taken = *from;
	*from = (struct state_lines){.lines.here = -1};
	if (into->made && into->pane != pane) {
		pane_lines_release(&state->kept[into->pane].lines);
		state->kept[into->pane] = *into;
	} else {
		pane_lines_release(&into->lines);
	}
	*into = taken;
}

/* Makes a pane's lines. False: the lines that there are will do. */
static bool make(struct state *state, struct state_lines *into, enum pane_number pane,
	struct rect area, bool seek)
{
	struct pane_place place = {.rank = state->rank,
		.row = state->row,
		.when = state->when,
		.width = area.w,
		.height = area.h,
		.item = state->item[pane],
		.seek = seek,
		.all = state->all[pane]};

	if (area.h <= 0 || area.w <= 0 || is_fresh(into, pane, &place))
		return false;
	exchange(state, into, pane);
	if (is_fresh(into, pane, &place)) {
		into->place = place;
		return true;
	}
	pane_lines_release(&into->lines);
	panes[pane].fill(&state->scene, &place, &into->lines);
	into->pane = pane;
	into->place = place;
	into->made = true;
	return true;
}

/* -- Where the user is in a pane of very many -------------------------------------------------- */

/*
 * Returns the item that a line is of; of one that is of none, as a heading, the next one below or
 * above.
 */
static size_t item_at(const struct pane_lines *lines, size_t line)
{
	size_t n = lines->all.nr;

	for (size_t i = line; i < n; i++)
		if (lines->all.items[i].item != PANE_NO_ITEM)
			return lines->all.items[i].item;
	for (size_t i = line < n ? line + 1 : n; i-- > 0;)
		if (lines->all.items[i].item != PANE_NO_ITEM)
			return lines->all.items[i].item;
	return PANE_NO_ITEM;
}

/* Returns the first line of an item. */
static size_t line_of(const struct pane_lines *lines, size_t item)
{
	for (size_t i = 0; i < lines->all.nr; i++)
		if (lines->all.items[i].item == item)
			return i;
	return 0;
}

/* Where the user is while lines are made anew: so many lines from an item's first one. */
struct spot {
	size_t item;
	ptrdiff_t beside;
	size_t above; /* lines of the pane above it */
};

/* Returns where the user is. */
static struct spot take_spot(const struct state *state)
{
	const struct pane_lines *lines = &state->lines.lines;
	size_t line = state->line[state->pane], top = state->line_top[state->pane];
	struct spot spot = {.item = state->item[state->pane],
		.above = line > top ? line - top : 0};

	if (state->to_item || !state->lines.made || state->lines.pane != state->pane)
		return spot;
	spot.item = item_at(lines, line);
	if (spot.item != PANE_NO_ITEM)
		spot.beside = (ptrdiff_t)line - (ptrdiff_t)line_of(lines, spot.item);
	return spot;
}

/* Puts the user there, among the new lines. */
static void go_to_spot(struct state *state, const struct spot *spot)
{
	const struct pane_lines *lines = &state->lines.lines;
	size_t *line = &state->line[state->pane], *top = &state->line_top[state->pane];
	ptrdiff_t at = (ptrdiff_t)line_of(lines, spot->item) + spot->beside;

	*line = at > 0 ? (size_t)at : 0;
	/* Beyond the last item, and before the first, is the end of all lines. */
	if (state->to_item && spot->item + 1 == lines->items)
		*line = lines->all.nr - 1;
	else if (state->to_item && !spot->item)
		*line = 0;
	*top = *line > spot->above ? *line - spot->above : 0;
}

/* -- What is seen of them --------------------------------------------------------------------- */

/* Returns the first line to be seen, so that this one is seen, and what belongs to it below it. */
static size_t top_for(size_t line, size_t n, size_t h)
{
	size_t below = line + h / 3;

	if (n <= h || below < h)
		return 0;
	return below < n ? below + 1 - h : n - h;
}

/*
 * Scrolls the pane. The chosen line stays in sight; out of the pane, the one that belongs to the
 * time does. In it that one is chosen as well where the pane has just been opened, or Enter has led
 * away.
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
	if (to_here && n > h && *line + h / 3 >= *top + h)
		*top = top_for(*line, n, h);
}

/* -- What stands where there is room ----------------------------------------------------------- */

#define ASIDE_LEAST 3	/* lines, with its heading */
#define BELOW_FROM_W 100 /* of a pane below the timeline: from so many columns, or lines, on */
#define BELOW_FROM_H 30

/* True if panes stand beside the timeline. */
static bool is_beside(const struct state *state)
{
	return state->layout.kind == LAYOUT_BESIDE;
}

/*
 * True if other panes stand aside. On a small screen all is the chosen pane's, unless that leaves
 * more than a third of it blank.
 */
static bool has_asides(const struct state *state, int blank)
{
	if (state->maximised || !state_shows_pane(state))
		return false;
	return is_beside(state) || (state->layout.kind == LAYOUT_BELOW &&
					   (state->w >= BELOW_FROM_W ||
						   state->h >= BELOW_FROM_H ||
						   blank > state->h / 3));
}

/* Returns how many lines it has to show, at most so many. */
static int lines_of(const struct state_lines *lines, int most)
{
	size_t n = lines->lines.all.nr;

	return n < (size_t)most ? (int)n : most;
}

/* Puts panes one below another in an area, as many as there is room for; each has what it needs. */
static void stand(struct state *state, struct rect area, const enum pane_number *which, size_t n)
{
	for (size_t i = 0; i < n && area.h >= ASIDE_LEAST && state->nasides < STATE_ASIDES; i++) {
		struct state_aside *aside = &state->asides[state->nasides];
		const struct pane_lines *lines = &aside->lines.lines;
		int most = area.h - 1;

		if (which[i] == state->pane)
			continue;
		if (i + 1 < n && most > 2 * ASIDE_LEAST)
			most -= ASIDE_LEAST;
		aside->area = (struct rect){area.x, area.y + 1, area.w, most};
		make(state, &aside->lines, which[i], aside->area, true);
		aside->area.h = lines_of(&aside->lines, most);
		if (!aside->area.h)
			continue;
		aside->top = lines->here < 0 ? 0
					     : top_for((size_t)lines->here, lines->all.nr,
						       (size_t)aside->area.h);
		area.y += aside->area.h + 1;
		area.h -= aside->area.h + 1;
		state->nasides++;
	}
}

/*
 * Gives the chosen pane the lines that it needs, and at the right no more than leaves the verdict
 * in sight. What is then free has what one looks for next.
 */
static void lay_asides(struct state *state)
{
	static const enum pane_number below[] = {
		PANE_DIFFER, PANE_LASTWORDS, PANE_EVENTS, PANE_GROUPS, PANE_RECEIPT};
	static const enum pane_number right[] = {
		PANE_VERDICT, PANE_STACKS, PANE_GROUPS, PANE_RECEIPT};
	static const enum pane_number left[] = {PANE_LASTWORDS, PANE_EVENTS};
	struct rect *pane = &state->layout.pane, area = *pane;
	int n = lines_of(&state->lines, pane->h);

	state->nasides = 0;
	if (!has_asides(state, area.h - n))
		return;
	if (is_beside(state) && n > area.h * 2 / 3)
		n = area.h / 2;
	if (area.h - n < ASIDE_LEAST)
		return;
	pane->h = n;
	area.y += n;
	area.h -= n;
	if (!is_beside(state)) {
		stand(state, area, below, sizeof(below) / sizeof(*below));
		return;
	}
	stand(state, area, right, sizeof(right) / sizeof(*right));
	stand(state, state->layout.rest, left, sizeof(left) / sizeof(*left));
}

void state_drop_lines(struct state *state)
{
	state->lines.made = false;
	for (size_t i = 0; i < STATE_ASIDES; i++)
		state->asides[i].lines.made = false;
	for (size_t i = 0; i < PANES_ALL; i++)
		state->kept[i].made = false;
}

void state_drop_countdown(struct state *state)
{
	if (state->lines.pane == PANE_VERDICT)
		state->lines.made = false;
	for (size_t i = 0; i < STATE_ASIDES; i++)
		if (state->asides[i].lines.pane == PANE_VERDICT)
			state->asides[i].lines.made = false;
	state->kept[PANE_VERDICT].made = false;
}

void state_make_lines(struct state *state)
{
	bool moved = has_moved(state, &state->lines);
	struct spot spot;

	state->nasides = 0;
	if (!state_shows_pane(state)) {
		state->in_pane = false;
		state->to_item = false;
		return;
	}
	spot = take_spot(state);
	state->item[state->pane] = spot.item;
	if (state->to_item)
		moved = false;
	if ((make(state, &state->lines, state->pane, state->layout.pane,
		     !state->in_pane || moved) ||
		    state->to_item) &&
		state->lines.lines.items && spot.item < state->lines.lines.items)
		go_to_spot(state, &spot);
	lay_asides(state);
	scroll(state, moved);
	state->to_item = false;
	if (state->lines.lines.items)
		state->item[state->pane] = item_at(&state->lines.lines, state->line[state->pane]);
}
