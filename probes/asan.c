/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asan.c: programs built with AddressSanitizer's shared runtime (gcc's default, clang's
 * -shared-libsan) start with us in front of it.
 *
 * When it begins, the runtime looks at the first object that dl_iterate_phdr() tells of behind the
 * program, and ends the program if that is not itself: whoever comes first could have taken malloc
 * from it. We take none of what it intercepts without calling it behind us, so its reason does not
 * hold. The check can be switched off by a word in ASAN_OPTIONS, which programs and their scripts
 * set for purposes of their own; it is kept from seeing us instead, and nothing in the environment
 * has to be right. Only that one look: after our constructor all is told to everybody, so leaks are
 * looked for in our memory like in any other.
 */
/* In the probe that is itself sanitized, for tests/probe/throng: the runtime asks before it can. */
#ifndef PROBE_SANITIZED

#include <errno.h>
#include <link.h>
#include <string.h>

#include "probes/dl.h"
#include "probes/hook.h"
#include "probes/libc.h"
#include "probes/process.h"

typedef int asan_fn(struct dl_phdr_info *info, size_t size, void *data);

/* A question that is answered with us left out: what to tell of each object, and for whom. */
struct asan_question {
	asan_fn *told;
	void *data;
};

/* True if code is that of a sanitizer's runtime, by its file's name. */
static int asan_is_runtime(const void *code)
{
	Dl_info of;

	return dl_addr(code, &of) && of.dli_fname &&
	       (strstr(of.dli_fname, "libasan.so") || strstr(of.dli_fname, "libclang_rt.asan"));
}

/* True if an object is ours: it holds an address of ours. */
static int asan_is_ours(const struct dl_phdr_info *info)
{
	uintptr_t at = (uintptr_t)libc_found;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && at - info->dlpi_addr - part->p_vaddr < part->p_memsz)
			return 1;
	}
	return 0;
}

/* Tells of an object unless it is ours. */
static int asan_tell_others(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct asan_question *question = arg;

	return asan_is_ours(info) ? 0 : question->told(info, size, question->data);
}

/*
 * Calls the real dl_iterate_phdr(). A sanitizer's runtime that asks before our constructor is not
 * told of us. All others are told what there is, by a jump, since the real one looks at who called.
 * Any thread; signal-safe where the real one is. Returns -1 without a real one.
 */
HOOK_EXPORT int dl_iterate_phdr(asan_fn *told, void *data)
{
	__typeof__(dl_iterate_phdr) *real = LIBC_REAL(dl_iterate_phdr);
	struct asan_question question = {told, data};

	if (!real)
		return -1;
	if (hook_unlikely(!process_has_begun()) && asan_is_runtime(__builtin_return_address(0)))
		return real(asan_tell_others, &question);
	return real(told, data);
}

#endif
