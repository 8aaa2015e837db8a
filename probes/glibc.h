/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc.h: what glibc alone has, by weak references.
 *
 * LD_PRELOAD goes into every program of a job, also those of another libc. musl loads the object
 * (it resolves libc.so.6 to itself), and ends the program at its start for each function that musl
 * lacks. So functions outside of POSIX are weak references, and where one is missing the probe is
 * inert: it passes every call through and makes nothing. tests/probe/symbols.test holds all other
 * references against what musl has.
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

/* True if the process has glibc, with everything that is named here. */
static inline int glibc_is_here(void)
{
	return gnu_get_libc_version && on_exit && getcontext && __register_atfork;
}

#endif
