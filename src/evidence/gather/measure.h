/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_MEASURE_H
#define EVIDENCE_MEASURE_H

/*
 * How large an exhibit of each kind may be, and what it may cost to decode. A larger one is refused
 * by the size that it states, before a byte is unpacked. The weight is a promise of the kind's
 * decoder, whatever the bytes are: it needs at most that many bytes of memory for each byte (and
 * MEASURE_FLOOR more). tests/hurt/bombs.test holds it to that.
 */

#include <stddef.h>

#include "evidence/format/exhibit.h"

#define MEASURE_FLOOR ((size_t)256 << 10)

struct measure {
	size_t most;	 /* bytes of an exhibit */
	unsigned weight; /* bytes of memory for each of its bytes */
};

/*
 * Returns the measure of a kind, never NULL; for an unknown kind that of bytes that are kept and
 * not decoded.
 */
const struct measure *measure_of(enum exhibit_kind kind) __attribute__((returns_nonnull));

/* Returns how much memory the decoding of so many bytes of the kind may take. */
uint64_t measure_cost(enum exhibit_kind kind, size_t len);

#endif
