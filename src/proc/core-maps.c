/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments tell the permissions, mappings (NT_FILE) the files. The kernel writes a segment for each
 * mapping, debuggers not for all: where there is a mapping only, it is taken for code.
 */
#include "proc/core-maps.h"

#include <inttypes.h>
#include <string.h>

#define FNV_START 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull

struct core_maps {
	const struct core_file *core;
	struct str *into;
	uint64_t salt;
	size_t next; /* the first mapping that does not end before what was told last */
};

static uint64_t hash_add(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * FNV_PRIME;
	return hash;
}

/* What no other process has alike: registers and the places of things at random addresses. */
static uint64_t core_maps_salt(const struct core_file *core)
{
	uint64_t hash = hash_add(FNV_START, &core->pid, sizeof(core->pid));

	hash = hash_add(hash, &core->random, sizeof(core->random));
	hash = hash_add(hash, &core->vdso, sizeof(core->vdso));
	for (size_t i = 0; i < core->threads.nr; i++)
		hash = hash_add(hash, &core->threads.items[i], sizeof(struct core_thread));
	return hash;
}

static const char *core_maps_label(const struct core_file *core, uint64_t from, uint64_t to)
{
	if (core->vdso && core->vdso >= from && core->vdso < to)
		return "[vdso]";
	if (core->execfn && core->execfn >= from && core->execfn < to)
		return "[stack]";
	return "";
}

static void core_maps_line(struct core_maps *maps, uint64_t from, uint64_t to, uint32_t flags,
	const struct core_mapping *mapping)
{
	const char *path = mapping ? mapping->path : core_maps_label(maps->core, from, to);
	uint64_t ino = 0;

	if (mapping)
		ino = (hash_add(maps->salt, path, strlen(path)) & INT64_MAX) | 1;
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

/* Tells of [from, to); of what is in no mapping only where it is a segment. */
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
	struct core_maps maps = {.core = core, .into = into, .salt = core_maps_salt(core)};
	uint64_t at = 0;

	for (size_t i = 0; i < core->segments.nr; i++) {
		const struct core_segment *segment = &core->segments.items[i];

		core_maps_range(&maps, at, segment->start, PF_R | PF_X, false);
		core_maps_range(&maps, segment->start, segment->end, segment->flags, true);
		at = segment->end;
	}
	core_maps_range(&maps, at, UINT64_MAX, PF_R | PF_X, false);
}
