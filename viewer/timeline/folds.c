/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MERGING TRACKS. Each span opens at its `from` and closes at its `to`. Sorted by time these edges
 * are swept once, with the number of open spans of each state; between two edges the worst state
 * that is open stands, with the span that opened it last. A span of no length (a death, a loss)
 * stays one where it is worse than what goes on around it. So the merged track has no more spans
 * than there are edges, and its own pyramid makes cells of it.
 */
#include "viewer/timeline/folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

#define FEW	 8  /* so many ranks are asked one by one */
#define FEW_LONG 64 /* and so many, where it would take long to make their tracks one */
#define LONG	 400000 /* spans and events of all of them */
#define SPARE	 4	/* so many merged tracks are kept beside those of the rows */

const char folds_elsewhere[] = "";

/* The tracks of a row made into one. */
struct merged {
	int *ranks; /* whose tracks these were */
	size_t n;
	struct track track;
	struct tracks tracks; /* only this one */
	struct pyramid *pyramid;
	ARRAY(struct track_span) spans;
	ARRAY(struct track_event) events;
};

/* The folds of all rows. */
struct folds {
	const struct tracks *tracks;
	const struct pyramid *pyramid;
	const struct rows *rows;
	struct merged **merged; /* per row; NULL not made */
	size_t nrows;
	ARRAY(struct merged *) spare; /* made for rows that there were before */
};

/* A begin or an end of a span. */
struct edge {
	int64_t at;
	const struct track_span *span;
	enum { CLOSES, POINT, OPENS } what; /* of one time, in this order */
};

/* What is open at a moment. */
struct sweep {
	size_t open[TRACK_STATES];
	const struct track_span *last[TRACK_STATES]; /* that opened */
	int64_t since;
};

/* Frees it; NULL is fine. */
static void merged_free(struct merged *merged)
{
	if (!merged)
		return;
	pyramid_free(merged->pyramid);
	array_release(&merged->spans);
	array_release(&merged->events);
	free(merged->ranks);
	free(merged);
}

/*
 * Keeps a merged track for later rows. Of more than there is room for those of the most ranks are
 * kept: they cost the most.
 */
static void keep(struct folds *folds, struct merged *merged)
{
	struct merged **least;

	if (!merged)
		return;
	if (!merged->n) { /* a lane: no other row is like it */
		merged_free(merged);
		return;
	}
	if (folds->spare.nr < SPARE) {
		*array_add(&folds->spare) = merged;
		return;
	}
	least = &folds->spare.items[0];
	for (size_t i = 1; i < SPARE; i++)
		if (folds->spare.items[i]->n < (*least)->n)
			least = &folds->spare.items[i];
	if ((*least)->n < merged->n) {
		struct merged *small = *least;

		*least = merged;
		merged = small;
	}
	merged_free(merged);
}

/* Takes over what the old folds have made, and frees them. */
static void inherit(struct folds *folds, struct folds *old)
{
	for (size_t i = 0; i < old->nrows; i++) {
		keep(folds, old->merged[i]);
		old->merged[i] = NULL;
	}
	for (size_t i = 0; i < old->spare.nr; i++)
		keep(folds, old->spare.items[i]);
	old->spare.nr = 0;
	folds_free(old);
}

struct folds *folds_new(const struct tracks *tracks, const struct pyramid *pyramid,
	const struct rows *rows, struct folds *old)
{
	struct folds *folds = alloc_zeroed(1, sizeof(*folds));

	folds->tracks = tracks;
	folds->pyramid = pyramid;
	folds->rows = rows;
	folds->nrows = rows->n;
	folds->merged = alloc_zeroed(rows->n ? rows->n : 1, sizeof(*folds->merged));
	if (old)
		inherit(folds, old);
	return folds;
}

void folds_free(struct folds *folds)
{
	if (!folds)
		return;
	for (size_t i = 0; i < folds->nrows; i++)
		merged_free(folds->merged[i]);
	for (size_t i = 0; i < folds->spare.nr; i++)
		merged_free(folds->spare.items[i]);
	array_release(&folds->spare);
	free(folds->merged);
	free(folds);
}

