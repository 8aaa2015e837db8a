/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/core-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proc/core-notes.h"

#define CORE_NOTES_CAP (256u << 20)

#if defined(__x86_64__)
#define CORE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define CORE_MACHINE EM_AARCH64
#else
#define CORE_MACHINE EM_NONE
#endif

/* How many program headers: a number too large for its field stands in section 0. */
static uint64_t core_file_headers(const struct elf_file *elf)
{
	if (elf->head.e_phnum != PN_XNUM)
		return elf->head.e_phnum;
	return elf->nsections ? elf->sections[0].sh_info : 0;
}

static void core_file_memory(struct core_file *core, const Elf64_Phdr *head)
{
	struct core_segment *segment;
	uint64_t left = head->p_offset < core->elf.size ? core->elf.size - head->p_offset : 0;
	uint64_t meant = head->p_filesz < head->p_memsz ? head->p_filesz : head->p_memsz;

	if (!head->p_memsz || head->p_vaddr > UINT64_MAX - head->p_memsz ||
		head->p_offset > UINT64_MAX - head->p_filesz)
		return;
	segment = array_add(&core->segments);
	segment->start = head->p_vaddr;
	segment->end = head->p_vaddr + head->p_memsz;
	segment->offset = head->p_offset;
	segment->meant = meant;
	segment->there = meant < left ? meant : left;
	segment->flags = head->p_flags;
}

/* The bytes of a segment of notes, as far as the file has them. */
static void core_file_notes(struct core_file *core, const Elf64_Phdr *head)
{
	uint64_t left = head->p_offset < core->elf.size ? core->elf.size - head->p_offset : 0;
	uint64_t size = head->p_filesz < left ? head->p_filesz : left;
	struct str bytes = {0};

	core->notes_cut |= size < head->p_filesz;
	if (size > CORE_NOTES_CAP) {
		size = CORE_NOTES_CAP;
		core->notes_cut = true;
	}
	if (size && elf_file_read(&core->elf, head->p_offset, str_room(&bytes, size), size) == 0) {
		str_grow(&bytes, size);
		core_notes_read(core, bytes.text, bytes.len);
	}
	str_release(&bytes);
}

static int compare_segments(const void *va, const void *vb)
{
	const struct core_segment *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static int compare_mappings(const void *va, const void *vb)
{
	const struct core_mapping *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* By address, those that overlap the one before left out; and how much of it all was cut. */
static void core_file_order(struct core_file *core)
{
	uint64_t end = 0;
	size_t nr = 0;

	array_sort(&core->segments, compare_segments);
	array_sort(&core->mappings, compare_mappings);
	for (size_t i = 0; i < core->segments.nr; i++) {
		struct core_segment segment = core->segments.items[i];

		if (segment.start < end)
			continue;
		end = segment.end;
		core->lacking += segment.meant - segment.there;
		core->segments.items[nr++] = segment;
	}
	core->segments.nr = nr;
	nr = 0;
	end = 0;
	for (size_t i = 0; i < core->mappings.nr; i++) {
		struct core_mapping mapping = core->mappings.items[i];

		if (mapping.start < end)
			continue;
		end = mapping.end;
		core->mappings.items[nr++] = mapping;
	}
	core->mappings.nr = nr;
}

static int core_file_head(struct core_file *core, int fd, struct complaint *why)
{
	int error = elf_file_open(&core->elf, fd);

	if (error == -ENOEXEC)
		return complaint_set(why, "no core of a 64-bit little-endian process");
	if (error)
		return complaint_errno(why, -error, "cannot read its head");
	if (core->elf.head.e_type != ET_CORE)
		return complaint_set(why, "an ELF file, but no core");
	if (core->elf.head.e_machine != CORE_MACHINE)
		return complaint_set(why,
			"a core of another kind of machine (ELF machine %u, this one is %d): "
			"read it there", core->elf.head.e_machine, CORE_MACHINE);
	if (core->elf.head.e_phentsize != sizeof(Elf64_Phdr))
		return complaint_set(why, "its table of segments makes no sense");
	return 0;
}

int core_file_open(struct core_file *core, int fd, struct complaint *why)
{
	uint64_t nr;
	int error;

	*core = (struct core_file){0};
	error = core_file_head(core, fd, why);
	if (error)
		return error;
	nr = core_file_headers(&core->elf);
	for (uint64_t i = 0; i < nr && i < CORE_SEGMENTS; i++) {
		uint64_t at = core->elf.head.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr head;

		if (at < core->elf.head.e_phoff ||
			elf_file_read(&core->elf, at, &head, sizeof(head)) < 0) {
			core->notes_cut = true;
			break;
		}
		if (head.p_type == PT_LOAD)
			core_file_memory(core, &head);
		else if (head.p_type == PT_NOTE)
			core_file_notes(core, &head);
	}
	core_file_order(core);
	if (core->threads.nr == 0)
		return complaint_set(why, "no thread is in it: %s",
			core->notes_cut ? "it is cut short" : "it has no notes of any");
	return 0;
}

const struct core_segment *core_file_segment(const struct core_file *core, uint64_t at)
{
	size_t low = 0, high = core->segments.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (core->segments.items[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == core->segments.nr || core->segments.items[low].start > at)
		return NULL;
	return &core->segments.items[low];
}

const struct core_mapping *core_file_mapping(const struct core_file *core, uint64_t at)
{
	size_t low = 0, high = core->mappings.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (core->mappings.items[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == core->mappings.nr || core->mappings.items[low].start > at)
		return NULL;
	return &core->mappings.items[low];
}

void core_file_close(struct core_file *core)
{
	if (!core)
		return;
	elf_file_close(&core->elf);
	arena_release(&core->arena);
	array_release(&core->segments);
	array_release(&core->mappings);
	array_release(&core->threads);
}
