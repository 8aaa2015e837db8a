/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside.c: linked into a probe that is sanitized, a reader of the ring where its writers have it.
 * ThreadSanitizer compares addresses: through a map of its own a reader would never be seen.
 */
#include "probes/process.h"
#include "ring/ring-read.h"

HOOK_EXPORT uint64_t inquest_probe_look(void);

static uint64_t look_at(const void *slot)
{
	struct ring_slot s;

	return ring_slot_read(slot, &s) == RING_SLOT_WHOLE;
}

/* Reads every slot and board that there is; how many are whole. */
uint64_t inquest_probe_look(void)
{
	const struct ring_writer *w = process_ring();
	uint64_t whole = 0;

	if (!w)
		return 0;
	for (uint32_t i = 0; i <= w->nlanes; i++) {
		const struct ring_lane *lane = w->lanes + i;
		uint64_t head = ring_load(&lane->head);

		for (uint64_t k = 0; k < lane->n && k < head; k++)
			whole += look_at(w->slots + lane->first + k);
		whole += look_at(lane->board) + look_at(lane->board + 1);
	}
	for (uint32_t i = 0; i < w->nspans; i++)
		whole += look_at(w->spans + i);
	for (uint32_t i = 0; i < w->nmarks; i++)
		for (int half = 0; half < 2; half++)
			whole += look_at(w->marks[i].latest + half) +
				 look_at(w->marks[i].shape + half);
	for (uint32_t i = 0; i < w->ngroups; i++)
		for (int half = 0; half < 2; half++)
			whole += look_at(w->groups[i].enqueue + half) +
				 look_at(w->groups[i].complete + half);
	return whole;
}
