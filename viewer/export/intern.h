/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intern.h: texts that occur again and again, by number: equal ones have one number, wherever they
 * lie. Several workers make the texts of tracks, so that one op's name may lie in several places.
 */
#ifndef VIEWER_INTERN_H
#define VIEWER_INTERN_H

#include <stddef.h>

/* The table. {0} at first; intern_release() it. */
struct intern {
	const char **texts; /* by number, from 0 */
	size_t n, room;
	size_t *places; /* a hash: number + 1, 0 free */
	size_t size;    /* of it, a power of two, or 0 */
};

/* Returns the number of a text, which must outlive the table; a new one is the next. */
size_t intern_text(struct intern *intern, const char *text) __attribute__((nonnull));

/* Frees the table, not the texts, and leaves the empty one. */
void intern_release(struct intern *intern) __attribute__((nonnull));

#endif
