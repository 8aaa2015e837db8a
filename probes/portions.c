/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/portions.h"

#define SEATS 4 /* seats in a record */

void portions_put(struct probe_thread *me, const struct ring_entered *e,
	uint64_t (*of)(const void *from, uint32_t seat), const void *from)
{
	uint32_t size = e->group < 0 ? 0 : me->ring->groups[e->group].size;
	uint64_t now = probe_now(me), word[SEATS];

	for (uint32_t seat = 0; size <= PORTIONS_MAX && seat < size; seat += SEATS) {
		for (uint32_t i = 0; i < SEATS; i++)
			word[i] = seat + i < size ? of(from, seat + i) : 0;
		probe_put(me, now,
			&(const struct ring_record){.meta = ring_meta(RING_PORTIONS, 0,
							    (unsigned)e->group, seat),
				.index = e->index,
				.count = word[0],
				.sig = word[1],
				.aux = word[2],
				.more = word[3]});
	}
}
