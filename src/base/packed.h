/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

/* Knows files that somebody has packed, or a text in UTF-16, by their first bytes. */

#include <stddef.h>

/* So many first bytes tell it. */
#define PACKED_BYTES 265

/*
 * Returns what is to be said of a file that begins so, a literal, "packed by gzip: unpack it"; NULL
 * if it is not packed.
 */
const char *packed_how(const char *bytes, size_t n) __attribute__((nonnull));

/* The same of a file; NULL also where it cannot be read. */
const char *packed_how_file(const char *path) __attribute__((nonnull));

/*
 * The same of a file, but NULL for an archive of tar, in which what is packed stands as it was.
 */
const char *packed_hides(const char *path) __attribute__((nonnull));

#endif
