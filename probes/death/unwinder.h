/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwinder.h: walks the native frames of a thread of our own process, inside its signal handler.
 *
 * libunwind does the walking, by its remote half pointed at ourselves: all memory comes through
 * self.h, all unwind tables through object.h, registers from the handler's context. So nothing in
 * it takes the loader's lock, allocates, or faults, however broken the process is.
 *
 * It is never linked: an object in LD_PRELOAD that needs libunwind puts libunwind's _Unwind_* and
 * backtrace in front of libgcc's for the whole program, and all C++ exceptions go through it. So it
 * is opened privately (RTLD_LOCAL), once, when the process becomes a rank; never in a handler. If
 * it is not installed there is no walk, and the traceback says so.
 */
#ifndef PROBES_UNWINDER_H
#define PROBES_UNWINDER_H

#include <stdint.h>

#include "probes/object.h"
#include "ring/ring-traceback.h"

/* The state of one walk: pages, far too large for an alternate signal stack. One walk at a time. */
struct unwinder_walk {
	struct self_memory memory;
	struct object object[RING_TRACE_MODULES]; /* objects on the walk, in the order of first
						   * meeting */
	uint32_t nobjects;
	struct object other;	 /* an object that no longer fits there */
	const uint64_t *regs;	 /* the kernel's gregs */
	int blind;		 /* the last address asked about has no unwind information */
};

/*
 * Opens libunwind and makes its address space. It may keep descriptors, which are never in a low
 * place (lowfds.h), and which our use of it never needs. The walk is borrowed for the call. Not in
 * a handler.
 */
void unwinder_arm(struct unwinder_walk *walk);

/* True if there is an unwinder. */
int unwinder_is_armed(void);

/*
 * Walks from these registers and puts frames (nframes grows with each) and the end into `into`;
 * frame.module is 1 + an index into walk->object. memory must have begun, nobjects be 0.
 */
void unwinder_walk(
	struct unwinder_walk *walk, const uint64_t *regs, struct ring_traceback *into);

#endif
