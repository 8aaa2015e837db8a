/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of a track lie side by side, so a cell of the screen is a run of them: its first and
 * last are cut by the cell's edges, all between lie in it whole. Of those between, eight neighbours
 * have a node that says how long each ordinary state lasted in it, and the worst of the others, and
 * where each lasted longest; eight such nodes have one above them, and so on. A run of any length
 * is then a few spans and a few nodes, and a death of no width in it is never skipped.
 *
 * What a frame costs is memory that the processor has not at hand. So a time is not searched from
 * the middle of a track (pyramid-slots.h), and what is drawn of the events stands apart from them.
 */
#include "viewer/timeline/pyramid.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "viewer/timeline/pyramid-tally.h"
#include "viewer/timeline/pyramid-slots.h"

#define FAN    8
#define LEVELS 12 /* 8^12 spans are more than there is memory */

/* How long a run is in one state, and where longest. */
struct part {
	int64_t lasts; /* ns; below 0: not at all */
	int64_t longest_lasts;
	uint32_t longest; /* the longest span in that state, by its place in the track */
};

/* Ordinary states are summed up each, of all others the worst. */
enum { WORST = TRACK_ORDINARY - TRACK_COMPUTE + 1, PARTS };

struct node {
	struct part parts[PARTS];
	uint8_t worst; /* which state parts[WORST] is of */
};

/* When the events of one mark were, which is looked for by itself, on one track. */
struct points {
	struct slots slots;
	size_t first, n; /* in pyramid->points */
};

struct pile {
	const struct track *track;
	size_t first_node, first_point, first_slot; /* in the pyramid's */
	size_t nodes[LEVELS]; /* where the nodes of each level begin; level 0 is the spans */
	size_t n[LEVELS];
	unsigned levels;
	struct slots spans; /* by their begin */
	struct points points[TRACK_MARKS];
};

struct pyramid {
	const struct tracks *tracks;
	struct pile *piles;
	struct node *nodes;
	int64_t *points; /* times only: events are too far apart to be looked at */
	uint32_t *slots; /* of all piles */
	struct tally **tally; /* made when first asked for: most pyramids are of a drawn fold */
};

/* -- making it --------------------------------------------------------------------------------- */

/* What was found so far in a run. */
static void find_none(struct node *found)
{
	for (int i = 0; i < PARTS; i++)
		found->parts[i].lasts = -1;
}

static bool is_ordinary(enum track_state state)
{
	return state >= TRACK_COMPUTE && state <= TRACK_ORDINARY;
}

static void find_part(struct part *found, const struct part *more)
{
	if (found->lasts < 0) {
		*found = *more;
		return;
	}
	found->lasts += more->lasts;
	if (more->longest_lasts > found->longest_lasts) {
		found->longest_lasts = more->longest_lasts;
		found->longest = more->longest;
	}
}

static void find_worst(struct node *found, uint8_t state, const struct part *part)
{
	if (found->parts[WORST].lasts >= 0 && state < found->worst)
		return;
	if (state != found->worst)
		found->parts[WORST].lasts = -1;
	found->worst = state;
	find_part(&found->parts[WORST], part);
}

static void find_span(
	struct node *found, const struct track *track, const struct track_span *span, int64_t lasts)
{
	const struct part part = {lasts, lasts, (uint32_t)(span - track->spans)};

	if (is_ordinary(span->state))
		find_part(&found->parts[span->state - TRACK_COMPUTE], &part);
	else
		find_worst(found, (uint8_t)span->state, &part);
}

static void find_node(struct node *found, const struct node *node)
{
	for (int i = 0; i < WORST; i++)
		if (node->parts[i].lasts >= 0)
			find_part(&found->parts[i], &node->parts[i]);
	if (node->parts[WORST].lasts >= 0)
		find_worst(found, node->worst, &node->parts[WORST]);
}

