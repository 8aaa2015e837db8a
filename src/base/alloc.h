/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

/*
 * Memory for tools outside the job. Running out of it ends the program with one line: there is no
 * useful verdict to give without memory, and no caller could test such a path. (The probe, in
 * somebody else's process, never includes this.)
 */

#include <stddef.h>

/* Returns zeroed memory for nr items of the given size. Never NULL; free() it. */
void *alloc_zeroed(size_t nr, size_t size) __attribute__((malloc, returns_nonnull));

/*
 * Reallocates to nr items of the given size, as realloc() does. Never NULL, also for nr 0; new
 * items are not zeroed.
 */
void *alloc_resize(void *old, size_t nr, size_t size) __attribute__((returns_nonnull));

/*
 * Makes each large allocation a mapping of its own. Most of a ring's copy is untouched zeros that
 * cost no memory; from the heap they would be cleared, and stay our memory, as soon as one such
 * piece had been freed. For programs that copy rings again and again; call it first.
 */
void alloc_keep_sparse(void);

/* Returns a copy of text; free() it. */
char *alloc_text(const char *text) __attribute__((malloc, returns_nonnull, nonnull));

/* Returns a copy of size bytes with a NUL after them; free() it. bytes may be NULL if size is 0. */
void *alloc_copy(const void *bytes, size_t size) __attribute__((malloc, returns_nonnull));

/*
 * Tells the kernel that all of these bytes are written next: they take memory from now on. Advice
 * only.
 */
void alloc_expect_written(void *bytes, size_t size);

#endif
