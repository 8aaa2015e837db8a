/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/dl.h"

#include <stddef.h>

#include "probes/symver.h"

#define DL_BY_PROGRAM 0x80000000u /* a bit that dlopen() itself adds to its mode */

/* Of glibc before 2.34; never declared to others. */
extern void *__libc_dlopen_mode(const char *path, int mode) SYMVER_WEAK;
extern void *__libc_dlsym(void *lib, const char *name) SYMVER_WEAK;

/* Asks an older libc for a function of libdl, which it loads if the program has not. */
static void *dl_of_libdl(const char *name)
{
	static void *libdl; /* kept loaded */
	void *lib = __atomic_load_n(&libdl, __ATOMIC_ACQUIRE);

	if (!__libc_dlopen_mode || !__libc_dlsym)
		return NULL;
	if (!lib) {
		lib = __libc_dlopen_mode(
			"libdl.so.2", (int)(RTLD_NOW | RTLD_GLOBAL | DL_BY_PROGRAM));
		__atomic_store_n(&libdl, lib, __ATOMIC_RELEASE);
	}
	return lib ? __libc_dlsym(lib, name) : NULL;
}

/* The function itself: what we were bound to at our start, or what libdl has. */
#define DL_REAL(name) (name ? name : (__typeof__(&(name)))dl_of_libdl(#name))

void *dl_sym(void *lib, const char *name)
{
	__typeof__(&dlsym) real = DL_REAL(dlsym);

	return real ? real(lib, name) : NULL;
}

typedef void *dl_sym_fn(void *lib, const char *name);

/*
 * Nothing is loaded or looked for by handle to find it: a sanitizer's runtime asks us before it is
 * ready, and dlopen() is its own. dlvsym() takes no function without a version, as a library's that
 * stands in front of dlsym() is.
 */
void *dl_next(const char *name)
{
	static dl_sym_fn *own; /* the same for whoever finds it first */
	dl_sym_fn *known = __atomic_load_n(&own, __ATOMIC_RELAXED);
	__typeof__(&dlvsym) real = known ? NULL : DL_REAL(dlvsym);

	if (real) {
		known = (dl_sym_fn *)real(RTLD_NEXT, "dlsym", SYMVER_BASE);
		__atomic_store_n(&own, known, __ATOMIC_RELAXED);
	}
	return known ? known(RTLD_NEXT, name) : dl_sym(RTLD_NEXT, name);
}

void *dl_open(const char *path, int mode)
{
	__typeof__(&dlopen) real = DL_REAL(dlopen);

	return real ? real(path, mode) : NULL;
}

void dl_close(void *lib)
{
	__typeof__(&dlclose) real = DL_REAL(dlclose);

	if (real)
		real(lib);
}

int dl_addr(const void *at, Dl_info *ret)
{
	__typeof__(&dladdr) real = DL_REAL(dladdr);

	return real && real(at, ret);
}
