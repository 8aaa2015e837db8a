/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of a track lie side by side, so a cell of the screen is a run of them: its first and
 * last are cut by the cell's edges, all between lie in it whole.
 *
 * Nearly all of them are ordinary, and of these a cell asks only how long each state lasted. Before
 * every eighth span a sum says that of all spans before it: a run of any length is the difference
 * of two sums and a few spans at either end.
 *
 * Of the others the worst is asked, and where it lasted longest. They are listed apart. Eight
 * neighbours of the list have a node that says it of them, eight such nodes have one above them,
 * and so on: a death of no width is never skipped, and a run without any such span, as the sums
 * tell, asks no node.
 *
 * What a frame costs is memory that the processor has not at hand. So a time is not searched from
 * the middle of a track (pyramid-slots.h), and what is drawn of the events stands apart from them.
 */
#include "viewer/timeline/pyramid.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/crew.h"
#include "viewer/timeline/pyramid-tally.h"
#include "viewer/timeline/pyramid-slots.h"

#define FAN    8
#define LEVELS 12 /* 8^12 spans are more than there is memory */
#define EIGHTH 8  /* spans from one sum to the next */

enum { ORDINARY = TRACK_ORDINARY - TRACK_COMPUTE + 1 };

/* What is known of some spans in ordinary states, by their state from TRACK_COMPUTE on. */
struct sum {
	int64_t lasts[ORDINARY]; /* ns */
	uint32_t n[ORDINARY];	 /* how many there are; 0: not at all */
};

/* What is known of some spans in other states, of the worst of these. */
struct worst {
	int64_t lasts; /* ns; below 0: there is none */
	int64_t longest_lasts;
	uint32_t longest; /* the longest span in that state, by its place in the track */
	uint8_t state;
};

/* What lies in a run. */
struct found {
	struct sum sum;
	struct worst worst;
};

/* When the events of one mark were, which is looked for by itself, on one track. */
struct points {
	struct slots slots;
	size_t first, n; /* in pyramid->points */
};

/* The sums of one track. */
struct pile {
	const struct track *track;
	size_t first_point, first_slot; /* in the pyramid's */
	struct sum *sums;		/* of all spans before every eighth one */
	ARRAY(uint32_t) others; /* spans that are in no ordinary state, by their place */
	struct worst *nodes;		/* NULL: there are too few others */
	size_t level[LEVELS];		/* where the nodes of each begin; level 0 is the others */
	unsigned levels;
	struct slots spans; /* by their begin */
	struct points points[TRACK_MARKS];
};

/* The sums of all tracks. */
struct pyramid {
	const struct tracks *tracks;
	struct pile *piles;
	int64_t *points; /* times only: events are too far apart to be looked at */
	uint32_t *slots; /* of all piles */
	struct tally **tally; /* made when first asked for: most pyramids are of a drawn fold */
};

/* -- making it --------------------------------------------------------------------------------- */

/* True for states that are summed up. */
static bool is_ordinary(enum track_state state)
{
	return state >= TRACK_COMPUTE && state <= TRACK_ORDINARY;
}

/* Adds a span to a sum. */
static void add_to_sum(struct sum *sum, enum track_state state, int64_t lasts)
{
	sum->lasts[state - TRACK_COMPUTE] += lasts;
	sum->n[state - TRACK_COMPUTE]++;
}

/* Adds what another says, if it is as bad or worse. */
static void add_to_worst(struct worst *worst, const struct worst *more)
{
	if (more->lasts < 0 || (worst->lasts >= 0 && more->state < worst->state))
		return;
	if (worst->lasts < 0 || more->state != worst->state) {
		*worst = *more;
		return;
	}
	worst->lasts += more->lasts;
	if (more->longest_lasts > worst->longest_lasts) {
		worst->longest_lasts = more->longest_lasts;
		worst->longest = more->longest;
	}
}

/* Returns that span alone, which lasts so long in the run. */
static struct worst worst_of(const struct track *track, size_t span, int64_t lasts)
{
	return (struct worst){lasts, lasts, (uint32_t)span, (uint8_t)track->spans[span].state};
}

/* Returns number `i` of a level. */
static struct worst worst_at(const struct pile *pile, unsigned level, size_t i)
{
	const struct track_span *span;

	if (level)
		return pile->nodes[pile->level[level] + i];
	span = &pile->track->spans[pile->others.items[i]];
	return worst_of(pile->track, pile->others.items[i], span->to - span->from);
}

