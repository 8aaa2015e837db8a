/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-hook.c: the audit hook's own memory, from before the interpreter is to after it.
 *
 * PySys_AddAuditHook() may be called before the interpreter is made ready, and allocates with the
 * allocator of that moment. Python may then be told to use another one (-X dev, PYTHONMALLOC=debug)
 * and, up to 3.11, frees all hooks with that one at its end: the debug allocator finds bytes that
 * it never wrote, and aborts the program. So we remember where our hook lies, and where the
 * allocator has changed since we keep it from being freed: 32 bytes, once in the process' life.
 */
#include <errno.h>
#include <string.h>

#include "probes/dl.h"
#include "probes/python/python-parts.h"

#define PYTHON_RAW 0 /* PYMEM_DOMAIN_RAW */

/*
 * The loader binds it at our start where the program is Python or linked with it. Every program
 * comes here, and to ask dlsym() in vain would have libc allocate memory for the reason.
 */
extern int PySys_AddAuditHook(python_audit_fn *, void *) __attribute__((weak));

/* CPython's PyMemAllocatorEx. */
struct python_allocator {
	void *context;
	void *(*malloc)(void *context, size_t size);
	void *(*calloc)(void *context, size_t n, size_t size);
	void *(*realloc)(void *context, void *at, size_t size);
	void (*free)(void *context, void *at);
};

/* Writers: python_hook_add() and python_hook_ends(), both with the GIL. */
static struct {
	void (*get)(int domain, struct python_allocator *ret);
	void (*set)(int domain, struct python_allocator *to);
	struct python_allocator first; /* when the hook was added */
	struct python_allocator last;  /* when it is to be freed */
	void *at;                      /* where it lies */
} hook;

/* Allocates the hook, and remembers where. */
static void *hook_remember(void *context, size_t size)
{
	hook.at = hook.first.malloc(context, size);
	return hook.at;
}

/* The four of the last allocator, but the hook is not freed. */
static void *hook_malloc(void *context, size_t size)
{
	return hook.last.malloc(context, size);
}

static void *hook_calloc(void *context, size_t n, size_t size)
{
	return hook.last.calloc(context, n, size);
}

static void *hook_realloc(void *context, void *at, size_t size)
{
	return hook.last.realloc(context, at, size);
}

static void hook_free(void *context, void *at)
{
	if (at != hook.at)
		hook.last.free(context, at);
}

void python_hook_add(python_audit_fn *fn)
{
	struct python_allocator remember;
	int saved = errno;

	if (!PySys_AddAuditHook)
		return;
	*(void **)&hook.get = dl_sym(RTLD_DEFAULT, "PyMem_GetAllocator");
	*(void **)&hook.set = dl_sym(RTLD_DEFAULT, "PyMem_SetAllocator");
	if (hook.get && hook.set) {
		hook.get(PYTHON_RAW, &hook.first);
		remember = hook.first;
		remember.malloc = hook_remember;
		hook.set(PYTHON_RAW, &remember);
		PySys_AddAuditHook(fn, NULL);
		hook.set(PYTHON_RAW, &hook.first);
	}
	errno = saved;
}

void python_hook_ends(void)
{
	struct python_allocator keep = {
		.malloc = hook_malloc,
		.calloc = hook_calloc,
		.realloc = hook_realloc,
		.free = hook_free,
	};

	hook.get(PYTHON_RAW, &hook.last);
	if (hook.last.free == hook_free)
		return; /* the second interpreter of this process to end */
	if (hook.last.free == hook.first.free && hook.last.context == hook.first.context)
		return;
	keep.context = hook.last.context;
	hook.set(PYTHON_RAW, &keep);
}
