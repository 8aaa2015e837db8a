/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array that is sorted here often is the concatenation of a few lists that are each in order,
 * such as the events of several threads. qsort() does not profit from that. So array_sort_items()
 * looks for these stretches (runs) and merges neighbours, copying whole stretches; if the runs are
 * too short for that to pay, or there is no memory, it calls qsort(). Of large items it is their
 * places that are merged: many runs take many rounds, each of which moves all.
 */
#include "base/array.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

void *array_grow(void *items, size_t nr, size_t more, size_t *room, size_t size)
{
	size_t needed;

	if (__builtin_add_overflow(nr, more, &needed))
		needed = (size_t)-1; /* alloc_resize() refuses it in words */
	if (!items || needed > *room) {
		size_t wanted = nr < 8 ? 8 : nr + nr / 2;

		if (wanted < needed)
			wanted = needed;
		items = alloc_resize(items, wanted, size);
		*room = wanted;
	}
	memset((char *)items + nr * size, 0, more * size);
	return items;
}

/* -- sorting ----------------------------------------------------------------------------------- */

typedef int comparison(const void *, const void *);

/*
 * The runs of an array: stretches of items that are in order. ends[i] is the index behind run i.
 * What is merged is the items, or, where these are large, their places: each merge moves all of it.
 */
struct runs {
	const char *items; /* whose places are merged; NULL: the items themselves are */
	size_t item;       /* bytes of one of them */
	size_t size;       /* bytes of what is merged */
	comparison *compare;
	size_t *ends;
	size_t n;
};

#define RUN_LEAST  8  /* items that a run has in the mean, where runs are worth more than qsort() */
#define ITEM_LARGE 64 /* bytes from which on items are moved once only */

/* Compares two of what is merged. */
static int compare_at(const struct runs *runs, const char *a, const char *b)
{
	size_t left, right;

	if (!runs->items)
		return runs->compare(a, b);
	memcpy(&left, a, sizeof(left));
	memcpy(&right, b, sizeof(right));
	return runs->compare(runs->items + left * runs->item, runs->items + right * runs->item);
}

/*
 * Finds the runs. Returns false if they are too short. The first `sorted` items are known to be in
 * order. The room for the ends is as much as may be needed.
 */
static bool find_runs(struct runs *runs, const char *items, size_t nr, size_t sorted)
{
	size_t most = nr / RUN_LEAST;

	for (size_t at = sorted; at <= nr; at++) {
		const char *item = items + at * runs->item;

		if (at < nr && runs->compare(item - runs->item, item) <= 0)
			continue;
		if (runs->n == most)
			return false;
		runs->ends[runs->n++] = at;
	}
	return true;
}

/*
 * True if the item at `at` goes before `item` in a merge. `first`: `at` is of the first of the two
 * runs, whose items go before equal ones.
 */
static bool goes_before(const struct runs *runs, const char *at, const char *item, bool first)
{
	return first ? compare_at(runs, at, item) <= 0 : compare_at(runs, item, at) > 0;
}

/*
 * Returns where the stretch from `at` on ends that goes before the item. Items equal to it are part
 * of the stretch in the first run, not in the second. The end is searched in steps that double,
 * since stretches are long where runs are.
 */
static const char *stretch_end(const struct runs *runs, const char *at, const char *end,
	const char *item, bool first)
{
	size_t size = runs->size, n = (size_t)(end - at) / size, low = 0, step = 1;

	while (step <= n && goes_before(runs, at + (step - 1) * size, item, first)) {
		low = step;
		step *= 2;
	}
	if (step > n)
		step = n + 1;
	/* The item before `low` goes before ours; the one before `step` does not, or is none. */
	while (low + 1 < step) {
		size_t middle = low + (step - low) / 2;

		if (goes_before(runs, at + (middle - 1) * size, item, first))
			low = middle;
		else
			step = middle;
	}
	return at + low * size;
}

/*
 * Merges two neighbours, [from, middle) and [middle, to), into one run; whole stretches are copied.
 */
static void merge(const struct runs *runs, const char *items, char *into, size_t from,
	size_t middle, size_t to)
{
	size_t size = runs->size;
	const char *a = items + from * size, *a_end = items + middle * size;
	const char *b = a_end, *b_end = items + to * size;
	const char *stretch;

	into += from * size;
	while (a < a_end && b < b_end) {
		stretch = a;
		a = stretch_end(runs, a, a_end, b, true);
		memcpy(into, stretch, (size_t)(a - stretch));
		into += a - stretch;
		stretch = b;
		if (a < a_end)
			b = stretch_end(runs, b, b_end, a, false);
		memcpy(into, stretch, (size_t)(b - stretch));
		into += b - stretch;
	}
	memcpy(into, a, (size_t)(a_end - a));
	memcpy(into + (a_end - a), b, (size_t)(b_end - b));
}

