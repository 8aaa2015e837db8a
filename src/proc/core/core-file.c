/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/core/core-file.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "proc/core/core-notes.h"

#define CORE_NOTES     1024	    /* segments of notes; a core has one */
#define CORE_NOTES_CAP (256u << 20) /* bytes in all of them */

#if defined(__x86_64__)
#define CORE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define CORE_MACHINE EM_AARCH64
#else
#define CORE_MACHINE EM_NONE
#endif

/* Adds a segment of memory, unless it makes no sense. */
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

/*
 * Reads the notes of a segment, as far as the file has them. *room is what may still be read of
 * all: libelf keeps what it has read.
 */
static void core_file_notes(struct core_file *core, const Elf64_Phdr *head, uint64_t *room)
{
	uint64_t left = head->p_offset < core->elf.size ? core->elf.size - head->p_offset : 0;
	uint64_t size = head->p_filesz < left ? head->p_filesz : left;
	Elf_Data *notes = NULL;

	if (size > *room)
		size = *room;
	if (size)
		notes = elf_getdata_rawchunk(
			core->elf.elf, (int64_t)head->p_offset, size, ELF_T_NHDR);
	*room -= size;
	core->notes_cut |= size < head->p_filesz || (size && !notes);
	if (notes)
		core_notes_read(core, notes);
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

/*
 * Sorts segments and mappings by address, leaves out those that overlap the one before, and sums up
 * how much memory was cut off.
 */
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

/*
 * Opens the file and reads its head. Returns 0, or negative and words if it is no core that we
 * read.
 */
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

/*
 * Reads all segments. Their number is bounded before: libelf reads all program headers at once,
 * however many the core says there are.
 */
static void core_file_read(struct core_file *core)
{
	uint64_t room = CORE_NOTES_CAP;
	size_t nr, notes = 0;
	GElf_Phdr head;

	if (elf_getphdrnum(core->elf.elf, &nr) < 0 || nr > CORE_SEGMENTS) {
		core->notes_cut = true;
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(core->elf.elf, (int)i, &head)) {
			core->notes_cut = true;
			break;
		}
		if (head.p_type == PT_LOAD)
			core_file_memory(core, &head);
		else if (head.p_type == PT_NOTE && notes++ < CORE_NOTES)
			core_file_notes(core, &head, &room);
		core->notes_cut |= notes > CORE_NOTES;
	}
}

int core_file_open(struct core_file *core, int fd, struct complaint *why)
{
	int error;

	*core = (struct core_file){0};
	error = core_file_head(core, fd, why);
	if (error)
		return error;
	core_file_read(core);
	core_file_order(core);
	if (core->threads.nr == 0)
		return complaint_set(why, "no thread is in it: %s",
			core->notes_cut ? "it is cut short" : "it has no notes of any");
	return 0;
}

const struct core_segment *core_file_segment(const struct core_file *core, uint64_t at)
{
	const struct core_segment *list = core->segments.items;
	size_t place = bisect(0, core->segments.nr, i, list[i].end <= at);

	return place < core->segments.nr && list[place].start <= at ? &list[place] : NULL;
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
