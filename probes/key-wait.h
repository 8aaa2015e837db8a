/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROBE_KEY_WAIT_H
#define PROBE_KEY_WAIT_H

/*
 * key-wait.h: a thread waits for a key that another rank gives, at a place where all can ask: a
 * store, a coordination service.
 *
 * It may do so for ever, so the board shows it, with its key, before it begins. But threads that
 * watch others ask every second, with little patience: so the lane has only waits that took longer
 * than a blink, or failed, once they are over. Keys are strings of the ring, kept for ever:
 * programs that invent keys all day leave half of that room to others.
 */

#include <stddef.h>
#include <stdint.h>

#include "probes/probe.h"

struct key_wait {
	struct probe_thread *me;
	struct ring_record enter;
	uint64_t since;
};

/*
 * The calling thread, entered; NULL: nothing is recorded. Only a process that was told its rank
 * waits as one; a launcher does so all day.
 */
struct probe_thread *key_wait_enter(void);

/* The key as a string of the ring; 0 where that has no room for more keys. */
uint32_t key_wait_text(struct ring_writer *ring, const char *text, size_t len);

/* From here on w->me waits: in that call, of that group (RING_NO_GROUP), for what the text says. */
void key_wait_begin(struct key_wait *w, uint32_t call, unsigned group, uint32_t text);
/* It is over; the thread is left. `failed`: it was not given. */
void key_wait_end(struct key_wait *w, unsigned failed);

#endif
