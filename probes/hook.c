/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/hook.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "probes/dl.h"
#include "probes/probe.h"

const char *const hook_nccl[] = {"libnccl.so.2", NULL};
const char *const hook_cudart[] = {
	"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so", NULL};
const char *const hook_cuda[] = {"libcuda.so.1", NULL};
const char *const hook_libc[] = {"libc.so.6", "libpthread.so.0" /* before glibc 2.34 */, NULL};

void *hook_found[RING_CALLS];

void *hook_find(const char *name, const void *self, const char *const *sonames)
{
	int saved = errno;
	void *fn = dl_next(name);

	for (; (!fn || fn == self) && *sonames; sonames++) {
		void *lib = dl_open(*sonames, RTLD_LAZY | RTLD_NOLOAD);

		if (!lib)
			continue;
		fn = dl_sym(lib, name);
		dl_close(lib);
	}
	errno = saved;
	return fn == self ? NULL : fn;
}

void *hook_find_for(const void *caller, const char *name, const void *self)
{
	int saved = errno;
	void *lib = NULL, *fn = NULL;
	Dl_info of;

	/* The program itself has no path of its own, and what it is bound to is the next one. */
	if (caller && dl_addr(caller, &of) && of.dli_fname && strchr(of.dli_fname, '/'))
		lib = dl_open(of.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (lib) {
		fn = dl_sym(lib, name);
		dl_close(lib);
	}
	errno = saved;
	return fn == self ? NULL : fn;
}

void *hook_resolve(void **slot, const char *name, const void *self, const char *const *sonames)
{
	return hook_resolve_for(NULL, slot, name, self, sonames);
}

void *hook_resolve_for(const void *caller, void **slot, const char *name, const void *self,
	const char *const *sonames)
{
	void *fn = hook_find(name, self, sonames);

	if (!fn)
		fn = hook_find_for(caller, name, self);
	if (fn)
		__atomic_store_n(slot, fn, __ATOMIC_RELAXED);
	else
		probe_lose(PROBE_LOST_UNRESOLVED);
	return fn;
}

void *hook_borrow(void **slot, const char *name, const char *const *sonames)
{
	void *fn = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (!fn) {
		fn = hook_find(name, NULL, sonames);
		__atomic_store_n(slot, fn, __ATOMIC_RELAXED);
	}
	return fn;
}
