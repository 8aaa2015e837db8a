/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/timeline/pyramid-slots.h"

#include "base/bisect.h"

#define PER_SLOT 8 /* times to a slot */

/* Returns the i-th time. */
static int64_t time_at(struct times times, size_t i)
{
	return *(const int64_t *)(const void *)((const char *)times.first + i * times.stride);
}

/*
 * Returns the slot of a time. Never shrinks as the time grows, whatever is lost in rounding: that
 * is all that is needed.
 */
static size_t slot_of(const struct slots *slots, int64_t when)
{
	double slot = (double)(when - slots->from) * slots->per_ns;

	return slot <= 0 ? 0 : slot >= (double)slots->n ? slots->n - 1 : (size_t)slot;
}

size_t slots_count(size_t n)
{
	return n / PER_SLOT + 2;
}

size_t slots_make(struct slots *slots, uint32_t *at, const struct tracks *tracks,
	struct times times)
{
	size_t slot = 0;

	*slots = (struct slots){.at = at, .n = times.n / PER_SLOT + 1, .from = tracks->from};
	slots->per_ns = (double)slots->n / (double)(tracks->to - tracks->from);
	for (size_t i = 0; i < times.n; i++)
		for (size_t mine = slot_of(slots, time_at(times, i)); slot < mine;)
			at[++slot] = (uint32_t)i;
	while (slot < slots->n)
		at[++slot] = (uint32_t)times.n;
	return slots_count(times.n);
}

bool slots_have(const struct slots *slots, struct times times, int64_t from, int64_t to)
{
	size_t low = slot_of(slots, from) + 1, high = slot_of(slots, to), first;

	/* What lies in a slot between theirs lies between them. */
	if (low < high && slots->at[low] < slots->at[high])
		return true;
	first = slots_before(slots, times, from);
	return first < times.n && time_at(times, first) < to;
}

size_t slots_before(const struct slots *slots, struct times times, int64_t when)
{
	size_t slot = slot_of(slots, when);

	return bisect(slots->at[slot], slots->at[slot + 1], i, time_at(times, i) < when);
}
