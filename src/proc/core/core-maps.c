/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments tell the permissions, mappings (NT_FILE) tell the files. The kernel writes a segment for
 * each mapping, debuggers not for all: where there is only a mapping, it is taken for code.
 */
#include "proc/core/core-maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "stack/module.h"

#define AT_RANDOM_SIZE 16 /* bytes that the kernel drew for this process alone */

struct core_maps {
	const struct core_file *core;
	struct str *into;
	uint64_t *inodes; /* one for each of core->mappings */
	uint64_t vdso;	  /* inode of the vDSO */
	size_t next; /* the first mapping that does not end before what was told last */
};

/* --- Inodes ----------------------------------------------------------------------------------- */

/*
 * An object in the core as a memory: by offset in its file, as far as the file's beginning was
 * mapped at `start`.
 */
struct core_object {
	struct stack_memory memory;
	const struct core_file *core;
	uint64_t start;
};

static int core_object_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct core_object *object = (struct core_object *)memory;
	uint64_t offset = at & ~MODULE_FILE, from = object->start + offset;
	const struct core_segment *segment;

	segment = from < offset ? NULL : core_file_segment(object->core, from);
	if (!segment || from - segment->start > segment->there ||
		len > segment->there - (from - segment->start))
		return -EFAULT;
	return elf_file_read(
		       &object->core->elf, segment->offset + (from - segment->start), to, len) < 0
		       ? -EFAULT
		       : 0;
}

/*
 * Hashes in the build id of the object mapped at `start`. Returns false if the core does not have
 * it.
 */
static bool hash_add_build_id(uint64_t *hash, const struct core_file *core, uint64_t start)
{
	struct core_object object = {{core_object_read}, core, start};
	struct modules *modules = modules_new();
	const struct module *module = modules_add(modules, 0, 1, "", &object.memory, NULL);
	bool found = module && module->build_id_len;

	if (found)
		*hash = hash_bytes(*hash, module->build_id, module->build_id_len);
	modules_free(modules);
	return found;
}

/* Hashes in what no other process has alike, also where addresses are not drawn by chance. */
static uint64_t hash_add_process(uint64_t hash, const struct core_file *core)
{
	struct core_object random = {{core_object_read}, core, core->random};
	uint8_t drawn[AT_RANDOM_SIZE] = {0};

	if (core->random)
		(void)core_object_read(&random.memory, 0, drawn, sizeof(drawn));
	hash = hash_bytes(hash, drawn, sizeof(drawn));
	hash = hash_bytes(hash, &core->pid, sizeof(core->pid));
	hash = hash_bytes(hash, &core->random, sizeof(core->random));
	hash = hash_bytes(hash, &core->vdso, sizeof(core->vdso));
	for (size_t i = 0; i < core->threads.nr; i++)
		hash = hash_bytes(hash, &core->threads.items[i], sizeof(struct core_thread));
	return hash;
}

/* Makes an inode of a hash: positive, and not 0. */
static uint64_t make_inode(uint64_t hash)
{
	return (hash & INT64_MAX) | 1;
}

/* Orders pointers to mappings by path, then by address. */
static int compare_paths(const void *va, const void *vb)
{
	const struct core_mapping *a = *(const struct core_mapping *const *)va;
	const struct core_mapping *b = *(const struct core_mapping *const *)vb;
	int order = strcmp(a->path, b->path);

	return order ? order : (a->start > b->start) - (a->start < b->start);
}

/* Makes the inode of one file, by its `nr` mappings. */
static uint64_t file_inode(
	const struct core_file *core, const struct core_mapping *const *mappings, size_t nr)
{
	const char *path = mappings[0]->path;
	uint64_t hash = hash_bytes(HASH_START, path, strlen(path) + 1);

	for (size_t i = 0; i < nr; i++)
		if (!mappings[i]->offset && hash_add_build_id(&hash, core, mappings[i]->start))
			return make_inode(hash);
	return make_inode(hash_add_process(hash, core));
}

