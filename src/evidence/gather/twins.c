/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/twins.h"

#include <stddef.h>
#include <string.h>

#include "ring/census-read.h"
#include "ring/ring-read.h"

/* True if another process of the census bears the same pid and start time. */
static bool is_twin(const struct census_view *view, const struct census_slot *slot)
{
	struct census_slot other;

	for (uint32_t i = 0; i < view->slots; i++)
		if (census_view_slot(view, i, &other) == 1 && other.pid == slot->pid &&
			other.start_time == slot->start_time && other.pid_ns != slot->pid_ns)
			return true;
	return false;
}

void twins_tell_apart(struct twins *twins, struct liveness_census *census)
{
	uint64_t own = proc_ns_own();
	size_t first = twins->all.nr;
	struct census_view view;
	struct census_slot slot;

	if (census_view_open(&view, census->bytes, census->size) < 0)
		return;
	for (uint32_t i = 0; i < view.slots; i++)
		if (census_view_slot(&view, i, &slot) == 1 && slot.pid_ns && slot.pid_ns != own &&
			census->of[i].there && is_twin(&view, &slot))
			*array_add(&twins->all) = (struct twin){
				slot.pid, census->of[i].here, slot.start_time, slot.pid_ns};
	for (uint32_t i = 0; i < view.slots && first < twins->all.nr; i++) {
		uint8_t *at = (uint8_t *)census->bytes + census_slot_offset(i);
		const struct twin *twin = &twins->all.items[first];

		if (census_view_slot(&view, i, &slot) != 1 || slot.pid != twin->pid ||
			slot.start_time != twin->start_time || slot.pid_ns != twin->ns)
			continue;
		memcpy(at + offsetof(struct census_slot, pid), &twin->here, sizeof(twin->here));
		first++;
	}
}

uint32_t twins_pid(const struct twins *twins, const void *ring, size_t size, uint32_t pid,
	uint64_t start_time)
{
	struct ring_view view;
	const struct twin *twin;

	if (!twins->all.nr || !ring || ring_view_open(&view, ring, size) != 0)
		return pid;
	array_for_each(&twins->all, twin)
		if (twin->pid == pid && twin->start_time == start_time &&
			twin->ns == view.header.pid_ns)
			return twin->here;
	return pid;
}
