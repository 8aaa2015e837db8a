/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"

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

void array_sort_items(void *items, size_t nr, size_t size,
	int (*compare)(const void *, const void *))
{
	size_t at = 1;

	/* What comes sorted, as much does, is not moved: that would take as much memory again. */
	while (at < nr && compare((char *)items + (at - 1) * size, (char *)items + at * size) <= 0)
		at++;
	if (at < nr)
		qsort(items, nr, size, compare);
}
