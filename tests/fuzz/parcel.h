/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_PARCEL_H
#define TESTS_FUZZ_PARCEL_H

/*
 * Exhibits without the wrapping of a bundle, so that a byte that a fuzzer changes is one that a
 * decoder reads, and not one that a checksum guards. One parcel behind the other:
 *
 *	kind, rank (255 none), host, length of the label	a byte each
 *	the label
 *	pid u32, start time u64, when i64, length u32		little-endian
 *	the bytes: u16 length, so many bytes, u16 zeros behind them, again and again
 *
 * Rings are mostly zeros, and a fuzzer has no use for those.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "evidence/format/exhibit.h"

/* The most bytes to which a parcel unpacks. */
#define PARCEL_CAP (16u << 20)

/* Appends the exhibit as a parcel; `host` is the host's number, at most 255. */
void parcel_put(struct str *into, const struct exhibit *exhibit, unsigned host)
	__attribute__((nonnull));

/*
 * Adds the parcel at *at to the evidence and moves *at behind it. Returns false at the end, or
 * where nothing whole is left.
 */
int parcel_take(const uint8_t **at, const uint8_t *end, struct evidence *into)
	__attribute__((nonnull));

/*
 * Returns how many bytes of a whole parcel come before those of the exhibit; the last four of them
 * are the exhibit's length.
 */
size_t parcel_head_size(const uint8_t *parcel) __attribute__((nonnull));

/* Moves *at behind the parcel there; returns false where nothing whole is left. */
int parcel_skip(const uint8_t **at, const uint8_t *end) __attribute__((nonnull));

#endif
