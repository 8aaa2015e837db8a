/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF headers are a stranger's: counts are capped, sums are checked for overflow. An object whose
 * headers do not hold together is refused as a whole, since a module with a wrong bias would give
 * wrong stacks, and a missing one gives none.
 */
#include "stack/module.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

#define MODULE_HEADERS	  512   /* program headers, at most */
#define MODULE_NOTES	  64    /* notes looked at per segment */
#define MODULE_NOTES_SIZE 65536 /* bytes of notes looked at per segment */
#define MODULE_SECTIONS	  256   /* section headers looked at */
#define MODULE_PAGE	  4096ull
/* a power of two: modules_bucket() takes the upper 10 bits of a hash */
#define MODULE_BUCKETS	  1024

/* A module, and what it owns. */
struct module_room {
	struct module module; /* first */
	struct arena symbols; /* texts of module.symbols */
	struct module_room *next; /* in its bucket: a module that was added later */
};

struct modules {
	ARRAY(struct module_room *) all;
	struct module_room *buckets[MODULE_BUCKETS];
	struct arena arena; /* of all that never changes: rooms, paths, loads */
};

struct modules *modules_new(void)
{
	return alloc_zeroed(1, sizeof(struct modules));
}

/* Returns the bucket of a module. The name counts only where there is no inode. */
static size_t modules_bucket(uint64_t dev, uint64_t ino, const char *path)
{
	uint64_t hash = (dev << 32 ^ dev ^ ino) * 0x9e3779b97f4a7c15ull;

	if (!ino)
		hash = hash_text(hash, path);
	return hash >> 54;
}

/* True if a module is the one of this file, or of this name where there is no inode. */
static bool module_is(const struct module *module, uint64_t dev, uint64_t ino, const char *path)
{
	return module->dev == dev && module->ino == ino && (ino || !strcmp(module->path, path));
}

struct module *modules_find(const struct modules *modules, const struct stack_map *map)
{
	struct module_room *room =
		modules->buckets[modules_bucket(map->dev, map->ino, map->path)];

	while (room && !module_is(&room->module, map->dev, map->ino, map->path))
		room = room->next;
	return room ? &room->module : NULL;
}

/*
 * Reads `len` bytes of the module's file at an offset: from MODULE_FILE on, else at that address of
 * an image that does not show its file.
 */
static int module_read(struct stack_memory *image, uint64_t offset, void *to, size_t len)
{
	int error;

	if (offset >= MODULE_FILE)
		return -1;
	error = stack_memory_read(image, MODULE_FILE + offset, to, len);
	return error ? stack_memory_read(image, offset, to, len) : 0;
}

/* True if a header is one of an ELF object of this machine that has code to load. */
static bool module_is_elf(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == EM_X86_64 &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum &&
	       header->e_phnum <= MODULE_HEADERS;
}

/*
 * True if a segment can be used: its sums stay below MODULE_FILE, and it lies on pages in memory as
 * it does in the file.
 */
static bool module_segment_holds(const Elf64_Phdr *segment)
{
	return segment->p_vaddr < MODULE_FILE / 2 && segment->p_memsz < MODULE_FILE / 2 &&
	       segment->p_offset < MODULE_FILE / 2 && segment->p_filesz <= segment->p_memsz &&
	       segment->p_vaddr % MODULE_PAGE == segment->p_offset % MODULE_PAGE;
}

/* Takes the build id from the notes of a segment, if it is there. */
static void module_note(struct module *module, const Elf64_Phdr *segment)
{
	uint64_t size = segment->p_filesz < MODULE_NOTES_SIZE ? segment->p_filesz
							       : MODULE_NOTES_SIZE;
	uint64_t align = segment->p_align == 8 ? 8 : 4, at = 0;

	for (int i = 0; i < MODULE_NOTES && at + sizeof(Elf64_Nhdr) <= size; i++) {
		uint64_t name = segment->p_offset + at + sizeof(Elf64_Nhdr), name_size, id;
		Elf64_Nhdr note;
		char owner[4];

		if (module_read(module->image, segment->p_offset + at, &note, sizeof(note)) < 0)
			return;
		name_size = (note.n_namesz + align - 1) & ~(align - 1);
		id = name + name_size;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(owner) &&
			note.n_descsz && note.n_descsz <= MODULE_BUILD_ID &&
			module_read(module->image, name, owner, sizeof(owner)) == 0 &&
			!memcmp(owner, "GNU", sizeof(owner)) &&
			module_read(module->image, id, module->build_id, note.n_descsz) == 0) {
			module->build_id_len = note.n_descsz;
			return;
		}
		at += sizeof(note) + name_size + ((note.n_descsz + align - 1) & ~(align - 1));
	}
}

