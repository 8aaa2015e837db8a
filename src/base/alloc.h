/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

/*
 * Memory for tools outside the job. Running out of it ends the program with one line: there is no
 * useful verdict to give without memory, and no caller could test such a path. (The probe, in
 * somebody else's process, never includes this.)
 */

#include <stddef.h>

/* Zeroed memory for nr items of the given size. Never NULL; free() it. */
void *alloc_zeroed(size_t nr, size_t size) __attribute__((malloc, returns_nonnull));

/* realloc() to nr items of the given size. Never NULL, also for nr 0; new ones are not zeroed. */
void *alloc_resize(void *old, size_t nr, size_t size) __attribute__((returns_nonnull));

/*
 * Makes each large allocation a mapping of its own: most of a ring's copy is untouched zeros that
 * cost no memory. From the heap they would be cleared, and stay our memory, as soon as one had been
 * freed. For who copies rings again and again; call it first.
 */
void alloc_keep_sparse(void);

/* A copy of text; free() it. */
char *alloc_text(const char *text) __attribute__((malloc, returns_nonnull, nonnull));

/* A copy of size bytes with a NUL after them; free() it. bytes may be NULL if size is 0. */
void *alloc_copy(const void *bytes, size_t size) __attribute__((malloc, returns_nonnull));

/*
 * All of these bytes are read next, of which most may never have been written: the kernel gives
 * their pages at once, which is a quarter of what it takes for one after the other. Advice only.
 */
void alloc_expect(const void *bytes, size_t size);

/* The same where all of them are written next: they take memory from now on. */
void alloc_expect_written(void *bytes, size_t size);

#endif
