/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/ring_hot.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring/ring-write.h"

#define EXPORT __attribute__((visibility("default")))

static struct ring_writer writer;
static uint64_t *guard; /* a page that a fork child finds empty */
static __thread struct ring_lane *lane;

EXPORT hot_open_fn hot_open;
EXPORT hot_record_fn hot_record, hot_record_board;

int hot_open(void *base)
{
	ring_writer_open(&writer, base);
	guard = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guard == MAP_FAILED || madvise(guard, 4096, MADV_WIPEONFORK))
		return -1;
	*guard = 1;
	return 0;
}

/* NULL as well in a fork child, and where the processor's clock is not to be trusted. */
static inline struct ring_lane *my_lane(void)
{
	struct ring_lane *mine = lane;

	if (__builtin_expect(!mine || !*(volatile uint64_t *)guard || writer.clock, 0))
		return NULL;
	return mine;
}

/* Apart, so that what is hot saves no registers for a call that it seldom makes. */
static __attribute__((noinline, cold)) void first_record(
	uint64_t meta, uint64_t index, uint64_t count, uint64_t sig)
{
	const struct ring_record r = {meta, index, count, sig, 0, 0};

	lane = ring_lane_claim(&writer, (uint32_t)syscall(SYS_gettid), "bench");
	ring_put(&writer, lane, ring_writer_now(&writer), &r);
}

void hot_record(uint64_t meta, uint64_t index, uint64_t count, uint64_t sig)
{
	const struct ring_record r = {meta, index, count, sig, 0, 0};
	struct ring_lane *mine = my_lane();

	if (mine)
		ring_put(&writer, mine, ring_now(), &r);
	else
		first_record(meta, index, count, sig);
}

void hot_record_board(uint64_t meta, uint64_t index, uint64_t count, uint64_t sig)
{
	const struct ring_record r = {meta, index, count, sig, 0, 0};
	struct ring_lane *mine = my_lane();
	uint64_t tsc;

	if (!mine) {
		first_record(meta, index, count, sig);
		return;
	}
	tsc = ring_now();
	ring_put(&writer, mine, tsc, &r);
	ring_lane_board(mine, tsc, &r);
}
