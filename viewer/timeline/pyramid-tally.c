/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two forms of one count. A GRID has the job's time in 16384 bins, then in 8192, and so on: how
 * many ranks had which worst state in each bin. A window of the screen takes the bins of about a
 * quarter of its width that lie in it, and of each state the most ranks that were at least that
 * badly off at once: so nothing brief is lost, and nobody is counted twice.
 *
 * Where the user has zoomed in below the finest bin, the CHANGES of all ranks, sorted by time, say
 * how many were how badly off at each instant. Of every 256 of them the sums before the first are
 * written down, and the most that there was at once: a window is a walk of at most twice so many,
 * and leaves out no instant. Few ever look so closely, and then at little: changes are sorted chunk
 * by chunk of the time, when somebody first asks for it.
 */
#include "viewer/timeline/pyramid-tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"

#define BINS   16384
#define LEVELS 15 /* 16384 = 2^14 */
#define STEP   256 /* changes from one sum to the next */
#define CHUNK  64 /* bins */
#define CHUNKS (BINS / CHUNK)
#define BUCKET 4  /* changes that are sorted among each other */

/* A rank's change from one state to another. */
struct change {
	int64_t when;
	uint8_t from, to; /* enum track_state; from TRACK_STATES: the first of a track */
};

/* The changes in a part of the time. */
struct chunk {
	struct change *changes; /* NULL: not made yet */
	size_t n;
	uint32_t *before; /* [n / STEP][state]: in it or worse, after so many changes */
	uint32_t *most;	  /* [n / STEP][state]: at once, at any instant that one of them ends */
};

/* The count. */
struct tally {
	const struct tracks *tracks;
	int64_t from, to;
	int64_t width; /* of a finest bin, ns */
	uint32_t *grid[LEVELS]; /* [bin][state]; the finest first */
	uint32_t *first; /* [chunk][track]: its first span that begins in it, or behind */
	struct chunk chunks[CHUNKS];
};

/* -- the grid ---------------------------------------------------------------------------------- */

/* Bins in which a rank's worst state is the same. */
struct run {
	uint32_t from, to; /* bins */
	uint8_t state;
};

/* The runs of one rank, in order. */
struct runs {
	ARRAY(struct run) all;
};

/* Adds a run, in the order of time; two may share a bin: the worse one has it. */
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

/* Returns the finest bin of a time. */
static uint32_t bin_of(const struct tally *tally, int64_t when)
{
	int64_t bin = (when - tally->from) / tally->width;

	return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (uint32_t)bin;
}

/* The bin that was asked for last: what is short lies in one with what is before it. */
struct place {
	uint32_t bin;
	int64_t from, to; /* its times; of the first and the last all before and behind as well */
};

/* Returns the finest bin of a time, which is often the last one again. */
static uint32_t bin_near(const struct tally *tally, int64_t when, struct place *place)
{
	if (when >= place->from && when < place->to)
		return place->bin;
	place->bin = bin_of(tally, when);
	place->from = tally->from + (int64_t)place->bin * tally->width;
	place->to = place->from + tally->width;
	if (!place->bin)
		place->from = INT64_MIN;
	if (place->bin == BINS - 1)
		place->to = INT64_MAX;
	return place->bin;
}

/*
 * Counts runs: so many more from bin `from` on, so many fewer from `to` on; summed up at the end.
 */
static void count_runs(uint32_t *grid, uint32_t bins, const struct runs *runs)
{
	for (size_t i = 0; i < runs->all.nr; i++) {
		const struct run *run = &runs->all.items[i];

		grid[(size_t)run->from * TRACK_STATES + run->state]++;
		if (run->to < bins)
			grid[(size_t)run->to * TRACK_STATES + run->state]--;
	}
}