/* Gives each file an inode, which all of its mappings have. */
static void number_files(struct core_maps *maps)
{
	const struct core_file *core = maps->core;
	size_t nr = core->mappings.nr, n;
	const struct core_mapping **sorted = alloc_zeroed(nr + 1, sizeof(const void *));

	maps->inodes = alloc_zeroed(nr + 1, sizeof(*maps->inodes));
	for (size_t i = 0; i < nr; i++)
		sorted[i] = &core->mappings.items[i];
	qsort(sorted, nr, sizeof(const void *), compare_paths);
	for (size_t i = 0; i < nr; i += n) {
		uint64_t inode;

		for (n = 1; i + n < nr && !strcmp(sorted[i + n]->path, sorted[i]->path);)
			n++;
		inode = file_inode(core, sorted + i, n);
		for (size_t k = i; k < i + n; k++)
			maps->inodes[sorted[k] - core->mappings.items] = inode;
	}
	free(sorted);
}

/* Gives the vDSO an inode; it differs from kernel to kernel. */
static void number_vdso(struct core_maps *maps)
{
	uint64_t hash = hash_bytes(HASH_START, "[vdso]", sizeof("[vdso]"));

	if (!hash_add_build_id(&hash, maps->core, maps->core->vdso))
		hash = hash_add_process(hash, maps->core);
	maps->vdso = make_inode(hash);
}

/* --- Lines ------------------------------------------------------------------------------------ */

static bool holds_vdso(const struct core_file *core, uint64_t from, uint64_t to)
{
	return core->vdso && core->vdso >= from && core->vdso < to;
}

/* Returns what the kernel calls a range that is no file's; "" nothing. */
static const char *core_maps_label(const struct core_file *core, uint64_t from, uint64_t to)
{
	if (holds_vdso(core, from, to))
		return "[vdso]";
	if (core->execfn && core->execfn >= from && core->execfn < to)
		return "[stack]";
	return "";
}

/* Appends one line. */
static void core_maps_line(struct core_maps *maps, uint64_t from, uint64_t to, uint32_t flags,
	const struct core_mapping *mapping)
{
	const char *path = mapping ? mapping->path : core_maps_label(maps->core, from, to);
	uint64_t ino = 0;

	if (mapping)
		ino = maps->inodes[mapping - maps->core->mappings.items];
	else if (holds_vdso(maps->core, from, to))
		ino = maps->vdso;
	str_printf(maps->into, "%" PRIx64 "-%" PRIx64 " %c%c%cp %08" PRIx64 " 00:00 %" PRIu64, from,
		to, flags & PF_R ? 'r' : '-', flags & PF_W ? 'w' : '-', flags & PF_X ? 'x' : '-',
		mapping ? mapping->offset + (from - mapping->start) : 0, ino);
	if (*path)
		str_add_char(maps->into, ' ');
	for (; *path; path++) {
		if (*path == '\n')
			str_add(maps->into, "\\012");
		else
			str_add_char(maps->into, *path);
	}
	str_add_char(maps->into, '\n');
}

/* Appends the lines of [from, to); of what is in no mapping only if it is a segment. */
static void core_maps_range(
	struct core_maps *maps, uint64_t from, uint64_t to, uint32_t flags, bool segment)
{
	while (from < to) {
		const struct core_mapping *mapping = NULL;
		uint64_t end = to;

		while (maps->next < maps->core->mappings.nr &&
			maps->core->mappings.items[maps->next].end <= from)
			maps->next++;
		if (maps->next < maps->core->mappings.nr)
			mapping = &maps->core->mappings.items[maps->next];
		if (mapping && mapping->start > from) {
			if (mapping->start < end)
				end = mapping->start;
			mapping = NULL;
		} else if (mapping && mapping->end < end) {
			end = mapping->end;
		}
		if (mapping || segment)
			core_maps_line(maps, from, end, flags, mapping);
		from = end;
	}
}

void core_maps_text(const struct core_file *core, struct str *into)
{
	struct core_maps maps = {.core = core, .into = into};
	uint64_t at = 0;

	number_files(&maps);
	number_vdso(&maps);
	for (size_t i = 0; i < core->segments.nr; i++) {
		const struct core_segment *segment = &core->segments.items[i];

		core_maps_range(&maps, at, segment->start, PF_R | PF_X, false);
		core_maps_range(&maps, segment->start, segment->end, segment->flags, true);
		at = segment->end;
	}
	core_maps_range(&maps, at, UINT64_MAX, PF_R | PF_X, false);
	free(maps.inodes);
}
