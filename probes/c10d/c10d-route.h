/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d-route.h: what the parts of the c10d route share.
 *
 *	c10d.c		process groups of gloo: made, ready, destroyed
 *	c10d-op.c	their ops (c10d.def)
 *	work.h		the ops that are under way, and their ends
 *	c10d-wait.c	waits for ops, and the ends of ops, as PyTorch tells them
 *	c10d-store.h	stores: prefixes, and waits for keys
 *	c10d-nccl.c	the exchange of NCCL's unique id
 *	c10d-abi.h	what is known of PyTorch's objects
 *	unwound.h	calls that may be left by an exception
 *
 * The route exists on x86-64 only: elsewhere results of C++ calls come another way, and the frame
 * of unwound.h is not written.
 */
#ifndef PROBES_C10D_ROUTE_H
#define PROBES_C10D_ROUTE_H

#include <stddef.h>
#include <stdint.h>

#include "probes/c10d/c10d.h"
#include "probes/hook.h"
#include "probes/probe.h"

/* PyTorch's libraries, by soname. */
extern const char *const c10d_cpu[];
extern const char *const c10d_cuda[];

/* Returns the function behind ours, remembered in *slot; NULL if there is none (counted). */
static inline const void *c10d_real(
	void **slot, const char *symbol, const void *ours, const char *const *sonames)
{
	void *real = __atomic_load_n(slot, __ATOMIC_RELAXED);

	return hook_likely(real) ? real : hook_resolve(slot, symbol, ours, sonames);
}

/* Calls the real function and does nothing else; args as for unwound_call(). */
uint64_t c10d_pass(const void *real, const uint64_t *args);

/* Returns the description of the group that this thread makes now. */
const struct c10d_scope *c10d_scope(void);

/* Forgets everything of the route, in a forked child. */
void c10d_forget_all(void);

/*
 * Returns how many times, with this one, this process has made something of this identity. Members
 * that make the same things in the same order agree.
 */
uint32_t c10d_nth(uint64_t identity);

/*
 * Returns a group's key, made of the run, its store's prefix (the hash), what it is, its size, and
 * that it is the n-th of those.
 */
uint64_t c10d_key(uint64_t prefix, uint64_t what, uint64_t size);

/*
 * Begins a recorded call, as probe_enter() does, since a process group is about to be made in a
 * store of that prefix, with that rank for this process, which is a rank from now on. PyTorch's
 * default group also gives a process without RANK its number. `source` is a literal.
 */
struct probe_thread *c10d_meet(const char *prefix, int rank, int size, const char *source);

#endif