/*
 * What a run is drawn as: the worst of what is not ordinary; else the ordinary state that it was
 * in longest, of equals the worse; else what is worst, if it is but startup or nothing.
 */
static enum track_state choose(const struct node *found, const struct part **ret)
{
	int most = -1;

	*ret = &found->parts[WORST];
	if ((*ret)->lasts >= 0 && found->worst > TRACK_ORDINARY)
		return (enum track_state)found->worst;
	for (int i = 0; i < WORST; i++)
		if (found->parts[i].lasts >= 0 &&
			(most < 0 || found->parts[i].lasts >= found->parts[most].lasts))
			most = i;
	if (most < 0)
		return (enum track_state)found->worst;
	*ret = &found->parts[most];
	return (enum track_state)(TRACK_COMPUTE + most);
}

/* The number `i` of a level. */
static void find_at(const struct pyramid *pyramid, const struct pile *pile, unsigned level,
	size_t i, struct node *found)
{
	const struct track_span *span = &pile->track->spans[i];

	if (level)
		find_node(found, &pyramid->nodes[pile->nodes[level] + i]);
	else
		find_span(found, pile->track, span, span->to - span->from);
}

/* Only whole eights get a node. How many nodes there are above so many spans. */
static size_t count_nodes(size_t spans)
{
	size_t n = 0;

	while (spans /= FAN)
		n += spans;
	return n;
}

static void stack_nodes(struct pyramid *pyramid, struct pile *pile)
{
	size_t next = pile->first_node;

	pile->n[0] = pile->track->nspans;
	while (pile->n[pile->levels] >= FAN && pile->levels + 1 < LEVELS) {
		unsigned level = ++pile->levels;

		pile->nodes[level] = next;
		pile->n[level] = pile->n[level - 1] / FAN;
		for (size_t i = 0; i < pile->n[level]; i++) {
			struct node *found = &pyramid->nodes[next++];

			find_none(found);
			for (size_t k = i * FAN; k < (i + 1) * FAN; k++)
				find_at(pyramid, pile, level - 1, k, found);
		}
	}
}

/* How many there are of each kind; those of unknown time come last. */
static void count_points(struct pile *pile)
{
	size_t all[TRACK_MARKS + 1] = {0}, next = pile->first_point;

	for (size_t i = 0; i < pile->track->nevents; i++)
		if (pile->track->events[i].when != JOB_UNKNOWN)
			all[track_mark_of(&pile->track->events[i])]++;
	for (int mark = 0; mark < TRACK_MARKS; mark++) {
		pile->points[mark].n = all[mark];
		pile->points[mark].first = next;
		next += all[mark];
	}
}

static void keep_points(struct pyramid *pyramid, struct pile *pile)
{
	const struct track *track = pile->track;
	size_t to[TRACK_MARKS + 1] = {0};

	for (int mark = 0; mark < TRACK_MARKS; mark++)
		to[mark] = pile->points[mark].first;
	for (size_t i = 0; i < track->nevents && track->events[i].when != JOB_UNKNOWN; i++) {
		enum track_mark mark = track_mark_of(&track->events[i]);

		if (mark != TRACK_MARKS)
			pyramid->points[to[mark]++] = track->events[i].when;
	}
}

/* All of a time-ordered list; how many slots that took. */
static size_t make_slots(struct pyramid *pyramid, struct slots *slots, size_t at,
	struct times times)
{
	return times.n ? slots_make(slots, pyramid->slots + at, pyramid->tracks, times) : 0;
}

static struct times times_of(const struct pyramid *pyramid, const struct points *points)
{
	return (struct times){pyramid->points + points->first, sizeof(int64_t), points->n};
}

