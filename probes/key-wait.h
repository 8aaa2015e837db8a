/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key-wait.h: a thread waits for a key that another rank gives, at a place where all can ask: a
 * store, a coordination service.
 *
 * It may do so for ever, so the board shows it, with its key, before it begins. But threads that
 * watch others ask every second, with little patience: so the lane has only waits that took longer
 * than a blink, or failed, once they are over. Keys are strings of the ring, kept for ever:
 * programs that invent keys all day leave half of that room to others.
 */
#ifndef PROBES_KEY_WAIT_H
#define PROBES_KEY_WAIT_H

#include <stddef.h>
#include <stdint.h>

#include "probes/probe.h"

/* A wait that goes on. */
struct key_wait {
	struct probe_thread *me;
	struct ring_record enter; /* what the board shows */
	uint64_t since;           /* ticks */
};

/*
 * Enters the calling thread, which key_wait_end() leaves. Returns NULL if nothing is recorded: a
 * process that was not told its rank waits as no rank does; a launcher does so all day.
 */
struct probe_thread *key_wait_enter(void);

/* Returns the key as a string of the ring; 0 if that has no room for more keys. */
uint32_t key_wait_text(struct ring_writer *ring, const char *text, size_t len);

/*
 * Shows from here on that w->me waits: in that call, of that group (or RING_NO_GROUP), for the key
 * that the ring's string says.
 */
void key_wait_begin(struct key_wait *w, uint32_t call, unsigned group, uint32_t text);

/* Ends the wait and leaves the thread. `failed`: RING_F_FAILED if the key was not given, else 0. */
void key_wait_end(struct key_wait *w, unsigned failed);

#endif
