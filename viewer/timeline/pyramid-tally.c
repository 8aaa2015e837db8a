/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two forms of one count. A GRID has the job's time in 8192 bins, then in 4096, and so on: how many
 * ranks had which worst state in each bin. A window of the screen takes the bins of about a quarter
 * of its width that lie in it, and of each state the most ranks that were at least that badly off
 * at once: so nothing brief is lost, and nobody is counted twice.
 *
 * Where the user has zoomed in below the finest bin, the CHANGES of all ranks, sorted by time, say
 * who was in which state at an instant: with the counts written down at every 256th of them, a walk
 * of at most so many.
 */
#include "viewer/timeline/pyramid-tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

#define BINS   8192
#define LEVELS 14 /* 8192 = 2^13 */
#define STEP   256

struct change {
	int64_t when;
	uint8_t from, to; /* enum track_state; from TRACK_STATES: the first of a track */
};

struct tally {
	int64_t from, to;
	int64_t width; /* of a finest bin, ns */
	uint32_t *grid[LEVELS]; /* [bin][state]; the finest first */
	struct change *changes;
	size_t nchanges;
	uint32_t *counts; /* [n / STEP][state]: after so many changes */
};

/* -- the grid ---------------------------------------------------------------------------------- */

struct run {
	uint32_t from, to; /* bins */
	uint8_t state;
};

struct runs {
	ARRAY(struct run) all;
};

/* In the order of time; two may share a bin: the worse one has it. */
static void add_run(struct runs *runs, uint32_t from, uint32_t to, uint8_t state)
{
	struct run *last = runs->all.nr ? &runs->all.items[runs->all.nr - 1] : NULL;

	if (last && last->to > from && state > last->state) {
		last->to = from;
		if (last->to <= last->from) {
			runs->all.nr--;
			last = runs->all.nr ? last - 1 : NULL;
		}
	} else if (last && last->to > from) {
		from = last->to;
	}
	if (from >= to)
		return;
	if (last && last->state == state && last->to == from)
		last->to = to;
	else
		*array_add(&runs->all) = (struct run){from, to, state};
}

static uint32_t bin_of(const struct tally *tally, int64_t when)
{
	int64_t bin = (when - tally->from) / tally->width;

	return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (uint32_t)bin;
}

/* So many more from bin `from` on, so many fewer from `to` on; summed up at the end. */
static void count_runs(uint32_t *grid, uint32_t bins, const struct runs *runs)
{
	for (size_t i = 0; i < runs->all.nr; i++) {
		const struct run *run = &runs->all.items[i];

		grid[(size_t)run->from * TRACK_STATES + run->state]++;
		if (run->to < bins)
			grid[(size_t)run->to * TRACK_STATES + run->state]--;
	}
}

static void count_track(struct tally *tally, const struct track *track, struct runs runs[2])
{
	runs[0].all.nr = 0;
	for (size_t i = 0; i < track->nspans; i++) {
		const struct track_span *span = &track->spans[i];
		int64_t end = span->to > span->from ? span->to - 1 : span->to;

		add_run(&runs[0], bin_of(tally, span->from), bin_of(tally, end) + 1,
			(uint8_t)span->state);
	}
	for (unsigned level = 0; level < LEVELS; level++) {
		struct runs *mine = &runs[level % 2], *next = &runs[(level + 1) % 2];

		count_runs(tally->grid[level], BINS >> level, mine);
		next->all.nr = 0;
		for (size_t i = 0; i < mine->all.nr; i++)
			add_run(next, mine->all.items[i].from / 2, (mine->all.items[i].to + 1) / 2,
				mine->all.items[i].state);
	}
}

static void make_grid(struct tally *tally, const struct tracks *tracks)
{
	struct runs runs[2] = {0};

	for (unsigned level = 0; level < LEVELS; level++)
		tally->grid[level] = alloc_zeroed(
			(size_t)(BINS >> level) * TRACK_STATES, sizeof(*tally->grid[level]));
	for (size_t i = 0; i < tracks->n; i++)
		count_track(tally, &tracks->at[i], runs);
	for (unsigned level = 0; level < LEVELS; level++)
		for (size_t i = TRACK_STATES; i < (size_t)(BINS >> level) * TRACK_STATES; i++)
			tally->grid[level][i] += tally->grid[level][i - TRACK_STATES];
	array_release(&runs[0].all);
	array_release(&runs[1].all);
}

/* -- the changes ------------------------------------------------------------------------------- */

static int compare_changes(const void *va, const void *vb)
{
	const struct change *a = va, *b = vb;

	return a->when < b->when ? -1 : a->when > b->when;
}