static void make_pile(void *context, size_t worker, size_t i)
{
	struct pyramid *pyramid = context;
	struct pile *pile = &pyramid->piles[i];
	const struct track_span *spans = pile->track->spans;
	size_t slot = pile->first_slot;

	(void)worker;
	stack_nodes(pyramid, pile);
	count_points(pile);
	keep_points(pyramid, pile);
	slot += make_slots(pyramid, &pile->spans, slot,
		(struct times){&spans->from, sizeof(*spans), pile->track->nspans});
	for (int mark = 0; mark < TRACK_MARKS; mark++)
		slot += make_slots(pyramid, &pile->points[mark].slots, slot,
			times_of(pyramid, &pile->points[mark]));
}

/* Where each pile has its nodes, its slots and, of each event at most one, its points. */
static void share_out(struct pyramid *pyramid)
{
	size_t nodes = 0, points = 0, slots = 0;

	for (size_t i = 0; i < pyramid->tracks->n; i++) {
		struct pile *pile = &pyramid->piles[i];

		pile->first_node = nodes;
		pile->first_point = points;
		pile->first_slot = slots;
		nodes += count_nodes(pile->track->nspans);
		points += pile->track->nevents;
		slots += slots_count(pile->track->nspans) + slots_count(pile->track->nevents) +
			 (TRACK_MARKS - 1) * slots_count(0);
	}
	pyramid->nodes = alloc_zeroed(nodes + 1, sizeof(*pyramid->nodes));
	pyramid->points = alloc_zeroed(points + 1, sizeof(*pyramid->points));
	pyramid->slots = alloc_zeroed(slots + 1, sizeof(*pyramid->slots));
}

struct pyramid *pyramid_new(const struct tracks *tracks)
{
	struct pyramid *pyramid = alloc_zeroed(1, sizeof(*pyramid));

	pyramid->tracks = tracks;
	pyramid->piles = alloc_zeroed(tracks->n + 1, sizeof(*pyramid->piles));
	for (size_t i = 0; i < tracks->n; i++)
		pyramid->piles[i].track = &tracks->at[i];
	share_out(pyramid);
	crew_each(crew_size(tracks->n), tracks->n, make_pile, pyramid);
	pyramid->tally = alloc_zeroed(1, sizeof(*pyramid->tally));
	return pyramid;
}

void pyramid_free(struct pyramid *pyramid)
{
	if (!pyramid)
		return;
	tally_free(*pyramid->tally);
	free(pyramid->tally);
	free(pyramid->piles);
	free(pyramid->nodes);
	free(pyramid->points);
	free(pyramid->slots);
	free(pyramid);
}

/* -- asking it --------------------------------------------------------------------------------- */

static size_t spans_before(const struct pile *pile, int64_t when)
{
	const struct track_span *spans = pile->track->spans;

	return slots_before(&pile->spans,
		(struct times){&spans->from, sizeof(*spans), pile->track->nspans}, when);
}

/* The part of it that lies between those times. */
static void find_cut(struct node *found, const struct track *track,
	const struct track_span *span, int64_t from, int64_t to)
{
	int64_t a = span->from > from ? span->from : from;
	int64_t b = span->to < to ? span->to : to;

	find_span(found, track, span, b > a ? b - a : 0);
}

/* All that lies whole in the run: single ones up to a sixteen's edge, then a level higher. */
static void find_whole(const struct pyramid *pyramid, const struct pile *pile, size_t low,
	size_t high, struct node *found)
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

