/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dl.h: the dynamic loader's functions, wherever this process has them.
 *
 * glibc 2.34 moved them from libdl into libc. An object that names libdl as needed, to run on what
 * is older, makes each program of every newer system load a library that is empty: 80 us of a
 * child that takes 800. So they are weak references of the version that both have. Where the
 * program has not loaded libdl, and its libc is older, libc's own loader loads it at the first call
 * (__libc_dlopen_mode, glibc 2.1 to 2.33): without them no wrapper would find what it stands for.
 *
 * Each does what its namesake does, dlsym(3) and its kin. All may take the loader's lock: never
 * call them from a signal handler.
 */
#ifndef PROBES_DL_H
#define PROBES_DL_H

#include <dlfcn.h>

/* Returns NULL as well where there is no such function at all. */
void *dl_sym(void *lib, const char *name);

/*
 * Returns the function of that name that comes after us, or NULL. libc's own dlsym() is asked: one
 * that another preloaded library puts in its place would tell what comes after that library, and
 * what it stands in front of, beside dlsym(), would be passed over.
 */
void *dl_next(const char *name);

void *dl_open(const char *path, int mode);
void dl_close(void *lib);

/* Returns 0 if no object holds the address. */
int dl_addr(const void *at, Dl_info *ret);

#endif
