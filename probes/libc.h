/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc.h: the real functions of libc behind our wrappers (libc.def).
 *
 * A vfork child or a signal handler must not enter the dynamic loader, and may call any of them. So
 * the constructor finds all. Constructors of others may run before ours: a wrapper that they call
 * looks for the real one itself (LIBC_REAL), or does without (LIBC_FOUND) where handlers call it
 * and the kernel can be asked instead.
 */
#ifndef PROBES_LIBC_H
#define PROBES_LIBC_H

#include "probes/hook.h"

#define LIBC(name) LIBC_##name,
enum libc_function {
#include "probes/libc.def"
	LIBC_FUNCTIONS
};
#undef LIBC

/* The real functions. Writers: libc_find(); before it, who uses LIBC_REAL first. */
extern void *libc_found[LIBC_FUNCTIONS];

/*
 * Finds all of them. In the constructor, first, also where the probe is to be inert. What is not
 * there is no loss yet: before glibc 2.34 a program without threads has no pthread_create().
 */
void libc_find(void);

/* Returns the real function `name`, or NULL if it has not been found yet. Signal-safe. */
#define LIBC_FOUND(name) ((__typeof__(name) *)hook_known(&libc_found[LIBC_##name]))

/* The same, looked for now if it has not been found yet; NULL where libc has none. */
#define LIBC_REAL(name)                                                                            \
	(hook_likely(hook_known(&libc_found[LIBC_##name]))                                         \
			? LIBC_FOUND(name)                                                         \
			: (__typeof__(name) *)hook_resolve(                                        \
				  &libc_found[LIBC_##name], #name, (void *)(name), hook_libc))

#endif
