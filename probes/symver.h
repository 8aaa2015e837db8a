/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symver.h: the old names of glibc's functions. glibc 2.34 moved libdl and libpthread into libc and
 * gave their functions a new version; linked here they would end a program at its start on any
 * older system. These bind to the versions that have been there since the port began, in whichever
 * library; and weakly, since a program of an older system need not have loaded that library. Only
 * dl.c calls those of libdl; all others call dl.h's. Those of threads are tested before the first
 * call: where libpthread comes later than we do, ends of threads are not noticed.
 * Include it where one of these is used; tests/probe/symbols.test finds what is missing.
 */
#ifndef PROBES_SYMVER_H
#define PROBES_SYMVER_H

#include <dlfcn.h>
#include <pthread.h>

#if defined(__x86_64__)
#define SYMVER_BASE "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define SYMVER_BASE "GLIBC_2.17"
#endif

#define SYMVER_WEAK __attribute__((weak))

#define SYMVER_OLD(name)                                                                           \
	extern __typeof__(name) name SYMVER_WEAK;                                                  \
	__asm__(".symver " #name "," #name "@" SYMVER_BASE)

SYMVER_OLD(dlsym);
SYMVER_OLD(dlvsym);
SYMVER_OLD(dlopen);
SYMVER_OLD(dlclose);
SYMVER_OLD(dladdr);
SYMVER_OLD(pthread_attr_getstacksize);
SYMVER_OLD(pthread_key_create);
SYMVER_OLD(pthread_setspecific);

#endif
