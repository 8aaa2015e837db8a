/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portions.h: records what an all-to-all gives each seat of its group, and awaits from it
 * (RING_PORTIONS).
 */
#ifndef PROBES_PORTIONS_H
#define PROBES_PORTIONS_H

#include "probes/probe.h"

#define PORTIONS_MAX	 64 /* members of a group; in a larger one nothing is recorded */
#define PORTION_UNKNOWN UINT32_MAX

/*
 * Returns the bytes of one part as a record has them; more than it has room for count as unknown.
 */
static inline uint32_t portion(uint64_t bytes)
{
	return bytes < PORTION_UNKNOWN ? (uint32_t)bytes : PORTION_UNKNOWN;
}

/*
 * Records the portions of an op that has entered a group. For each seat of `from`, `of` returns
 * both: in the lower 32 bits the part that the seat is given, in the upper ones the part that is
 * awaited from it. Groups larger than PORTIONS_MAX are left out.
 */
void portions_put(struct probe_thread *me, const struct ring_entered *e,
	uint64_t (*of)(const void *from, uint32_t seat), const void *from);

#endif