/* Counts a track, at each level. */
static void count_track(struct tally *tally, const struct track *track, struct runs runs[2])
{
	struct place place = {0};

	runs[0].all.nr = 0;
	for (size_t i = 0; i < track->nspans; i++) {
		const struct track_span *span = &track->spans[i];
		int64_t end = span->to > span->from ? span->to - 1 : span->to;

		uint32_t first = bin_near(tally, span->from, &place);

		add_run(&runs[0], first, bin_near(tally, end, &place) + 1, (uint8_t)span->state);
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

/* Makes the grid. */
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

/* Orders changes by time. */
static int compare_changes(const void *va, const void *vb)
{
	const struct change *a = va, *b = vb;

	return a->when < b->when ? -1 : a->when > b->when;
}

/* Finds each track's first span in each chunk: all that is needed to make any of them later. */
static void find_firsts(struct tally *tally)
{
	const struct tracks *tracks = tally->tracks;

	tally->first = alloc_zeroed((CHUNKS + 1) * tracks->n + 1, sizeof(*tally->first));
	for (size_t i = 0; i < tracks->n; i++) {
		const struct track *track = &tracks->at[i];
		size_t span = 0;

		for (uint32_t chunk = 1; chunk <= CHUNKS; chunk++) {
			int64_t begins = tally->from + (int64_t)chunk * CHUNK * tally->width;

			while (span < track->nspans &&
				(chunk == CHUNKS || track->spans[span].from < begins))
				span++;
			tally->first[chunk * tracks->n + i] = (uint32_t)span;
		}
	}
}

/*
 * Adds the changes of one track from span `k` on that are at one instant: what was too short to
 * have a width lasts a ns if it is worse than what follows, else it is not seen. Returns the span
 * behind.
 */
static uint32_t add_changes(
	struct chunk *chunk, struct change *all, const struct track *track, uint32_t k)
{
	const struct track_span *spans = track->spans;
	uint8_t before = (uint8_t)(k ? spans[k - 1].state : TRACK_STATES);
	uint8_t worst = (uint8_t)spans[k].state;
	uint32_t end = k + 1;

	while (end < track->nspans && spans[end].from == spans[k].from) {
		if (spans[end].state > worst)
			worst = (uint8_t)spans[end].state;
		end++;
	}
	all[chunk->n++] = (struct change){spans[k].from, before, worst};
	if (worst != spans[end - 1].state)
		all[chunk->n++] = (struct change){
			spans[k].from + 1, worst, (uint8_t)spans[end - 1].state};
	return end;
}

/* Sorts those of one bucket, which are few, unless many ranks change at one instant. */
static void sort_bucket(struct change *changes, size_t n)
{
	if (n > 8 * BUCKET) {
		array_sort_items(changes, n, sizeof(*changes), compare_changes);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct change change = changes[i];
		size_t at = i;

		for (; at && changes[at - 1].when > change.when; at--)
			changes[at] = changes[at - 1];
		changes[at] = change;
	}
}

/*
 * Returns the changes sorted: buckets of equal time first, each by itself then. The caller frees
 * them.
 */
static struct change *sort_changes(const struct change *all, size_t n)
{
	struct change *sorted = alloc_zeroed(n + 1, sizeof(*sorted));
	size_t buckets = n / BUCKET + 1;
	uint32_t *first = alloc_zeroed(buckets + 2, sizeof(*first));
	int64_t from = INT64_MAX, to = INT64_MIN;
	double per_ns;

	for (size_t i = 0; i < n; i++) {
		from = all[i].when < from ? all[i].when : from;
		to = all[i].when > to ? all[i].when : to;
	}
	/* Their difference first: of times since 1970 doubles have but every 256th ns. */
	per_ns = n ? (double)(buckets - 1) / ((double)(to - from) + 1) : 0;
	for (size_t i = 0; i < n; i++)
		first[(size_t)((double)(all[i].when - from) * per_ns) + 2]++;
	for (size_t i = 2; i < buckets + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < n; i++)
		sorted[first[(size_t)((double)(all[i].when - from) * per_ns) + 1]++] = all[i];
	for (size_t i = 0; i < buckets; i++)
		sort_bucket(sorted + first[i], first[i + 1] - first[i]);
	free(first);
	return sorted;
}

/* Counts so many more in that state or worse, and so in each better one or worse. */
static void add_to(uint32_t atleast[TRACK_STATES], unsigned state, uint32_t more)
{
	for (unsigned i = 0; i <= state; i++)
		atleast[i] += more;
}

/* Counts a change. */
static void apply(const struct change *change, uint32_t atleast[TRACK_STATES])
{
	if (change->from < TRACK_STATES)
		add_to(atleast, change->from, -1u);
	add_to(atleast, change->to, 1);
}

/* Takes what is more than the most so far that were in each state or worse at once. */
static void raise(const uint32_t atleast[TRACK_STATES], uint32_t most[TRACK_STATES])
{
	for (unsigned i = 0; i < TRACK_STATES; i++)
		most[i] = atleast[i] > most[i] ? atleast[i] : most[i];
}

/* Counts all changes before that chunk; returns how many spans begin in it. */
static size_t count_chunk(
	const struct tally *tally, uint32_t chunk, uint32_t atleast[TRACK_STATES])
{
	const uint32_t *first = tally->first + chunk * tally->tracks->n;
	const uint32_t *end = first + tally->tracks->n;
	size_t n = 0;

	for (size_t i = 0; i < tally->tracks->n; i++) {
		if (first[i])
			add_to(atleast, tally->tracks->at[i].spans[first[i] - 1].state, 1);
		n += end[i] - first[i];
	}
	return n;
}

/* True if it is the last of its instant: those of several ranks at one commute. */
static bool ends_instant(const struct chunk *chunk, size_t i)
{
	return i + 1 >= chunk->n || chunk->changes[i + 1].when != chunk->changes[i].when;
}

/* Writes down what is known before and within every STEP changes. */
static void sum_up(struct chunk *chunk, uint32_t atleast[TRACK_STATES])
{
	size_t size = TRACK_STATES * sizeof(*atleast);

	chunk->before = alloc_zeroed(chunk->n / STEP + 1, size);
	chunk->most = alloc_zeroed(chunk->n / STEP + 1, size);
	for (size_t i = 0; i <= chunk->n; i++) {
		if (i % STEP == 0)
			memcpy(chunk->before + i / STEP * TRACK_STATES, atleast, size);
		if (i == chunk->n)
			break;
		apply(&chunk->changes[i], atleast);
		if (ends_instant(chunk, i))
			raise(atleast, chunk->most + i / STEP * TRACK_STATES);
	}
}

/* Makes a chunk, when it is first asked for. */
static void make_chunk(const struct tally *tally, uint32_t number, struct chunk *chunk)
{
	const uint32_t *first = tally->first + number * tally->tracks->n;
	uint32_t atleast[TRACK_STATES] = {0};
	struct change *all;

	all = alloc_zeroed(count_chunk(tally, number, atleast) + 1, sizeof(*all));
	for (size_t i = 0; i < tally->tracks->n; i++)
		for (uint32_t k = first[i]; k < first[i + tally->tracks->n];)
			k = add_changes(chunk, all, &tally->tracks->at[i], k);
	chunk->changes = sort_changes(all, chunk->n);
	free(all);
	sum_up(chunk, atleast);
}

struct tally *tally_new(const struct tracks *tracks)
{
	struct tally *tally = alloc_zeroed(1, sizeof(*tally));

	tally->tracks = tracks;
	tally->from = tracks->from;
	tally->to = tracks->to;
	tally->width = (tracks->to - tracks->from + BINS - 1) / BINS;
	if (tally->width < 1)
		tally->width = 1;
	make_grid(tally, tracks);
	find_firsts(tally);
	return tally;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	for (unsigned level = 0; level < LEVELS; level++)
		free(tally->grid[level]);
	for (unsigned i = 0; i < CHUNKS; i++) {
		free(tally->chunks[i].changes);
		free(tally->chunks[i].before);
		free(tally->chunks[i].most);
	}
	free(tally->first);
	free(tally);
}

/* -- asking it --------------------------------------------------------------------------------- */

/* Does as raise(), of counts of each state. */
static void raise_counts(const uint32_t counts[TRACK_STATES], uint32_t most[TRACK_STATES])
{
	uint32_t atleast[TRACK_STATES], sum = 0;

	for (unsigned state = TRACK_STATES; state-- > 0;)
		atleast[state] = sum += counts[state];
	raise(atleast, most);
}

/* Returns how many changes of the chunk are at that moment or before. */
static size_t changes_to(const struct chunk *chunk, int64_t when)
{
	return bisect(0, chunk->n, i, chunk->changes[i].when <= when);
}

/* Takes all instants of [from, last] that lie in that chunk. */
static void raise_chunk(
	const struct chunk *chunk, int64_t from, int64_t last, uint32_t most[TRACK_STATES])
{
	size_t i = changes_to(chunk, from), end = changes_to(chunk, last);
	uint32_t atleast[TRACK_STATES];

	memcpy(atleast, chunk->before + i / STEP * TRACK_STATES, sizeof(atleast));
	for (size_t k = i / STEP * STEP; k < i; k++)
		apply(&chunk->changes[k], atleast);
	raise(atleast, most);
	while (i < end) {
		if (i % STEP == 0 && i + STEP <= end) {
			raise(chunk->most + i / STEP * TRACK_STATES, most);
			i += STEP;
			memcpy(atleast, chunk->before + i / STEP * TRACK_STATES, sizeof(atleast));
			continue;
		}
		apply(&chunk->changes[i], atleast);
		if (ends_instant(chunk, i))
			raise(atleast, most);
		i++;
	}
}

/* Takes all instants of [from, last]. */
static void raise_changes(
	struct tally *tally, int64_t from, int64_t last, uint32_t most[TRACK_STATES])
{
	uint32_t end = bin_of(tally, last) / CHUNK;

	for (uint32_t number = bin_of(tally, from) / CHUNK; number <= end; number++) {
		struct chunk *chunk = &tally->chunks[number];

		if (!chunk->changes)
			make_chunk(tally, number, chunk);
		raise_chunk(chunk, from, last, most);
	}
}

/* Takes the bins that lie in a window. */
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
		raise_counts(tally->grid[level] + (size_t)bin * TRACK_STATES, atleast);
}

void tally_take(struct tally *tally, int64_t from, int64_t to,
	uint32_t counts[TRACK_STATES])
{
	uint32_t atleast[TRACK_STATES] = {0};

	memset(counts, 0, TRACK_STATES * sizeof(*counts));
	from = from < tally->from ? tally->from : from;
	to = to > tally->to ? tally->to : to;
	if (to <= from && from != tally->to)
		return;
	if (to - from >= tally->width * 4)
		raise_grid(tally, from, to, atleast);
	else
		raise_changes(tally, from, to == tally->to ? to : to - 1, atleast);
	for (unsigned state = 0; state < TRACK_STATES; state++)
		counts[state] = atleast[state];
	for (unsigned state = 0; state + 1 < TRACK_STATES; state++)
		counts[state] -= atleast[state + 1];
}
