/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/core/core-memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stack/module.h"

#define CORE_PAGE  4096
#define CORE_PAGES 512 /* pages kept; each has one place, by its offset */

struct core_page {
	uint64_t at;  /* offset in the file */
	size_t there; /* bytes from its beginning that the file has; 0: an empty place */
	uint8_t bytes[CORE_PAGE];
};

struct core_memory {
	struct stack_memory memory; /* first: the vtable's `self` */
	const struct core_file *core;
	const struct stack_maps *maps;
	struct images *images;
	/*
	 * a module's image is being read, which may lie in this very memory: it is not asked again
	 */
	bool in_module;
	struct core_page pages[CORE_PAGES];
};

/* Returns the page of the file at an offset that is a multiple of CORE_PAGE. */
static const struct core_page *core_page(struct core_memory *memory, uint64_t at)
{
	struct core_page *page = &memory->pages[at / CORE_PAGE % CORE_PAGES];
	uint64_t left = at < memory->core->elf.size ? memory->core->elf.size - at : 0;

	if (page->there && page->at == at)
		return page;
	page->at = at;
	page->there = left < CORE_PAGE ? left : CORE_PAGE;
	if (elf_file_read(&memory->core->elf, at, page->bytes, page->there) < 0)
		page->there = 0;
	return page;
}

/* Reads [at, at + len) of the core's file, which has all of it. Returns 0 or -EFAULT. */
static int core_read_file(struct core_memory *memory, uint64_t at, uint8_t *to, size_t len)
{
	while (len) {
		size_t from = at % CORE_PAGE;
		size_t part = len < CORE_PAGE - from ? len : CORE_PAGE - from;
		const struct core_page *page = core_page(memory, at - from);

		if (page->there < from + part)
			return -EFAULT;
		memcpy(to, page->bytes + from, part);
		to += part;
		at += part;
		len -= part;
	}
	return 0;
}

/*
 * Returns the map of code next to a map of the same file: only there the bias is certain, since a
 * page of data may belong to two segments. NULL if there is none.
 */
static const struct stack_map *core_code_of(
	const struct core_memory *memory, const struct stack_map *map)
{
	const struct stack_map *first = memory->maps->all.items;
	const struct stack_map *end = first + memory->maps->all.nr;

	for (const struct stack_map *at = map; at < end && at->ino == map->ino; at++)
		if (at->executable)
			return at;
	for (const struct stack_map *at = map; at >= first && at->ino == map->ino; at--)
		if (at->executable)
			return at;
	return NULL;
}

/* Reads what the mapped file has at an address, up to the end of the map. Returns 0 or -errno. */
static int core_read_mapped(struct core_memory *memory, uint64_t at, uint8_t *to, size_t *len)
{
	const struct stack_map *map = stack_maps_find(memory->maps, at), *code;
	struct module *module;
	uint64_t bias;
	int error;

	if (memory->in_module || !map || map->writable || !map->ino)
		return -EFAULT;
	code = core_code_of(memory, map);
	module = code ? modules_find(images_modules(memory->images), code) : NULL;
	if (!module || !module->image || !module_bias(module, code, &bias))
		return -EFAULT;
	if (*len > map->end - at)
		*len = map->end - at;
	memory->in_module = true;
	error = stack_memory_read(module->image, at - bias, to, *len);
	memory->in_module = false;
	return error;
}

/*
 * Reads what is in one piece from `at` on, at most *len bytes; *len becomes how many. Returns 0 or
 * -errno.
 */
static int core_read_piece(struct core_memory *memory, uint64_t at, uint8_t *to, size_t *len)
{
	const struct core_segment *segment = core_file_segment(memory->core, at);
	uint64_t within;

	if (!segment || at - segment->start >= segment->there)
		return core_read_mapped(memory, at, to, len);
	within = at - segment->start;
	if (*len > segment->there - within)
		*len = segment->there - within;
	return core_read_file(memory, segment->offset + within, to, *len);
}

/* Reads piece by piece. Returns 0 or -EFAULT. */
static int core_memory_read(struct stack_memory *of, uint64_t at, void *to, size_t len)
{
	struct core_memory *memory = (struct core_memory *)of;
	uint8_t *next = to;

	if (at + len < at)
		return -EFAULT;
	while (len) {
		size_t part = len;
		int error = core_read_piece(memory, at, next, &part);

		if (error)
			return -EFAULT;
		next += part;
		at += part;
		len -= part;
	}
	return 0;
}

struct core_memory *core_memory_new(
	const struct core_file *core, const struct stack_maps *maps, struct images *images)
{
	struct core_memory *memory = alloc_zeroed(1, sizeof(*memory));

	memory->memory.read = core_memory_read;
	memory->core = core;
	memory->maps = maps;
	memory->images = images;
	return memory;
}

struct stack_memory *core_memory_of(struct core_memory *memory)
{
	return &memory->memory;
}

void core_memory_free(struct core_memory *memory)
{
	free(memory);
}
