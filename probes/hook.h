/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.h: finds the function that a wrapper stands in front of.
 *
 * THE RULE of every wrapper: whatever is broken, the real function is called with the program's own
 * arguments, and its result comes back untouched. Only where there is no real function at all does
 * a wrapper answer by itself, and that is counted.
 *
 * The real function is the next one of that name after us: usually the library's, or that of
 * another preloaded tool. Where the library came by a private dlopen (PyTorch loads NCCL so) there
 * is no next one, so the library itself is asked, by its soname and only if it is already loaded.
 * Where the library has a name that nobody told us (Cray's MPI has one for each compiler), the
 * object that calls us is asked what it is bound to. A function that is not found is not
 * remembered: the library may be loaded later.
 */
#ifndef PROBES_HOOK_H
#define PROBES_HOOK_H

#include <stdint.h>

#include "ring/calls.h"

#define HOOK_EXPORT      __attribute__((visibility("default")))
#define hook_likely(x)   __builtin_expect(!!(x), 1)
#define hook_unlikely(x) __builtin_expect(!!(x), 0)

/* The sonames under which a family of functions may be loaded, NULL-ended, newest first. */
extern const char *const hook_nccl[];
extern const char *const hook_cudart[];
extern const char *const hook_cuda[];
extern const char *const hook_libc[];

/* The real functions found so far, by call id. */
extern void *hook_found[RING_CALLS];

/*
 * Finds `name` beyond `self`, our own function of that name (NULL if we have none). Returns it or
 * NULL. Restores errno; may take the dynamic loader's lock, so never call it from a signal handler.
 */
void *hook_find(const char *name, const void *self, const char *const *sonames);

/*
 * Returns what the object that holds the code at `caller` would have of that name without us, its
 * own or a library's; NULL none.
 */
void *hook_find_for(const void *caller, const char *name, const void *self);

/* Finds as hook_find() does, and remembers the function in *slot; NULL is counted as unresolved. */
void *hook_resolve(void **slot, const char *name, const void *self, const char *const *sonames);

/*
 * Finds and remembers likewise, for a wrapper that `caller` has called, whose object is asked last.
 */
void *hook_resolve_for(const void *caller, void **slot, const char *name, const void *self,
	const char *const *sonames);

/* Returns what a slot remembers: other threads may be finding the same at this moment. */
static inline void *hook_known(void *const *slot)
{
	return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

/*
 * The real function behind ours called `name`, of the same type; NULL if there is none. To be used
 * in the wrapper itself, since it asks for the wrapper's caller.
 */
#define HOOK_REAL(name, sonames)                                                                   \
	((__typeof__(name) *)(hook_likely(hook_known(&hook_found[RING_CALL_##name]))               \
				      ? hook_known(&hook_found[RING_CALL_##name])                  \
				      : hook_resolve_for(__builtin_return_address(0),              \
						&hook_found[RING_CALL_##name], #name,              \
						(void *)(name), sonames)))

/*
 * Returns a function that we do not stand in front of, found once and remembered in *slot; or NULL.
 */
void *hook_borrow(void **slot, const char *name, const char *const *sonames);

#endif