static bool has_point(const struct pyramid *pyramid, const struct points *points, int64_t from,
	int64_t to)
{
	return points->n &&
	       slots_have(&points->slots, times_of(pyramid, points), from, to);
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

/* From the first span that is in it to before `end`, cut by its edges. */
static void find_run(const struct pyramid *pyramid, const struct pile *pile, size_t first,
	size_t end, struct node *found, int64_t from, int64_t to)
{
	const struct track_span *spans = pile->track->spans;

	find_none(found);
	find_cut(found, pile->track, &spans[first], from, to);
	if (end - first > 1)
		find_cut(found, pile->track, &spans[end - 1], from, to);
	if (end - first > 2)
		find_whole(pyramid, pile, first + 1, end - 1, found);
}

#define STEPS 8 /* spans that are passed one by one before they are searched */

/* How many spans begin before that time, where `at` do for certain. */
static size_t walk(const struct pile *pile, size_t at, int64_t when)
{
	const struct track *track = pile->track;

	for (int i = 0; i < STEPS; i++, at++)
		if (at >= track->nspans || track->spans[at].from >= when)
			return at;
	return spans_before(pile, when);
}

void pyramid_states(const struct pyramid *pyramid, size_t row, const int64_t *edges, int n,
	uint8_t *states)
{
	const struct pile *pile = &pyramid->piles[row];
	const struct track_span *spans = pile->track->spans;
	size_t begun = n && pile->track->nspans ? spans_before(pile, edges[0] + 1) : 0;

	for (int i = 0; i < n; i++) {
		int64_t from = edges[i], to = edges[i + 1];
		const struct track_span *span;
		struct node found = {.worst = TRACK_NODATA};
		const struct part *part;
		size_t end;

		if (from < pyramid->tracks->from || to >= pyramid->tracks->to || to <= from ||
			!pile->track->nspans) {
			states[i] = (uint8_t)pyramid_bin(pyramid, row, from, to).state;
			continue;
		}
		begun = walk(pile, begun, from + 1);
		end = walk(pile, begun, to);
		if (!end) {
			states[i] = TRACK_NODATA;
			continue;
		}
		span = &spans[begun ? begun - 1 : 0];
		while (span > spans && span[-1].from == from && span[-1].to == from)
			span--;
		find_run(pyramid, pile, (size_t)(span - spans), end, &found, from, to);
		states[i] = (uint8_t)choose(&found, &part);
		/* What goes on over many is asked once. */
		while (span->from <= from && span->to >= to && i + 1 < n &&
			edges[i + 2] <= span->to && edges[i + 2] < pyramid->tracks->to) {
			states[i + 1] = states[i];
			i++;
		}
	}
}

struct bin pyramid_bin(const struct pyramid *pyramid, size_t row, int64_t from, int64_t to)
{
	const struct pile *pile = &pyramid->piles[row];
	const struct track_span *spans = pile->track->spans;
	const struct tracks *tracks = pyramid->tracks;
	struct node found = {.worst = TRACK_NODATA};
	const struct part *part;
	enum track_state state;
	size_t first, end;
	struct bin bin;
	int64_t behind;

	/* Nothing is known outside of the job's time; its last instant is in it. */
	if (to <= tracks->from || from > tracks->to || (from == tracks->to && to > from + 1))
		return (struct bin){.state = TRACK_NODATA};
	from = from < tracks->from ? tracks->from : from;
	to = to <= from ? from + 1 : to;
	behind = to < tracks->to ? to : tracks->to + 1; /* the very end is in the last cell */
	end = pile->track->nspans ? spans_before(pile, behind) : 0;
	if (!end)
		return (struct bin){.state = TRACK_NODATA};
	first = spans_before(pile, from + 1);
	first = first ? first - 1 : 0;
	/* Of no width, at the very begin of the cell. */
	while (first && spans[first - 1].from == from && spans[first - 1].to == from)
		first--;
	find_run(pyramid, pile, first, end, &found, from, to);
	state = choose(&found, &part);
	bin = (struct bin){.state = state,
		.share = share_of(part->lasts, to - from),
		.span = &spans[part->longest]};
	for (int mark = 0; mark < TRACK_MARKS; mark++)
		bin.marks[mark] = has_point(pyramid, &pile->points[mark], from, behind);
	return bin;
}

void pyramid_tally(const struct pyramid *pyramid, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES])
{
	if (!*pyramid->tally)
		*pyramid->tally = tally_new(pyramid->tracks);
	tally_take(*pyramid->tally, from, to, counts);
}
