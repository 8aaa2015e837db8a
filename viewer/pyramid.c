/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of a track lie side by side, so a cell of the screen is a run of them: its first and
 * last are cut by the cell's edges, all between lie in it whole. Of those between, sixteen
 * neighbours have a node that says their worst state, how long that lasted and where it lasted
 * longest; sixteen such nodes have one above them, and so on. A run of any length is then a few
 * spans and a few nodes, and a death of no width in it is never skipped.
 */
#include "viewer/pyramid.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "viewer/pyramid-census.h"

#define FAN	   16
#define LEVELS	   10 /* 16^10 spans are more than there is memory */
#define ENTER_STEP 16 /* events between two counts of entries */

struct node {
	int64_t lasts; /* ns in that state */
	uint32_t longest; /* the longest span in that state, by its place in the track */
	uint8_t state;
};

struct pile {
	const struct track *track;
	size_t nodes[LEVELS]; /* where the nodes of each level begin; level 0 is the spans */
	size_t n[LEVELS];
	unsigned levels;
	size_t enters; /* where the counts begin: entries before each ENTER_STEP-th event */
};

struct pyramid {
	const struct tracks *tracks;
	struct pile *piles;
	struct node *nodes;
	uint32_t *enters;
	struct census *census;
};

/* -- making it --------------------------------------------------------------------------------- */

/* What was found so far in a run. */
struct found {
	enum track_state state;
	int64_t lasts;
	const struct track_span *longest;
	int64_t longest_lasts;
};

static void find(struct found *found, enum track_state state, int64_t lasts,
	const struct track_span *longest, int64_t longest_lasts)
{
	if (found->longest && state < found->state)
		return;
	if (!found->longest || state > found->state)
		*found = (struct found){.state = state, .longest_lasts = -1};
	found->lasts += lasts;
	if (longest_lasts > found->longest_lasts) {
		found->longest = longest;
		found->longest_lasts = longest_lasts;
	}
}

static void find_span(struct found *found, const struct track_span *span)
{
	find(found, span->state, span->to - span->from, span, span->to - span->from);
}

static void find_node(struct found *found, const struct track *track, const struct node *node)
{
	const struct track_span *longest = &track->spans[node->longest];

	find(found, (enum track_state)node->state, node->lasts, longest,
		longest->to - longest->from);
}

/* The number `i` of a level. */
static void find_at(const struct pyramid *pyramid, const struct pile *pile, unsigned level,
	size_t i, struct found *found)
{
	if (level)
		find_node(found, pile->track, &pyramid->nodes[pile->nodes[level] + i]);
	else
		find_span(found, &pile->track->spans[i]);
}

/* Only whole sixteens get a node. How many nodes there are above so many spans. */
static size_t count_nodes(size_t spans)
{
	size_t n = 0;

	while (spans /= FAN)
		n += spans;
	return n;
}

static size_t stack_nodes(struct pyramid *pyramid, struct pile *pile, size_t next)
{
	pile->n[0] = pile->track->nspans;
	while (pile->n[pile->levels] >= FAN && pile->levels + 1 < LEVELS) {
		unsigned level = ++pile->levels;

		pile->nodes[level] = next;
		pile->n[level] = pile->n[level - 1] / FAN;
		for (size_t i = 0; i < pile->n[level]; i++) {
			struct found found = {0};

			for (size_t k = i * FAN; k < (i + 1) * FAN; k++)
				find_at(pyramid, pile, level - 1, k, &found);
			pyramid->nodes[next++] = (struct node){.lasts = found.lasts,
				.longest = (uint32_t)(found.longest - pile->track->spans),
				.state = (uint8_t)found.state};
		}
	}
	return next;
}

static size_t count_enters(struct pyramid *pyramid, struct pile *pile, size_t next)
{
	uint32_t n = 0;

	pile->enters = next;
	for (size_t i = 0; i < pile->track->nevents; i++) {
		if (i % ENTER_STEP == 0)
			pyramid->enters[next++] = n;
		n += pile->track->events[i].kind == TRACK_ENTER;
	}
	return next;
}

struct pyramid *pyramid_new(const struct tracks *tracks)
{
	struct pyramid *pyramid = alloc_zeroed(1, sizeof(*pyramid));
	size_t nodes = 0, enters = 0;