/*
 * Merges neighbours, from one room into the other and back, until one run is left. Returns the room
 * that it is in.
 */
static char *merge_runs(struct runs *runs, char *items, char *other)
{
	while (runs->n > 1) {
		size_t n = 0, from = 0;
		char *swap = items;

		for (size_t i = 0; i < runs->n; i += 2) {
			size_t middle = runs->ends[i];
			size_t to = i + 1 < runs->n ? runs->ends[i + 1] : middle;

			merge(runs, items, other, from, middle, to);
			runs->ends[n++] = from = to;
		}
		runs->n = n;
		items = other;
		other = swap;
	}
	return items;
}

/* Merges the items themselves. Returns false without memory. */
static bool merge_items(struct runs *runs, char *items, size_t nr)
{
	char *other = malloc(nr * runs->item), *result;

	if (!other)
		return false;
	runs->size = runs->item;
	result = merge_runs(runs, items, other);
	if (result != items)
		memcpy(items, result, nr * runs->item);
	free(other);
	return true;
}

/*
 * Moves items that are to come from elsewhere: from[i] is the place where item i lies now. The
 * places are used up. `spare` has room for one item.
 */
static void move_items(char *items, size_t size, size_t nr, size_t *from, char *spare)
{
	for (size_t first = 0; first < nr; first++) {
		size_t to = first;

		if (from[first] == first)
			continue;
		memcpy(spare, items + first * size, size);
		while (from[to] != first) {
			size_t next = from[to];

			memcpy(items + to * size, items + next * size, size);
			from[to] = to;
			to = next;
		}
		memcpy(items + to * size, spare, size);
		from[to] = to;
	}
}

/* Merges the places of the items, and moves each item once. Returns false without memory. */
static bool merge_places(struct runs *runs, char *items, size_t nr)
{
	size_t *places = malloc(2 * nr * sizeof(*places)), *result;
	char *spare = malloc(runs->item);
	bool done = places && spare;

	for (size_t i = 0; done && i < nr; i++)
		places[i] = i;
	if (done) {
		runs->items = items;
		runs->size = sizeof(*places);
		result = (size_t *)(void *)merge_runs(
			runs, (char *)places, (char *)(places + nr));
		move_items(items, runs->item, nr, result, spare);
	}
	free(places);
	free(spare);
	return done;
}

/*
 * Sorts by merging runs. Returns false, and has moved nothing, if the runs are too short or there
 * is no memory for it.
 */
static bool sort_by_runs(
	void *items, size_t nr, size_t sorted, size_t size, comparison *compare)
{
	struct runs runs = {.item = size, .compare = compare};
	bool done;

	runs.ends = malloc((nr / RUN_LEAST + 1) * sizeof(*runs.ends));
	done = runs.ends && find_runs(&runs, items, nr, sorted) &&
	       (size < ITEM_LARGE ? merge_items(&runs, items, nr)
				  : merge_places(&runs, items, nr));
	free(runs.ends);
	return done;
}

void array_sort_items(void *items, size_t nr, size_t size,
	int (*compare)(const void *, const void *))
{
	size_t at = 1;

	/*
	 * Items that come sorted, as many do, are not moved: that would take as much memory again.
	 */
	while (at < nr && compare((char *)items + (at - 1) * size, (char *)items + at * size) <= 0)
		at++;
	if (at < nr && !sort_by_runs(items, nr, at, size, compare))
		qsort(items, nr, size, compare);
}

void array_group_items(void *items, size_t nr, size_t size, size_t numbers,
	size_t (*number)(const void *item))
{
	size_t *next = alloc_zeroed(numbers + 1, sizeof(*next));
	size_t *from = alloc_zeroed(nr, sizeof(*from));
	char *spare = alloc_zeroed(1, size);

	for (size_t i = 0; i < nr; i++)
		next[number((char *)items + i * size) + 1]++;
	for (size_t i = 0; i < numbers; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < nr; i++)
		from[next[number((char *)items + i * size)]++] = i;
	move_items(items, size, nr, from, spare);
	free(spare);
	free(from);
	free(next);
}
