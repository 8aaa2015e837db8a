/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h: finds which loaded object holds an address. It works inside a signal handler: without
 * the loader's lock, which the interrupted thread may hold.
 *
 * glibc 2.35 has _dl_find_object() for that, which is looked up when the probe is armed. Without it
 * the kernel is asked: /proc/self/maps, and the object's own headers in memory.
 */
#ifndef PROBES_OBJECT_H
#define PROBES_OBJECT_H

#include <stdint.h>

#include "probes/self.h"

#define OBJECT_PATH 256
#define OBJECT_ID   32

struct object {
	uint64_t start, end;
	/* to be subtracted from an address in the process to get one in the object */
	uint64_t bias;
	uint64_t eh_frame_hdr; /* address in the process; 0 none */
	char path[OBJECT_PATH];
};

/* Looks up what the functions below need. Not in a handler; may take the loader's lock. */
void object_arm(void);

/* Finds the object that holds pc. Returns 0, or -1 if there is none. Signal-safe. */
int object_find(struct self_memory *memory, uint64_t pc, struct object *ret);

/* Does the same by /proc/self/maps alone. */
int object_find_by_maps(struct self_memory *memory, uint64_t pc, struct object *ret);

/*
 * Copies an object's build id from its notes in memory. Returns the id's length; 0 if it has none.
 */
uint32_t object_build_id(
	struct self_memory *memory, const struct object *object, uint8_t id[OBJECT_ID]);

#endif
