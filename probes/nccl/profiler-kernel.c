/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells which collective the GPU began, and which it ended: by channels, each of which is told of
 * when its part of the kernel begins and ends. An op has begun with its first channel, and is
 * complete when as many as were announced have ended and none is open; or when a later one begins,
 * since the kernels of one communicator run one behind the other.
 */
#include "probes/nccl/nccl.h"
#include "probes/nccl/profiler.h"
#include "probes/process.h"

#define KERNEL_GROUPS 64
#define KERNEL_OPEN   64 /* ops of a group that may be under way */

/* Writers: NCCL's threads, by profiler_kernel_*(), word by word with atomics. */
static struct {
	uint64_t index;
	uint32_t channels, ended;
	int32_t open;
} kernel_ops[KERNEL_GROUPS][KERNEL_OPEN];

static int kernel_knows(const struct ring_writer *ring, int group)
{
	return ring && group >= 0 && group < KERNEL_GROUPS && (uint32_t)group < ring->ngroups;
}

uint64_t profiler_kernel_follow(int group, unsigned channels)
{
	struct ring_writer *ring = process_ring();
	uint64_t index;

	if (!kernel_knows(ring, group))
		return 0;
	index = ring_load(&ring->groups[group].op_index);
	__typeof__(&kernel_ops[0][0]) op = &kernel_ops[group][index % KERNEL_OPEN];

	if (ring_load(&op->index) != index) {
		__atomic_store_n(&op->channels, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&op->ended, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&op->open, 0, __ATOMIC_RELAXED);
		ring_publish_word(&op->index, index);
	}
	__atomic_fetch_add(&op->channels, channels, __ATOMIC_RELAXED);
	return index;
}

static void kernel_done(struct ring_writer *ring, int group, uint64_t index)
{
	if (index)
		ring_group_complete(ring, group, index, ring_writer_now(ring), 0);
}

void profiler_kernel_begin(int group, uint64_t index)
{
	struct ring_writer *ring = process_ring();
	uint64_t *begun, seen;

	if (!kernel_knows(ring, group) || !index)
		return;
	begun = &ring->groups[group].begun_word;
	seen = ring_load(begun);
	while (seen < index && !ring_cas(begun, seen, index))
		seen = ring_load(begun);
	if (seen < index)
		kernel_done(ring, group, index - 1);
	if (ring_load(&kernel_ops[group][index % KERNEL_OPEN].index) == index)
		__atomic_fetch_add(
			&kernel_ops[group][index % KERNEL_OPEN].open, 1, __ATOMIC_RELAXED);
}

void profiler_kernel_end(int group, uint64_t index)
{
	struct ring_writer *ring = process_ring();
	uint32_t ended;
	int32_t open;

	if (!kernel_knows(ring, group) || !index ||
		ring_load(&kernel_ops[group][index % KERNEL_OPEN].index) != index)
		return;
	open = __atomic_sub_fetch(
		&kernel_ops[group][index % KERNEL_OPEN].open, 1, __ATOMIC_RELAXED);
	ended = __atomic_add_fetch(
		&kernel_ops[group][index % KERNEL_OPEN].ended, 1, __ATOMIC_RELAXED);
	if (open <= 0 && ended >= __atomic_load_n(&kernel_ops[group][index % KERNEL_OPEN].channels,
				  __ATOMIC_RELAXED))
		kernel_done(ring, group, index);
}
