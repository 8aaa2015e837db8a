/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/key-wait.h"

#include "probes/process.h"

#define KEY_WAIT_BLINK (1ull << 24) /* ticks: some milliseconds of a TSC */

uint32_t key_wait_text(struct ring_writer *ring, const char *text, size_t len)
{
	const uint64_t *used = (const uint64_t *)(const void *)ring->strings;

	return ring_load(used) > ring->strings_size / 2 ? 0 : ring_string(ring, text, len);
}

struct probe_thread *key_wait_enter(void)
{
	const struct probe_thread *me = probe_me;
	const struct ring_writer *ring = process_ring();

	if ((me && me->depth) || process_view() == PROCESS_UNBORN)
		return NULL;
	if (ring && ring->header->role == RING_RANK)
		return probe_enter();
	return process_self()->rank < 0 ? NULL : probe_enter_needing(PROBE_NEED_WITNESS);
}

void key_wait_begin(struct key_wait *w, uint32_t call, unsigned group, uint32_t text)
{
	w->since = probe_now(w->me);
	w->enter = (struct ring_record){
		.meta = ring_meta(RING_CALL_ENTER, 0, group, call),
		.sig = text,
	};
	probe_board(w->me, w->since, &w->enter);
}

void key_wait_end(struct key_wait *w, unsigned failed)
{
	uint64_t now = probe_now(w->me);
	struct ring_record r = {
		.meta = ring_meta(RING_CALL_EXIT, failed, ring_meta_group(w->enter.meta),
			ring_meta_arg(w->enter.meta)),
		.aux = failed != 0,
	};

	if (now - w->since > KEY_WAIT_BLINK || failed) {
		r.more = probe_put(w->me, w->since, &w->enter);
		probe_put(w->me, now, &r);
	}
	probe_idle(w->me, now);
	probe_leave(w->me);
}