/* Returns one that was made for the same ranks; NULL none. */
static struct merged *take_spare(struct folds *folds, const struct row *row)
{
	for (size_t i = 0; i < folds->spare.nr; i++) {
		struct merged *merged = folds->spare.items[i];

		if (merged->n != row->n ||
			memcmp(merged->ranks, row->ranks, row->n * sizeof(*row->ranks)) != 0)
			continue;
		folds->spare.items[i] = folds->spare.items[--folds->spare.nr];
		return merged;
	}
	return NULL;
}

/* Orders edges by time. */
static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (int)x->what - (int)y->what;
}

/* Orders events by time, those of an unknown time last. */
static int by_when(const void *a, const void *b)
{
	const struct track_event *x = a, *y = b;
	bool x_known = x->when != JOB_UNKNOWN, y_known = y->when != JOB_UNKNOWN;

	if (x_known != y_known)
		return x_known ? -1 : 1;
	return (x->when > y->when) - (x->when < y->when);
}

/* Adds a part of a span at the end; it goes on with the one before if that is in the same state. */
static void add_span(struct merged *into, const struct track_span *of, int64_t from, int64_t to)
{
	struct track_span *before = into->spans.nr ? &into->spans.items[into->spans.nr - 1] : NULL;

	if (before && before->state == of->state && before->to == from) {
		before->to = to;
		before->open = before->open || of->open;
		return;
	}
	*array_add(&into->spans) = (struct track_span){.from = from,
		.to = to,
		.state = of->state,
		.open = of->open,
		.name = of->name,
		.group = of->group,
		.cite = of->cite};
}

/* Returns the span that was opened last of the worst state that is open; NULL none. */
static const struct track_span *worst_open(const struct sweep *sweep)
{
	for (int state = TRACK_STATES - 1; state >= 0; state--)
		if (sweep->open[state])
			return sweep->last[state];
	return NULL;
}

/* Takes one edge: what stood until then becomes a span. */
static void sweep_edge(struct merged *into, struct sweep *sweep, const struct edge *edge)
{
	const struct track_span *worst = worst_open(sweep);
	enum track_state state = edge->span->state;

	if (worst && sweep->since < edge->at)
		add_span(into, worst, sweep->since, edge->at);
	if (edge->what == OPENS) {
		sweep->open[state]++;
		sweep->last[state] = edge->span;
	} else if (edge->what == CLOSES) {
		sweep->open[state]--;
	} else if (!worst || worst->state < state) {
		add_span(into, edge->span, edge->at, edge->at);
	}
	sweep->since = edge->at;
}

/* Sorts the edges, and takes each. */
static void sweep_edges(struct merged *into, struct edge *edges, size_t n)
{
	struct sweep sweep = {{0}};

	array_sort_items(edges, n, sizeof(*edges), by_time);
	for (size_t i = 0; i < n; i++)
		sweep_edge(into, &sweep, &edges[i]);
}

/* True for what is drawn of events; all else of a fold is seen when it is opened. */
static bool is_drawn(const struct track_event *event)
{
	return track_mark_of(event) != TRACK_MARKS;
}

/* Makes what it has of spans and events a track of its own. */
static void finish(struct merged *merged, const struct folds *folds, const struct row *row)
{
	merged->track = folds->tracks->at[row->ranks[0].i];
	merged->track.spans = merged->spans.items;
	merged->track.nspans = merged->spans.nr;
	merged->track.events = merged->events.items;
	merged->track.nevents = merged->events.nr;
	merged->tracks = *folds->tracks;
	merged->tracks.at = &merged->track;
	merged->tracks.n = 1;
	merged->pyramid = pyramid_new(&merged->tracks);
}

/*
 * True for what holds for all lanes: who is dead is so in all groups; of what is not known nobody
 * knows the group.
 */
static bool is_of_all(const struct track_span *span)
{
	return span->state == TRACK_NODATA || span->state == TRACK_LOST ||
	       span->state == TRACK_DEAD;
}

