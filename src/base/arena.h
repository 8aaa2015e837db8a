/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

/*
 * Memory that is given back all at once. All that a builder makes of one job (ops, names, cites) is
 * allocated here, never moves, and lives until arena_release(). {0} is the empty arena.
 *
 * Everything is aligned for any type and zeroed. Never NULL (see base/alloc.h).
 */

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *newest;
};

/* Returns nr * size zeroed bytes. */
void *arena_alloc(struct arena *arena, size_t nr, size_t size)
	__attribute__((returns_nonnull, nonnull));

/* Give one zeroed object, or nr of them side by side. */
#define arena_new(arena, type) ((type *)arena_alloc((arena), 1, sizeof(type)))
#define arena_new_many(arena, type, nr) ((type *)arena_alloc((arena), (nr), sizeof(type)))

/* Returns a copy of text. Later changes to the original do not show. */
char *arena_text(struct arena *arena, const char *text) __attribute__((returns_nonnull, nonnull));
/* Returns a copy of at most max bytes of text that may lack its NUL; the copy always has one. */
char *arena_text_max(struct arena *arena, const char *text, size_t max)
	__attribute__((returns_nonnull, nonnull));
/* Returns a copy of size bytes, with no NUL added. Bytes may be NULL where size is 0. */
void *arena_copy(struct arena *arena, const void *bytes, size_t size)
	__attribute__((returns_nonnull, nonnull(1)));

/* Returns formatted text; "" where the format fails. */
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((returns_nonnull, nonnull, format(printf, 2, 3)));

/* Frees all of it and leaves the empty arena. Takes NULL. */
void arena_release(struct arena *arena);

#endif
