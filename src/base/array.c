/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array that is sorted here often is the concatenation of a few lists that are each in order,
 * such as the events of several threads. qsort() does not profit from that. So array_sort_items()
 * looks for these stretches (runs) and merges neighbours, copying whole stretches; if the runs are
 * too short for that to pay, or there is no memory, it calls qsort().
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

/* The runs of an array: stretches of items that are in order. ends[i] is the index behind run i. */
struct runs {
	size_t size;
	comparison *compare;
	size_t *ends;
	size_t n;
};

#define RUN_LEAST 8 /* items that a run has in the mean, where runs are worth more than qsort() */

/*
 * Finds the runs. Returns false if they are too short. The first `sorted` items are known to be in
 * order. The room for the ends is as much as may be needed.
 */
static bool find_runs(struct runs *runs, const char *items, size_t nr, size_t sorted)
{
	size_t most = nr / RUN_LEAST;

	for (size_t at = sorted; at <= nr; at++) {
		const char *item = items + at * runs->size;

		if (at < nr && runs->compare(item - runs->size, item) <= 0)
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
	return first ? runs->compare(at, item) <= 0 : runs->compare(item, at) > 0;
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

/*
 * Sorts by merging runs. Returns false, and has moved nothing, if the runs are too short or there
 * is no memory for it.
 */
static bool sort_by_runs(
	void *items, size_t nr, size_t sorted, size_t size, comparison *compare)
{
	struct runs runs = {.size = size, .compare = compare};
	char *other = NULL, *result;
	bool done;

	runs.ends = malloc((nr / RUN_LEAST + 1) * sizeof(*runs.ends));
	if (runs.ends && find_runs(&runs, items, nr, sorted))
		other = malloc(nr * size);
	if (other) {
		result = merge_runs(&runs, items, other);
		if (result != items)
			memcpy(items, result, nr * size);
	}
	done = other != NULL;
	free(runs.ends);
	free(other);
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