/* Takes what one program header says into the module. Returns false if it makes no sense. */
static bool module_take(struct module *module, const Elf64_Phdr *segment)
{
	struct module_load *load;

	switch (segment->p_type) {
	case PT_LOAD:
		if (!module_segment_holds(segment))
			return false;
		load = &module->loads[module->nloads++];
		load->offset = segment->p_offset;
		load->vaddr = segment->p_vaddr;
		load->filesz = segment->p_filesz;
		load->memsz = segment->p_memsz;
		load->writable = segment->p_flags & PF_W;
		load->executable = segment->p_flags & PF_X;
		return true;
	case PT_GNU_EH_FRAME:
		if (segment->p_vaddr < MODULE_FILE / 2 && segment->p_memsz < MODULE_FILE / 2) {
			module->eh_frame_hdr = segment->p_vaddr;
			module->eh_frame_hdr_size = segment->p_memsz;
		}
		return true;
	case PT_NOTE:
		if (!module->build_id_len && segment->p_offset < MODULE_FILE / 2)
			module_note(module, segment);
		return true;
	default:
		return true;
	}
}

/* True if a section lies within a segment that is loaded from the file and not writable. */
static bool module_has(const struct module *module, const Elf64_Shdr *section)
{
	for (size_t i = 0; i < module->nloads; i++) {
		const struct module_load *load = &module->loads[i];

		if (!load->writable && section->sh_addr >= load->vaddr &&
			section->sh_addr - load->vaddr <= load->filesz &&
			section->sh_size <= load->filesz - (section->sh_addr - load->vaddr))
			return true;
	}
	return false;
}

/* Finds .eh_frame by the section headers, which need not be there. */
static void module_find_eh_frame(struct module *module, const Elf64_Ehdr *header)
{
	static const char wanted[] = ".eh_frame";
	size_t nr = header->e_shnum < MODULE_SECTIONS ? header->e_shnum : MODULE_SECTIONS;
	uint64_t from = header->e_shoff;
	Elf64_Shdr names, section;
	char name[sizeof(wanted)];

	if (header->e_shentsize != sizeof(section) || header->e_shstrndx >= nr ||
		from >= MODULE_FILE / 2 ||
		module_read(module->image, from + header->e_shstrndx * sizeof(names), &names,
			sizeof(names)) < 0 ||
		names.sh_offset >= MODULE_FILE / 2)
		return;
	for (size_t i = 0; i < nr && !module->eh_frame; i++) {
		if (module_read(module->image, from + i * sizeof(section), &section,
			    sizeof(section)) < 0)
			return;
		if (!(section.sh_flags & SHF_ALLOC) || section.sh_type == SHT_NOBITS ||
			!module_has(module, &section) ||
			module_read(module->image, names.sh_offset + section.sh_name, name,
				sizeof(name)) < 0 ||
			memcmp(name, wanted, sizeof(wanted)) != 0)
			continue;
		module->eh_frame = section.sh_addr;
		module->eh_frame_size = section.sh_size;
	}
}

/* Reads the headers of a module's image. Returns 0, or -1 and words. */
static int module_headers(
	struct arena *arena, struct module *module, const char *path, struct complaint *why)
{
	Elf64_Phdr segments[MODULE_HEADERS];
	Elf64_Ehdr header;

