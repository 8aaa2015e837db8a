/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symver.h: the old names of glibc's functions. glibc 2.34 moved libdl and libpthread into libc and
 * gave their functions a new version; linked here they would end a program at its start on any
 * older system. These bind to the versions that have been there since the port began.
 * Include it where one of these is used; tests/probe/symbols.test finds what is missing.
 */
#ifndef PROBES_SYMVER_H
#define PROBES_SYMVER_H

#if defined(__x86_64__)
#define SYMVER_BASE "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define SYMVER_BASE "GLIBC_2.17"
#endif

#define SYMVER_OLD(name) __asm__(".symver " #name "," #name "@" SYMVER_BASE)

SYMVER_OLD(dlsym);
SYMVER_OLD(dlopen);
SYMVER_OLD(dlclose);
SYMVER_OLD(dladdr);
SYMVER_OLD(pthread_attr_getstacksize);
SYMVER_OLD(pthread_key_create);
SYMVER_OLD(pthread_setspecific);

#endif