/* Makes the sums of a track, and lists its other spans. */
static void make_sums(struct pile *pile)
{
	const struct track *track = pile->track;
	struct sum sum = {0};

	pile->sums = alloc_zeroed(track->nspans / EIGHTH + 1, sizeof(*pile->sums));
	for (size_t i = 0; i < track->nspans; i++) {
		const struct track_span *span = &track->spans[i];

		if (i % EIGHTH == 0)
			pile->sums[i / EIGHTH] = sum;
		if (is_ordinary(span->state))
			add_to_sum(&sum, span->state, span->to - span->from);
		else
			*array_add(&pile->others) = (uint32_t)i;
	}
	if (track->nspans % EIGHTH == 0)
		pile->sums[track->nspans / EIGHTH] = sum;
}

/* Returns how many nodes there are above so many spans. Only whole eights get a node. */
static size_t count_nodes(size_t spans)
{
	size_t n = 0;

	while (spans /= FAN)
		n += spans;
	return n;
}

/* Makes the nodes, level by level. */
static void stack_nodes(struct pile *pile)
{
	size_t next = 0, below = pile->others.nr;

	if (below < FAN)
		return;
	pile->nodes = alloc_zeroed(count_nodes(below), sizeof(*pile->nodes));
	while (below >= FAN && pile->levels + 1 < LEVELS) {
		unsigned level = ++pile->levels;

		pile->level[level] = next;
		below /= FAN;
		for (size_t i = 0; i < below * FAN; i++) {
			const struct worst more = worst_at(pile, level - 1, i);

			if (i % FAN == 0)
				pile->nodes[next++] = more;
			else
				add_to_worst(&pile->nodes[next - 1], &more);
		}
	}
}

/* Counts the events of each mark; those of unknown time come last. */
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

/* Keeps the times of each mark's events. */
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

/* Makes the slots of a time-ordered list; returns how many numbers that took. */
static size_t make_slots(struct pyramid *pyramid, struct slots *slots, size_t at,
	struct times times)
{
	return times.n ? slots_make(slots, pyramid->slots + at, pyramid->tracks, times) : 0;
}

/* Returns the times of a mark's events. */
static struct times times_of(const struct pyramid *pyramid, const struct points *points)
{
	return (struct times){pyramid->points + points->first, sizeof(int64_t), points->n};
}

/* Makes what a track has. For crew_each(). */
static void make_pile(void *context, size_t worker, size_t i)
{
	struct pyramid *pyramid = context;
	struct pile *pile = &pyramid->piles[i];
	const struct track_span *spans = pile->track->spans;
	size_t slot = pile->first_slot;

	(void)worker;
	make_sums(pile);
	stack_nodes(pile);
	count_points(pile);
	keep_points(pyramid, pile);
	slot += make_slots(pyramid, &pile->spans, slot,
		(struct times){&spans->from, sizeof(*spans), pile->track->nspans});
	for (int mark = 0; mark < TRACK_MARKS; mark++)
		slot += make_slots(pyramid, &pile->points[mark].slots, slot,
			times_of(pyramid, &pile->points[mark]));
}

