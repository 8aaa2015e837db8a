/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/nccl/completion.h"

#include <stdlib.h>
#include <string.h>

#include "probes/hook.h"
#include "probes/nccl/cuda-abi.h"
#include "probes/probe.h"

#define COMPLETION_PAGE 4096

enum completion_mode { COMPLETION_UNASKED, COMPLETION_ASKING, COMPLETION_OFF, COMPLETION_WRITE };

/*
 * Writers: threads that launch their first ops, maybe at once: one asks, one registers, the others'
 * ops are lost.
 */
static struct {
	int mode; /* enum completion_mode; what is found by asking is published with it */
	struct ring_writer *registering; /* the ring that a thread took upon itself to register */
	struct ring_writer *registered;	 /* published after `offset` */
	uint64_t offset; /* device address of the ring's bytes, less their host address */
	void *write, *reg, *address;
} completion;

static void *completion_find(const char *newer, const char *older)
{
	void *fn = hook_find(newer, NULL, hook_cuda);

	return fn ? fn : hook_find(older, NULL, hook_cuda);
}

static int completion_ask(void)
{
	const char *wish = getenv("INQUEST_COMPLETION");
	int standin = !wish && hook_find("standin_driver", NULL, hook_cuda);

	if (!standin && !(wish && !strcmp(wish, "write")))
		return COMPLETION_OFF;
	completion.write = completion_find("cuStreamWriteValue64_v2", "cuStreamWriteValue64");
	completion.reg = completion_find("cuMemHostRegister_v2", "cuMemHostRegister");
	completion.address =
		completion_find("cuMemHostGetDevicePointer_v2", "cuMemHostGetDevicePointer");
	return completion.write && completion.reg && completion.address ? COMPLETION_WRITE
									: COMPLETION_OFF;
}

/* Returns the mode, which the first caller finds out. */
static int completion_mode(void)
{
	int mode = __atomic_load_n(&completion.mode, __ATOMIC_ACQUIRE);

	if (hook_likely(mode != COMPLETION_UNASKED) ||
		!__atomic_compare_exchange_n(&completion.mode, &mode, COMPLETION_ASKING, 0,
			__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return mode;
	mode = completion_ask();
	__atomic_store_n(&completion.mode, mode, __ATOMIC_RELEASE);
	return mode;
}

static void completion_say(struct ring_writer *ring, uint32_t kind)
{
	__atomic_store_n(&ring->header->completion, kind, __ATOMIC_RELAXED);
}

/*
 * Makes the ring's groups known to the driver, once per ring. Returns 0, the driver's error, or -1
 * if another thread is at it.
 */
static int completion_register(struct ring_writer *ring)
{
	int (*reg)(void *, size_t, unsigned) = (int (*)(void *, size_t, unsigned))completion.reg;
	int (*address)(uint64_t *, void *, unsigned) =
		(int (*)(uint64_t *, void *, unsigned))completion.address;
	uintptr_t from = (uintptr_t)ring->groups & ~(uintptr_t)(COMPLETION_PAGE - 1);
	uintptr_t to = (uintptr_t)(ring->groups + ring->ngroups);
	struct ring_writer *seen = __atomic_load_n(&completion.registering, __ATOMIC_RELAXED);
	uint64_t device;
	int err;

	if (__atomic_load_n(&completion.registered, __ATOMIC_ACQUIRE) == ring)
		return 0;
	if (seen == ring || !__atomic_compare_exchange_n(&completion.registering, &seen, ring, 0,
				    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return -1;
	to = (to + COMPLETION_PAGE - 1) & ~(uintptr_t)(COMPLETION_PAGE - 1);
	err = reg((void *)from, to - from, CUDA_ABI_HOST_PORTABLE | CUDA_ABI_HOST_DEVICEMAP);
	if (!err)
		err = address(&device, (void *)from, 0);
	if (err)
		return err;
	ring_store(&completion.offset, device - from);
	__atomic_store_n(&completion.registered, ring, __ATOMIC_RELEASE);
	completion_say(ring, 1);
	return 0;
}

void completion_follow(
	struct ring_writer *ring, const struct ring_entered *e, void *stream, int pending)
{
	struct ring_group *g = ring->groups + e->group;
	uint64_t *word = (e->flags & RING_F_P2P) ? &g->completed_p2p : &g->completed_word;
	int (*write)(void *, uint64_t, uint64_t, unsigned);
	int mode = completion_mode(), err;

	if (mode == COMPLETION_OFF)
		return;
	if (mode == COMPLETION_ASKING || pending || (e->flags & RING_F_CAPTURED)) {
		ring_lose(&ring->header->losses.completions);
		return;
	}
	err = completion_register(ring);
	write = (int (*)(void *, uint64_t, uint64_t, unsigned))completion.write;
	if (!err)
		err = write(stream, (uint64_t)(uintptr_t)word + ring_load(&completion.offset),
			e->nth, 0);
	if (!err)
		return;
	ring_lose(&ring->header->losses.completions);
	if (err > 0) {
		__atomic_store_n(&completion.mode, COMPLETION_OFF, __ATOMIC_RELEASE);
		completion_say(ring, 0);
	}
}

void completion_skip(struct ring_writer *ring)
{
	if (__atomic_load_n(&ring->header->completion, __ATOMIC_RELAXED))
		ring_lose(&ring->header->losses.completions);
}
