/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc.h: what glibc alone has, by weak references.
 *
 * LD_PRELOAD goes into every program of a job, those of another libc too: musl takes the object in
 * (it is itself whatever is called libc.so.6), and ends the program at its start over each function
 * that it lacks. So what POSIX does not have is referred to weakly, and where it is missing the
 * probe is inert: it passes every call through and makes nothing.
 * tests/probe/symbols.test holds all other references against what musl has.
 */
#ifndef PROBES_GLIBC_H
#define PROBES_GLIBC_H

#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

#define GLIBC_ONLY __attribute__((weak))

extern __typeof__(on_exit) on_exit GLIBC_ONLY;
extern __typeof__(getcontext) getcontext GLIBC_ONLY;
extern const char *gnu_get_libc_version(void) GLIBC_ONLY;

/* pthread_atfork() itself is linked into each object, and calls this. */
extern int __register_atfork(
	void (*before)(void), void (*parent)(void), void (*child)(void), void *object) GLIBC_ONLY;

/* True if we are in a process of glibc's, with all that is named here. */
static inline int glibc_is_here(void)
{
	return gnu_get_libc_version && on_exit && getcontext && __register_atfork;
}

#endif
