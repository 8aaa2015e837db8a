/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gloo.h: the gloo route: programs that call gloo itself, and not PyTorch's ProcessGroupGloo, which
 * has its own route (probes/c10d): Debian's libgloo, and what uses the gloo inside libtorch_cpu as
 * TorchComms does.
 *
 *	gloo-context.c	contexts: connected, made of another, freed
 *	gloo-op.c	their ops (gloo.def)
 *	gloo-buffer.c	sends and receives, and the waits for them
 *	gloo-abi.h	what is known of gloo's objects
 *
 * A context that ProcessGroupGloo makes for itself is none of ours: it is connected inside a call
 * of the c10d route, so it is never bound, and ops and buffers of it pass through. So nothing is
 * counted twice.
 *
 * A process may have several copies of gloo (one in each of two libraries that brought their own).
 * Each has its own vtables, and an object of one must never be given to a function of another: so
 * the real function is looked up by the vtable of the object that it works on.
 */
#ifndef PROBES_GLOO_H
#define PROBES_GLOO_H

#include <stdint.h>

#define GLOO_COPIES 4 /* copies of gloo that are told apart without asking the loader each time */

/* One function of ours, and the real ones behind it. */
struct gloo_function {
	const char *symbol;
	const void *ours;
	struct {
		uint64_t vtable; /* 0 free */
		void *fn;
	} of[GLOO_COPIES];
};

/* Notes that a group took this entry of the ring: nobody has entered an op of it. */
void gloo_order_new(int group);

/*
 * Returns the real function of the copy of gloo that the object's vtable is of; object may be NULL.
 * NULL where there is none, which is counted.
 */
const void *gloo_real(struct gloo_function *function, const void *object);

#endif