/* By bins first, each by itself then: it is in order where ranks change one after another. */
static void sort_changes(struct tally *tally, const struct tracks *tracks)
{
	size_t *first = alloc_zeroed(BINS + 2, sizeof(*first));

	for (size_t i = 0; i < tracks->n; i++)
		for (size_t k = 0; k < tracks->at[i].nspans; k++)
			first[bin_of(tally, tracks->at[i].spans[k].from) + 2]++;
	for (size_t i = 2; i < BINS + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < tracks->n; i++) {
		const struct track *track = &tracks->at[i];

		for (size_t k = 0; k < track->nspans; k++) {
			const struct track_span *span = &track->spans[k];

			tally->changes[first[bin_of(tally, span->from) + 1]++] = (struct change){
				.when = span->from,
				.from = (uint8_t)(k ? span[-1].state : TRACK_STATES),
				.to = (uint8_t)span->state};
		}
	}
	for (size_t i = 0; i < BINS; i++)
		array_sort_items(tally->changes + first[i], first[i + 1] - first[i],
			sizeof(*tally->changes), compare_changes);
	free(first);
}

/* At an instant the changes of several ranks commute, and those of one rank add up as well. */
static void apply(const struct change *change, uint32_t counts[TRACK_STATES])
{
	if (change->from < TRACK_STATES)
		counts[change->from]--;
	counts[change->to]++;
}

static void make_changes(struct tally *tally, const struct tracks *tracks)
{
	uint32_t counts[TRACK_STATES] = {0};

	for (size_t i = 0; i < tracks->n; i++)
		tally->nchanges += tracks->at[i].nspans;
	tally->changes = alloc_zeroed(tally->nchanges + 1, sizeof(*tally->changes));
	tally->counts =
		alloc_zeroed((tally->nchanges / STEP + 1) * TRACK_STATES, sizeof(*tally->counts));
	sort_changes(tally, tracks);
	for (size_t i = 0; i < tally->nchanges; i++) {
		if (i % STEP == 0)
			memcpy(tally->counts + i / STEP * TRACK_STATES, counts, sizeof(counts));
		apply(&tally->changes[i], counts);
	}
	if (tally->nchanges % STEP == 0)
		memcpy(tally->counts + tally->nchanges / STEP * TRACK_STATES, counts,
			sizeof(counts));
}

struct tally *tally_new(const struct tracks *tracks)
{
	struct tally *tally = alloc_zeroed(1, sizeof(*tally));

	tally->from = tracks->from;
	tally->to = tracks->to;
	tally->width = (tracks->to - tracks->from + BINS - 1) / BINS;
	if (tally->width < 1)
		tally->width = 1;
	make_grid(tally, tracks);
	make_changes(tally, tracks);
	return tally;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	for (unsigned level = 0; level < LEVELS; level++)
		free(tally->grid[level]);
	free(tally->changes);
	free(tally->counts);
	free(tally);
}

/* -- asking it --------------------------------------------------------------------------------- */

/* atleast[s]: the most ranks so far that were in s or worse at once. */
static void raise(const uint32_t counts[TRACK_STATES], uint32_t atleast[TRACK_STATES])
{
	uint32_t sum = 0;

	for (unsigned state = TRACK_STATES; state-- > 0;) {
		sum += counts[state];
		if (sum > atleast[state])
			atleast[state] = sum;
	}
}

/* Counts at an instant: after all changes up to it. */
static void raise_at(const struct tally *tally, int64_t when, uint32_t atleast[TRACK_STATES])
{
	size_t low = 0, high = tally->nchanges, from;
	uint32_t counts[TRACK_STATES];

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tally->changes[middle].when <= when)
			low = middle + 1;
		else
			high = middle;
	}
	from = low / STEP * STEP;
	memcpy(counts, tally->counts + low / STEP * TRACK_STATES, sizeof(counts));
	for (size_t i = from; i < low; i++)
		apply(&tally->changes[i], counts);
	raise(counts, atleast);
}

static void raise_grid(
	const struct tally *tally, int64_t from, int64_t to, uint32_t atleast[TRACK_STATES])
{
	int64_t wanted = (to - from) / 4;
	unsigned level = 0;
	uint32_t low, high;

	while (level + 1 < LEVELS && (tally->width << (level + 1)) <= wanted)
		level++;
	low = bin_of(tally, from) >> level;
	high = bin_of(tally, to - 1) >> level;
	/* A bin that the window only touches is its neighbour's. */
	if (high > low && tally->from + ((int64_t)low + 1) * (tally->width << level) - from <
				  (tally->width << level) / 2)
		low++;
	if (high > low && to - (tally->from + (int64_t)high * (tally->width << level)) <
				  (tally->width << level) / 2)
		high--;
	for (uint32_t bin = low; bin <= high; bin++)
		raise(tally->grid[level] + (size_t)bin * TRACK_STATES, atleast);
}

void tally_take(const struct tally *tally, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES])
{
	uint32_t atleast[TRACK_STATES] = {0};

	memset(counts, 0, TRACK_STATES * sizeof(*counts));
	from = from < tally->from ? tally->from : from;
	to = to > tally->to ? tally->to : to;
	if (to <= from && from != tally->to)
		return;
	if (to - from >= tally->width * 4) {
		raise_grid(tally, from, to, atleast);
	} else {
		raise_at(tally, from, atleast);
		raise_at(tally, to == tally->to ? to : to - 1, atleast);
	}
	for (unsigned state = 0; state < TRACK_STATES; state++)
		counts[state] = atleast[state];
	for (unsigned state = 0; state + 1 < TRACK_STATES; state++)
		counts[state] -= atleast[state + 1];
}
