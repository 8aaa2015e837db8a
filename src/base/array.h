/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

/*
 * A growing array of one type. It is a struct with three plain members, to be read directly:
 *
 *	ARRAY(struct op) ops = {0};
 *
 *	struct op *op = array_add(&ops);		zeroed, valid until the next add
 *	*array_add(&numbers) = 7;
 *	for (size_t i = 0; i < ops.nr; i++)
 *		use(&ops.items[i]);
 *	array_for_each(&ops, op)
 *		use(op);
 *	array_release(&ops);
 *
 * {0} is the empty array. The array owns its items, not what they point to. Adding may move the
 * items: keep an index, not a pointer, across it. To pass one along, put it in a struct or pass
 * items and nr.
 */

#include <stddef.h>
#include <stdlib.h>

#define ARRAY(type)                                                                                \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t nr;                                                                         \
		size_t room;                                                                       \
	}

/* Adds one zeroed item at the end and gives its address. */
#define array_add(array)                                                                           \
	((array)->items = array_grow((array)->items, (array)->nr, 1, &(array)->room,               \
		 sizeof(*(array)->items)),                                                         \
		&(array)->items[(array)->nr++])

/* Adds count zeroed items at the end and gives the address of the first. */
#define array_add_many(array, count)                                                               \
	((array)->items = array_grow((array)->items, (array)->nr, (count), &(array)->room,         \
		 sizeof(*(array)->items)),                                                         \
		(array)->nr += (count), &(array)->items[(array)->nr - (count)])

/* Makes room for count items more: adding them moves nothing, and takes no more than they need. */
#define array_reserve(array, count)                                                                \
	((array)->items = array_grow((array)->items, (array)->nr, (count), &(array)->room,         \
		 sizeof(*(array)->items)))

/* Runs the statement behind it for each item, whose address goes into the variable item. */
#define array_for_each(array, item)                                                                \
	for ((item) = (array)->items; (size_t)((item) - (array)->items) < (array)->nr; (item)++)

/*
 * Keeps an item of a list that is gone through, while others are left out: it becomes the last of
 * the `kept` first ones, which are one more then. One that stands there already is not touched.
 */
#define array_keep(items, kept, at)                                                                \
	do {                                                                                       \
		if ((kept) != (at))                                                                \
			(items)[kept] = (items)[at];                                               \
		(kept)++;                                                                          \
	} while (0)

/* Sorts the items; see array_sort_items(). */
#define array_sort(array, compare)                                                                 \
	array_sort_items((array)->items, (array)->nr, sizeof(*(array)->items), (compare))

/* Frees the items and leaves the empty array. */
#define array_release(array)                                                                       \
	do {                                                                                       \
		free((array)->items);                                                              \
		(array)->items = NULL;                                                             \
		(array)->nr = (array)->room = 0;                                                   \
	} while (0)

/*
 * What array_add() stands on: returns the items, perhaps moved, with zeroed room for more behind
 * nr. Ends the program where there is no memory or the size overflows (base/alloc.h).
 */
void *array_grow(void *items, size_t nr, size_t more, size_t *room, size_t size)
	__attribute__((returns_nonnull));
/*
 * Sorts as qsort() does, and takes NULL items where nr is 0. It is quick where the items come as a
 * few lists that are each in order. It is not stable: compare() must tell all items apart.
 */
void array_sort_items(void *items, size_t nr, size_t size,
	int (*compare)(const void *, const void *));

/*
 * Puts items in the order of their numbers, of which each is less than `numbers`; those of one
 * number stay as they stand to each other. Takes time by the items and numbers alone. Ends the
 * program where there is no memory.
 */
void array_group_items(void *items, size_t nr, size_t size, size_t numbers,
	size_t (*number)(const void *item));

#endif
