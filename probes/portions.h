/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portions.h: what an all-to-all gives each seat of its group, and awaits from it (RING_PORTIONS).
 */
#ifndef PROBES_PORTIONS_H
#define PROBES_PORTIONS_H

#include "probes/probe.h"

#define PORTIONS_MAX	 64 /* members of a group, of whom it is recorded */
#define PORTION_UNKNOWN UINT32_MAX

/* Bytes of one part, as a record has them; more than it has room for are not known. */
static inline uint32_t portion(uint64_t bytes)
{
	return bytes < PORTION_UNKNOWN ? (uint32_t)bytes : PORTION_UNKNOWN;
}

/*
 * Records the portions of an op that has entered a group. `of` says those of a seat, of what `from`
 * is: the part that it is given, and from bit 32 on the part that is awaited from it. Larger groups
 * are left out.
 */
void portions_put(struct probe_thread *me, const struct ring_entered *e,
	uint64_t (*of)(const void *from, uint32_t seat), const void *from);

#endif