	if (module_read(module->image, 0, &header, sizeof(header)) < 0)
		return complaint_set(why, "%s: its ELF header cannot be read", path);
	if (!module_is_elf(&header))
		return complaint_set(why, "%s: no ELF object of this machine", path);
	if (module_read(module->image, header.e_phoff, segments,
		    header.e_phnum * sizeof(Elf64_Phdr)) < 0)
		return complaint_set(why, "%s: its program headers cannot be read", path);
	module->loads = arena_new_many(arena, struct module_load, header.e_phnum);
	for (size_t i = 0; i < header.e_phnum; i++)
		if (!module_take(module, &segments[i]))
			return complaint_set(why, "%s: its program headers make no sense", path);
	if (!module->nloads)
		return complaint_set(why, "%s: it has nothing to load", path);
	if (!module->eh_frame_hdr)
		module_find_eh_frame(module, &header);
	return 0;
}

struct module *modules_add(struct modules *modules, uint64_t dev, uint64_t ino, const char *path,
	struct stack_memory *image, struct complaint *why)
{
	struct module_room *room = arena_new(&modules->arena, struct module_room), **at;

	room->module.dev = dev;
	room->module.ino = ino;
	room->module.path = arena_text(&modules->arena, path);
	room->module.image = image;
	if (module_headers(&modules->arena, &room->module, path, why) < 0)
		return NULL;
	*array_add(&modules->all) = room;
	at = &modules->buckets[modules_bucket(dev, ino, path)];
	while (*at)
		at = &(*at)->next;
	*at = room;
	return &room->module;
}

/*
 * Returns how well a map fits what a segment of that file would be mapped as: 0 not at all, else
 * more the more of its rights are alike.
 */
static int module_fits(const struct module_load *load, const struct stack_map *map)
{
	uint64_t page = load->offset & ~(MODULE_PAGE - 1);
	uint64_t end = (load->offset + load->filesz + MODULE_PAGE - 1) & ~(MODULE_PAGE - 1);

	if (map->offset < page || map->offset >= end)
		return 0;
	return 1 + 2 * (load->executable == map->executable) + (load->writable == map->writable);
}

bool module_bias(const struct module *module, const struct stack_map *map, uint64_t *ret)
{
	const struct module_load *best = NULL;
	int fit = 0;

	for (size_t i = 0; i < module->nloads; i++)
		if (module_fits(&module->loads[i], map) > fit) {
			best = &module->loads[i];
			fit = module_fits(best, map);
		}
	if (!best)
		return false;
	*ret = map->start - map->offset + best->offset - best->vaddr;
	return *ret % MODULE_PAGE == 0;
}

/* Orders symbols by the address that was asked about. */
static int compare_symbols(const void *va, const void *vb)
{
	const struct module_symbol *a = va, *b = vb;

	return (a->at > b->at) - (a->at < b->at);
}

void module_set_symbols(struct module *module, const struct module_symbol *symbols, size_t nr)
{
	struct module_room *room = (struct module_room *)module;
	struct arena arena = {0};
	struct module_symbol *copies = arena_new_many(&arena, struct module_symbol, nr + 1);

	for (size_t i = 0; i < nr; i++) {
		copies[i] = symbols[i];
		copies[i].function = arena_text(&arena, symbols[i].function);
		copies[i].file = arena_text(&arena, symbols[i].file);
	}
	array_sort_items(copies, nr, sizeof(*copies), compare_symbols);
	arena_release(&room->symbols);
	room->symbols = arena;
	module->symbols = copies;
	module->nsymbols = nr;
}

const struct module_symbol *module_symbol_at(const struct module *module, uint64_t at)
{
	struct module_symbol key = {.at = at};

	if (!module->nsymbols)
		return NULL;
	return bsearch(&key, module->symbols, module->nsymbols, sizeof(key), compare_symbols);
}

size_t modules_count(const struct modules *modules)
{
	return modules->all.nr;
}

struct module *modules_at(const struct modules *modules, size_t i)
{
	return &modules->all.items[i]->module;
}

void modules_free(struct modules *modules)
{
	if (!modules)
		return;
	for (size_t i = 0; i < modules->all.nr; i++)
		arena_release(&modules->all.items[i]->symbols);
	array_release(&modules->all);
	arena_release(&modules->arena);
	free(modules);
}