/*
 * Makes a lane: each span of the rank is in the lane of its group, or of none, and elsewhere it is
 * nothing.
 */
static struct merged *make_lane(const struct folds *folds, const struct row *row)
{
	const struct track *track = &folds->tracks->at[row->ranks[0].i];
	struct merged *merged = alloc_zeroed(1, sizeof(*merged));

	for (size_t i = 0; i < track->nspans; i++) {
		struct track_span *span = array_add(&merged->spans);

		*span = track->spans[i];
		if (!is_of_all(span) && span->group != row->group) {
			span->state = TRACK_NODATA;
			span->name = folds_elsewhere;
			span->open = false;
		}
	}
	for (size_t i = 0; i < track->nevents; i++)
		if (is_drawn(&track->events[i]) && track->events[i].group == row->group)
			*array_add(&merged->events) = track->events[i];
	finish(merged, folds, row);
	return merged;
}

/* Makes the tracks of a row into one. */
static struct merged *merge(const struct folds *folds, const struct row *row)
{
	struct merged *merged = alloc_zeroed(1, sizeof(*merged));
	ARRAY(struct edge) edges = {0};

	for (size_t i = 0; i < row->n; i++) {
		const struct track *track = &folds->tracks->at[row->ranks[i].i];

		for (size_t j = 0; j < track->nspans; j++) {
			const struct track_span *span = &track->spans[j];

			if (span->from >= span->to) {
				*array_add(&edges) = (struct edge){span->from, span, POINT};
				continue;
			}
			*array_add(&edges) = (struct edge){span->from, span, OPENS};
			*array_add(&edges) = (struct edge){span->to, span, CLOSES};
		}
		for (size_t j = 0; j < track->nevents; j++)
			if (is_drawn(&track->events[j]))
				*array_add(&merged->events) = track->events[j];
	}
	sweep_edges(merged, edges.items, edges.nr);
	array_sort(&merged->events, by_when);
	array_release(&edges);
	merged->ranks = alloc_copy(row->ranks, row->n * sizeof(*row->ranks));
	merged->n = row->n;
	finish(merged, folds, row);
	return merged;
}

/* Returns the worst bin of a few ranks, with the marks of all. */
static struct bin bin_of_few(const struct folds *folds, const struct row *row, int64_t from,
	int64_t to)
{
	struct bin worst = pyramid_bin(folds->pyramid, (size_t)row->ranks[0].i, from, to);

	for (size_t i = 1; i < row->n; i++) {
		struct bin bin = pyramid_bin(folds->pyramid, (size_t)row->ranks[i].i, from, to);
		struct bin both = worst;

		if (bin.state > worst.state ||
			(bin.state == worst.state && bin.share > worst.share))
			both = bin;
		for (int mark = 0; mark < TRACK_MARKS; mark++)
			both.marks[mark] = worst.marks[mark] || bin.marks[mark];
		worst = both;
	}
	return worst;
}

/*
 * True if each rank is to be asked. Asking a rank costs the same whatever its length; merging costs
 * with all spans and events.
 */
static bool is_few(const struct folds *folds, const struct row *row)
{
	size_t length = 0;

	if (row->n <= FEW || row->n > FEW_LONG)
		return row->n <= FEW;
	for (size_t i = 0; i < row->n; i++) {
		const struct track *track = &folds->tracks->at[row->ranks[i].i];

		length += track->nspans + track->nevents;
	}
	return length > LONG;
}

struct bin folds_bin(struct folds *folds, size_t row, int64_t from, int64_t to)
{
	const struct row *at = &folds->rows->at[row];

	if (!folds->merged[row] && at->is_lane)
		folds->merged[row] = make_lane(folds, at);
	if (!folds->merged[row] && is_few(folds, at))
		return bin_of_few(folds, at, from, to);
	if (!folds->merged[row])
		folds->merged[row] = take_spare(folds, at);
	if (!folds->merged[row])
		folds->merged[row] = merge(folds, at);
	return pyramid_bin(folds->merged[row]->pyramid, 0, from, to);
}
