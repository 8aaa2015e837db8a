/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_UNPACK_H
#define EVIDENCE_UNPACK_H

/*
 * Reads msgpack out of a stranger's bytes, item by item. Nothing is allocated and nothing is
 * believed: an array may say that it has four billion items, but each must then be there to be
 * read.
 *
 *	struct unpack unpack = unpack_of(bytes, len);
 *	if (unpack_next(&unpack, &item) && item.type == UNPACK_MAP) ...
 *	if (unpack.broken) ...
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpack {
	const uint8_t *at, *end;
	bool broken; /* true once what stands at `at` is no item, or a cut one, or the end */
};

enum unpack_type {
	UNPACK_NIL,
	UNPACK_BOOL,
	UNPACK_INT,   /* in `number`; if `negative`, that is an int64_t */
	UNPACK_BYTES, /* text or binary, in `bytes` and `len` */
	UNPACK_ARRAY, /* `len` items follow */
	UNPACK_MAP,   /* `len` pairs follow */
	UNPACK_OTHER, /* floats and extensions, which are passed over */
};

struct unpack_item {
	enum unpack_type type;
	bool negative;
	uint64_t number;
	const uint8_t *bytes;
	size_t len;
};

static inline struct unpack unpack_of(const void *bytes, size_t len)
{
	return (struct unpack){.at = bytes, .end = (const uint8_t *)bytes + len};
}

/*
 * Reads the next item; of an array or a map only its head. Where there is none, returns false, and
 * all further reading is broken.
 */
bool unpack_next(struct unpack *unpack, struct unpack_item *ret) __attribute__((nonnull));

/*
 * Skips what follows an item's head, if it is an array or a map. Returns false where that is
 * broken.
 */
bool unpack_skip(struct unpack *unpack, const struct unpack_item *item) __attribute__((nonnull));

/* True if the item is this text, in bytes. */
bool unpack_is(const struct unpack_item *item, const char *text) __attribute__((nonnull));

#endif
