/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((noreturn)) out_of_memory(size_t nr, size_t size)
{
	fprintf(stderr, "inquest: out of memory (%zu x %zu bytes)\n", nr, size);
	abort();
}

void *alloc_zeroed(size_t nr, size_t size)
{
	void *fresh = calloc(nr ? nr : 1, size ? size : 1);

	if (!fresh)
		out_of_memory(nr, size);
	return fresh;
}

void *alloc_resize(void *old, size_t nr, size_t size)
{
	void *fresh = reallocarray(old, nr ? nr : 1, size ? size : 1);

	if (!fresh)
		out_of_memory(nr, size);
	return fresh;
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
