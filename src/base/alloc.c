/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/*
 * The size of the kernel's large pages, where it has any; and the size of an allocation from which
 * on they are asked for.
 */
#define LARGE_PAGE ((uintptr_t)2 << 20)
#define LARGE	   ((size_t)16 << 20)

static void __attribute__((noreturn)) out_of_memory(size_t nr, size_t size)
{
	fprintf(stderr, "inquest: out of memory (%zu x %zu bytes)\n", nr, size);
	abort();
}

/*
 * Asks for large pages if the piece is large: faulting it in page by page is half its cost. The
 * kernel may ignore the advice.
 */
static void *with_large_pages(void *memory, size_t nr, size_t size)
{
	uintptr_t from = ((uintptr_t)memory + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	uintptr_t to = ((uintptr_t)memory + nr * size) / LARGE_PAGE * LARGE_PAGE;
	int saved = errno;

	if (nr * size >= LARGE && from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	errno = saved;
	return memory;
}

void *alloc_zeroed(size_t nr, size_t size)
{
	void *fresh = calloc(nr ? nr : 1, size ? size : 1);

	if (!fresh)
		out_of_memory(nr, size);
	return with_large_pages(fresh, nr, size);
}

void *alloc_resize(void *old, size_t nr, size_t size)
{
	void *fresh = reallocarray(old, nr ? nr : 1, size ? size : 1);

	if (!fresh)
		out_of_memory(nr, size);
	return with_large_pages(fresh, nr, size);
}

void alloc_keep_sparse(void)
{
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

/* Kernels before 5.14 do not know this advice. */
void alloc_expect_written(void *bytes, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)bytes / page * page, to = (uintptr_t)bytes + size;
	int saved = errno;

	if (to - from > page)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
	errno = saved;
}

char *alloc_text(const char *text)
{
	return alloc_copy(text, strlen(text));
}

void *alloc_copy(const void *bytes, size_t size)
{
	char *copy = size < (size_t)-1 ? malloc(size + 1) : NULL;

	if (!copy)
		out_of_memory(size, 1);
	if (size)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}
