/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * The sizes of the largest block and of the first. The first is small: of many thousand arenas most
 * hold next to nothing.
 */
#define ARENA_BLOCK_SIZE (64 * 1024 - 64)
#define ARENA_FIRST_SIZE (2 * 1024 - 64)
#define ARENA_ALIGNMENT	 _Alignof(max_align_t)

struct arena_block {
	struct arena_block *older;
	size_t used;
	size_t size;
	max_align_t bytes[];
};

static struct arena_block *arena_block_new(struct arena_block *older, size_t size)
{
	struct arena_block *block = alloc_zeroed(1, sizeof(*block) + size);

	block->older = older;
	block->size = size;
	return block;
}

/* Returns the size of the next block, which has room for a piece: twice that of the last block. */
static size_t arena_next_size(const struct arena_block *newest, size_t wanted)
{
	size_t size = newest ? newest->size * 2 : ARENA_FIRST_SIZE;

	if (size < wanted * 4)
		size = wanted * 4;
	return size < ARENA_BLOCK_SIZE ? size : ARENA_BLOCK_SIZE;
}

/*
 * Allocates a big piece: it gets a block of its own behind the newest, whose free rest stays in
 * use.
 */
static void *arena_alloc_big(struct arena *arena, size_t size)
{
	struct arena_block *newest = arena->newest;
	struct arena_block *block;

	if (!newest)
		newest = arena->newest = arena_block_new(NULL, ARENA_FIRST_SIZE);
	block = arena_block_new(newest->older, size);
	block->used = size;
	newest->older = block;
	return block->bytes;
}

void *arena_alloc(struct arena *arena, size_t nr, size_t size)
{
	struct arena_block *block = arena->newest;
	size_t wanted;
	void *piece;

	if (__builtin_mul_overflow(nr, size, &wanted) || wanted > (size_t)-1 / 2)
		wanted = (size_t)-1 / 2; /* alloc_zeroed() refuses it in words */
	wanted = (wanted + ARENA_ALIGNMENT - 1) & ~(ARENA_ALIGNMENT - 1);
	if (wanted > ARENA_BLOCK_SIZE / 4)
		return arena_alloc_big(arena, wanted);
	if (!block || block->size - block->used < wanted)
		block = arena->newest = arena_block_new(block, arena_next_size(block, wanted));
	piece = (char *)block->bytes + block->used;
	block->used += wanted;
	return piece;
}

char *arena_text(struct arena *arena, const char *text)
{
	return arena_text_max(arena, text, strlen(text));
}

char *arena_text_max(struct arena *arena, const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *copy = arena_alloc(arena, len + 1, 1);

	return memcpy(copy, text, len);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	void *copy = arena_alloc(arena, size, 1);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		len = 0;
	text = arena_alloc(arena, (size_t)len + 1, 1);
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

void arena_release(struct arena *arena)
{
	if (!arena)
		return;
	while (arena->newest) {
		struct arena_block *older = arena->newest->older;

		free(arena->newest);
		arena->newest = older;
	}
}