/* Finds where each pile has its slots and, of each event at most one, its points. */
static void share_out(struct pyramid *pyramid)
{
	size_t points = 0, slots = 0;

	for (size_t i = 0; i < pyramid->tracks->n; i++) {
		struct pile *pile = &pyramid->piles[i];

		pile->first_point = points;
		pile->first_slot = slots;
		points += pile->track->nevents;
		slots += slots_count(pile->track->nspans) + slots_count(pile->track->nevents) +
			 (TRACK_MARKS - 1) * slots_count(0);
	}
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

/* Frees what a track has. */
static void release_pile(struct pile *pile)
{
	free(pile->sums);
	free(pile->nodes);
	array_release(&pile->others);
}

void pyramid_free(struct pyramid *pyramid)
{
	if (!pyramid)
		return;
	tally_free(*pyramid->tally);
	free(pyramid->tally);
	for (size_t i = 0; i < pyramid->tracks->n; i++)
		release_pile(&pyramid->piles[i]);
	free(pyramid->piles);
	free(pyramid->points);
	free(pyramid->slots);
	free(pyramid);
}

/* -- asking it --------------------------------------------------------------------------------- */

/* Returns how many spans begin before that time. */
static size_t spans_before(const struct pile *pile, int64_t when)
{
	const struct track_span *spans = pile->track->spans;

	return slots_before(&pile->spans,
		(struct times){&spans->from, sizeof(*spans), pile->track->nspans}, when);
}

/* Adds the part of a span that lies between those times. */
static void find_cut(struct found *found, const struct track *track, size_t i, int64_t from,
	int64_t to)
{
	const struct track_span *span = &track->spans[i];
	int64_t a = span->from > from ? span->from : from;
	int64_t b = span->to < to ? span->to : to;
	int64_t lasts = b > a ? b - a : 0;

	if (is_ordinary(span->state)) {
		add_to_sum(&found->sum, span->state, lasts);
	} else {
		const struct worst more = worst_of(track, i, lasts);

		add_to_worst(&found->worst, &more);
	}
}

/* Returns the sum of all spans before that one. */
static struct sum sum_before(const struct pile *pile, size_t i)
{
	struct sum sum = pile->sums[i / EIGHTH];

	for (size_t k = i - i % EIGHTH; k < i; k++) {
		const struct track_span *span = &pile->track->spans[k];

		if (is_ordinary(span->state))
			add_to_sum(&sum, span->state, span->to - span->from);
	}
	return sum;
}

/* Adds those of the list: single ones up to an eight's edge, then a level higher. */
static void find_others(
	const struct pile *pile, size_t low, size_t high, struct worst *found)
{
	for (unsigned level = 0; low < high; level++) {
		bool top = level >= pile->levels;

		while (low < high && (top || low % FAN)) {
			const struct worst more = worst_at(pile, level, low++);

			add_to_worst(found, &more);
		}
		while (low < high && (top || high % FAN)) {
			const struct worst more = worst_at(pile, level, --high);

			add_to_worst(found, &more);
		}
		low /= FAN;
		high /= FAN;
	}
}

/* Adds all spans that lie whole in the run. */
static void find_whole(const struct pile *pile, size_t low, size_t high, struct found *found)
{
	const struct sum before = sum_before(pile, low), all = sum_before(pile, high);

	for (int i = 0; i < ORDINARY; i++) {
		found->sum.lasts[i] += all.lasts[i] - before.lasts[i];
		found->sum.n[i] += all.n[i] - before.n[i];
		low -= before.n[i];
		high -= all.n[i];
	}
	find_others(pile, low, high, &found->worst);
}

/*
 * Returns what a run is drawn as: the worst of what is not ordinary; else the ordinary state that
 * it was in longest, of equals the worse; else what is worst, if it is but startup or nothing.
 */
static enum track_state choose(const struct found *found, int64_t *ret_lasts)
{
	const struct sum *sum = &found->sum;
	int most = -1;

	for (int i = 0; i < ORDINARY; i++)
		if (sum->n[i] && (most < 0 || sum->lasts[i] >= sum->lasts[most]))
			most = i;
	if (most < 0 || (found->worst.lasts >= 0 && found->worst.state > TRACK_ORDINARY)) {
		*ret_lasts = found->worst.lasts;
		return (enum track_state)found->worst.state;
	}
	*ret_lasts = sum->lasts[most];
	return (enum track_state)(TRACK_COMPUTE + most);
}

/* True if an event of that mark is within [from, to). */
static bool has_point(const struct pyramid *pyramid, const struct points *points, int64_t from,
	int64_t to)
{
	return points->n &&
	       slots_have(&points->slots, times_of(pyramid, points), from, to);
}

/* Returns how much of a cell that is, from 1 to 255. */
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

/* Returns what is in a run, from the first span that is in it to before `end`, cut by its edges. */
static struct found find_run(
	const struct pile *pile, size_t first, size_t end, int64_t from, int64_t to)
{
	struct found found = {.worst = {.lasts = -1, .state = TRACK_NODATA}};

	find_cut(&found, pile->track, first, from, to);
	if (end - first > 1)
		find_cut(&found, pile->track, end - 1, from, to);
	if (end - first > 2)
		find_whole(pile, first + 1, end - 1, &found);
	return found;
}

#define STEPS 8 /* spans that are passed one by one before they are searched */

/* Returns how many spans begin before that time, where `at` do for certain. */
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
		struct found found;
		int64_t lasts;
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
		found = find_run(pile, (size_t)(span - spans), end, from, to);
		states[i] = (uint8_t)choose(&found, &lasts);
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
	struct found found;
	size_t first, end;
	struct bin bin;
	int64_t behind, lasts;

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
	found = find_run(pile, first, end, from, to);
	bin.state = choose(&found, &lasts);
	bin.share = share_of(lasts, to - from);
	bin.span = is_ordinary(bin.state) ? NULL : &spans[found.worst.longest];
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
