/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_MEASURE_H
#define EVIDENCE_MEASURE_H

/*
 * How large an exhibit of each kind may be, and what it may cost to decode. An exhibit that is
 * larger than any of its kind is none: it is refused by the size that it is said to have, before a
 * byte is unpacked. The weight is a promise of the kind's decoder, whatever the bytes say: so many
 * bytes of memory for each byte at most (and MEASURE_FLOOR more), which tests/hurt/bombs.test holds
 * it to.
 */

#include <stddef.h>

#include "evidence/format/exhibit.h"

#define MEASURE_FLOOR ((size_t)256 << 10)

struct measure {
	size_t most;	 /* bytes */
	unsigned weight; /* of each */
};

/* Never NULL; of a kind that is not known: a piece that is kept, and not decoded. */
const struct measure *measure_of(enum exhibit_kind kind) __attribute__((returns_nonnull));

/* Memory that decoding so many bytes of the kind may take. */
uint64_t measure_cost(enum exhibit_kind kind, size_t len);

#endif
