/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h: the call ids of records and their names, both from lists/call.def.
 *
 * RING_CALL_ncclAllReduce and its like are the ids; ring_call_name() turns one into its function's
 * name, NULL for an id of a newer writer.
 */
#ifndef RING_CALLS_H
#define RING_CALLS_H

#include <stdint.h>

enum ring_call {
#define CALL(id, name, traits) RING_CALL_##name = id,
#define CALL_FAMILY(...)
#include "lists/call.def"
#undef CALL_FAMILY
#undef CALL
	RING_CALLS = 512, /* above every id here */
};

/* Returns the name of call `id`, or NULL if this build does not know it. */
static inline const char *ring_call_name(uint32_t id)
{
	static const char *const names[RING_CALLS] = {
#define CALL(id, name, traits) [id] = #name,
#define CALL_FAMILY(...)
#include "lists/call.def"
#undef CALL_FAMILY
#undef CALL
	};

	return id < RING_CALLS ? names[id] : 0;
}

#endif
