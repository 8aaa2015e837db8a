/* SPDX-License-Identifier: Apache-2.0 */
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

/* Items of one size, and where their runs end: stretches that are in order. */
struct runs {
	size_t size;
	comparison *compare;
	size_t *ends;
	size_t n;
};

#define RUN_LEAST 8 /* items that a run has in the mean, where runs are worth more than qsort() */

/* False: they are too short. The room for their ends is as much as may be needed. */
static bool find_runs(struct runs *runs, const char *items, size_t nr)
{
	size_t most = nr / RUN_LEAST;

	for (size_t at = 1; at <= nr; at++) {
		const char *item = items + at * runs->size;

		if (at < nr && runs->compare(item - runs->size, item) <= 0)
			continue;
		if (runs->n == most)
			return false;
		runs->ends[runs->n++] = at;
	}
	return true;
}

/* Two neighbours, [from, middle) and [middle, to), into one; whole stretches are copied. */
static void merge(const struct runs *runs, const char *items, char *into, size_t from,
	size_t middle, size_t to)
{
	size_t size = runs->size;
	const char *a = items + from * size, *a_end = items + middle * size;
	const char *b = a_end, *b_end = items + to * size;
	const char *stretch;

	into += from * size;
	while (a < a_end && b < b_end) {
		for (stretch = a; a < a_end && runs->compare(a, b) <= 0;)
			a += size;
		memcpy(into, stretch, (size_t)(a - stretch));
		into += a - stretch;
		for (stretch = b; a < a_end && b < b_end && runs->compare(a, b) > 0;)
			b += size;
		memcpy(into, stretch, (size_t)(b - stretch));
		into += b - stretch;
	}
	memcpy(into, a, (size_t)(a_end - a));
	memcpy(into + (a_end - a), b, (size_t)(b_end - b));
}

/* Merges neighbours, from one room into the other and back, until one run is left. */
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

/* False: its runs are too short, or there is no memory for it. */
static bool sort_by_runs(void *items, size_t nr, size_t size, comparison *compare)
{
	struct runs runs = {.size = size, .compare = compare};
	char *other = NULL, *sorted;
	bool done;

	runs.ends = malloc((nr / RUN_LEAST + 1) * sizeof(*runs.ends));
	if (runs.ends && find_runs(&runs, items, nr))
		other = malloc(nr * size);
	if (other) {
		sorted = merge_runs(&runs, items, other);
		if (sorted != items)
			memcpy(items, sorted, nr * size);
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

	/* What comes sorted, as much does, is not moved: that would take as much memory again. */
	while (at < nr && compare((char *)items + (at - 1) * size, (char *)items + at * size) <= 0)
		at++;
	if (at < nr && !sort_by_runs(items, nr, size, compare))
		qsort(items, nr, size, compare);
}
