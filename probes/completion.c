/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/completion.h"

#include <stdlib.h>
#include <string.h>

#include "probes/cuda-abi.h"
#include "probes/hook.h"
#include "probes/probe.h"

#define COMPLETION_PAGE 4096

enum completion_mode { COMPLETION_UNASKED, COMPLETION_OFF, COMPLETION_WRITE };

static struct {
	int mode; /* enum completion_mode */
	struct ring_writer *registered;
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

/* Makes the ring's groups known to the driver, once per ring: 0, or its error. */
static int completion_register(struct ring_writer *ring)
{
	int (*reg)(void *, size_t, unsigned) = (int (*)(void *, size_t, unsigned))completion.reg;
	int (*address)(uint64_t *, void *, unsigned) =
		(int (*)(uint64_t *, void *, unsigned))completion.address;
	uintptr_t from = (uintptr_t)ring->groups & ~(uintptr_t)(COMPLETION_PAGE - 1);
	uintptr_t to = (uintptr_t)(ring->groups + ring->ngroups);
	uint64_t device;
	int err;

	if (completion.registered == ring)
		return 0;
	to = (to + COMPLETION_PAGE - 1) & ~(uintptr_t)(COMPLETION_PAGE - 1);
	err = reg((void *)from, to - from, CUDA_ABI_HOST_PORTABLE | CUDA_ABI_HOST_DEVICEMAP);
	if (!err)
		err = address(&device, (void *)from, 0);
	if (err)
		return err;
	completion.offset = device - from;
	completion.registered = ring;
	ring->header->completion = 1;
	return 0;
}

void completion_follow(
	struct ring_writer *ring, const struct ring_entered *e, void *stream, int pending)
{
	struct ring_group *g = ring->groups + e->group;
	uint64_t *word = (e->flags & RING_F_P2P) ? &g->completed_p2p : &g->completed_word;
	int (*write)(void *, uint64_t, uint64_t, unsigned);

	if (hook_unlikely(completion.mode == COMPLETION_UNASKED))
		completion.mode = completion_ask();
	if (completion.mode != COMPLETION_WRITE)
		return;
	if (pending || (e->flags & RING_F_CAPTURED)) {
		ring_lose(&ring->header->losses.completions);
		return;
	}
	write = (int (*)(void *, uint64_t, uint64_t, unsigned))completion.write;
	if (completion_register(ring) ||
		write(stream, (uint64_t)(uintptr_t)word + completion.offset, e->nth, 0)) {
		completion.mode = COMPLETION_OFF;
		ring->header->completion = 0;
		ring_lose(&ring->header->losses.completions);
	}
}

void completion_skip(struct ring_writer *ring)
{
	if (ring->header->completion)
		ring_lose(&ring->header->losses.completions);
}