	pyramid->tracks = tracks;
	pyramid->piles = alloc_zeroed(tracks->n + 1, sizeof(*pyramid->piles));
	for (size_t i = 0; i < tracks->n; i++) {
		nodes += count_nodes(tracks->at[i].nspans);
		enters += tracks->at[i].nevents / ENTER_STEP + 1;
	}
	pyramid->nodes = alloc_zeroed(nodes + 1, sizeof(*pyramid->nodes));
	pyramid->enters = alloc_zeroed(enters + 1, sizeof(*pyramid->enters));
	nodes = enters = 0;
	for (size_t i = 0; i < tracks->n; i++) {
		struct pile *pile = &pyramid->piles[i];

		pile->track = &tracks->at[i];
		nodes = stack_nodes(pyramid, pile, nodes);
		enters = count_enters(pyramid, pile, enters);
	}
	pyramid->census = census_new(tracks);
	return pyramid;
}

void pyramid_free(struct pyramid *pyramid)
{
	if (!pyramid)
		return;
	census_free(pyramid->census);
	free(pyramid->piles);
	free(pyramid->nodes);
	free(pyramid->enters);
	free(pyramid);
}

/* -- asking it --------------------------------------------------------------------------------- */

/* How many spans begin before that time, or at it. */
static size_t spans_before(const struct track *track, int64_t when, bool at_it)
{
	size_t low = 0, high = track->nspans;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int64_t from = track->spans[middle].from;

		if (from < when || (at_it && from == when))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The part of it that lies between those times. */
static void find_cut(
	struct found *found, const struct track_span *span, int64_t from, int64_t to)
{
	int64_t a = span->from > from ? span->from : from;
	int64_t b = span->to < to ? span->to : to;
	int64_t lasts = b > a ? b - a : 0;

	find(found, span->state, lasts, span, lasts);
}

/* All that lies whole in the run: single ones up to a sixteen's edge, then a level higher. */
static void find_whole(const struct pyramid *pyramid, const struct pile *pile, size_t low,
	size_t high, struct found *found)
{
	for (unsigned level = 0; low < high; level++) {
		bool top = level >= pile->levels;

		while (low < high && (top || low % FAN))
			find_at(pyramid, pile, level, low++, found);
		while (low < high && (top || high % FAN))
			find_at(pyramid, pile, level, --high, found);
		low /= FAN;
		high /= FAN;
	}
}

/* Entries before that time, or at it. */
static uint32_t enters_before(
	const struct pyramid *pyramid, const struct pile *pile, int64_t when, bool at_it)
{
	const struct track *track = pile->track;
	size_t n = (size_t)(track_event_before(track, at_it ? when : when - 1) + 1);
	uint32_t enters;

	if (!n)
		return 0;
	enters = pyramid->enters[pile->enters + (n - 1) / ENTER_STEP];
	for (size_t i = (n - 1) / ENTER_STEP * ENTER_STEP; i < n; i++)
		enters += track->events[i].kind == TRACK_ENTER;
	return enters;
}

static uint8_t share_of(int64_t lasts, int64_t width)
{
	/* In halves while both are large: a product must not overflow. */
	while (width > INT64_MAX / 512) {
		width /= 2;
		lasts /= 2;
	}
	lasts = lasts * 255 / width;
	return lasts < 1 ? 1 : lasts > 255 ? 255 : (uint8_t)lasts;
}

struct bin pyramid_bin(const struct pyramid *pyramid, size_t row, int64_t from, int64_t to)
{
	const struct pile *pile = &pyramid->piles[row];
	const struct track_span *spans = pile->track->spans;
	const struct tracks *tracks = pyramid->tracks;
	struct found found = {0};
	size_t first, end;
	bool last;

	/* Nothing is known outside of the job's time; its last instant is in it. */
	if (to <= tracks->from || from > tracks->to || (from == tracks->to && to > from + 1))
		return (struct bin){.state = TRACK_NODATA};
	from = from < tracks->from ? tracks->from : from;
	to = to <= from ? from + 1 : to;
	last = to >= tracks->to; /* what is at the very end is in the last cell */
	end = spans_before(pile->track, to, last);
	first = spans_before(pile->track, from, true);
	if (!end)
		return (struct bin){.state = TRACK_NODATA};
	first = first ? first - 1 : 0;
	find_cut(&found, &spans[first], from, to);
	if (end - first > 1)
		find_cut(&found, &spans[end - 1], from, to);
	if (end - first > 2)
		find_whole(pyramid, pile, first + 1, end - 1, &found);
	return (struct bin){.state = found.state,
		.share = share_of(found.lasts, to - from),
		.entered = enters_before(pyramid, pile, to, last) >
			   enters_before(pyramid, pile, from, false),
		.span = found.longest};
}

void pyramid_census(const struct pyramid *pyramid, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES])
{
	census_take(pyramid->census, from, to, counts);
}
