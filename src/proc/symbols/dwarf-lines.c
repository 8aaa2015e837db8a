/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "proc/symbols/dwarf-lines.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>
#include <libelf.h>
#include <string.h>

#include "proc/symbols/elf-file.h"

/*
 * Here, and only here, a file is mapped: else libdw would copy all of the debug information (30 MB
 * for Python's library, ten times the time) to look at a hundredth of it. For a living job this is
 * done in helper processes (evidence/gather/workers.h), so that a debug file that is cut short
 * meanwhile costs lines and no more.
 *
 * libdw unpacks packed sections as a whole, whatever is asked: 3 ms for each MiB, and what a
 * stranger has packed may become a thousand times as large. So where much is packed no line is
 * sought. In practice those are debug files of a distribution, whose sources nobody has at hand.
 */
#define LINES_CAP    (1ull << 30) /* bytes of all sections that are not loaded */
#define LINES_PACKED (8ull << 20) /* bytes that are unpacked, at most */

/*
 * Returns how large a section becomes when unpacked; 0 if it is not packed; UINT64_MAX (too much)
 * if it is packed in the old way, or cannot be read.
 */
static uint64_t lines_packed(const struct elf_file *file, const Elf64_Shdr *section)
{
	static const char old[] = ".zdebug";
	Elf64_Chdr head;

	if (!strncmp(elf_file_name(file, section), old, sizeof(old) - 1))
		return UINT64_MAX;
	if (!(section->sh_flags & SHF_COMPRESSED))
		return 0;
	if (elf_file_read(file, section->sh_offset, &head, sizeof(head)) < 0)
		return UINT64_MAX;
	return head.ch_size;
}

/* True if a file has lines, at a price that we pay. */
static bool lines_are_worth_it(int fd)
{
	struct elf_file file;
	uint64_t size = 0, packed = 0;
	bool any = elf_file_open(&file, fd) == 0 && elf_file_named(&file, ".debug_line");

	for (size_t i = 0; any && i < file.nsections; i++) {
		const Elf64_Shdr *section = &file.sections[i];
		uint64_t unpacked = lines_packed(&file, section);

		if (section->sh_flags & SHF_ALLOC)
			continue;
		any = section->sh_size <= LINES_CAP - size && unpacked <= LINES_PACKED - packed;
		size += section->sh_size;
		packed += unpacked;
	}
	elf_file_close(&file);
	return any;
}

/*
 * Finds the unit of debug information that holds an address, by the index of addresses, else, since
 * some compilers make none, by asking each unit. NULL if there is none.
 */
static Dwarf_Die *lines_unit(Dwarf *dwarf, Dwarf_Addr at, Dwarf_Die *ret)
{
	Dwarf_Off offset = 0, next;
	size_t head;

	if (dwarf_addrdie(dwarf, at, ret))
		return ret;
	for (; dwarf_nextcu(dwarf, offset, &next, &head, NULL, NULL, NULL) == 0; offset = next)
		if (dwarf_offdie(dwarf, offset + head, ret) && dwarf_haspc(ret, at) == 1)
			return ret;
	return NULL;
}

/* Gives one symbol its file and line. */
static void lines_of(Dwarf *dwarf, struct module_symbol *symbol, struct arena *arena)
{
	const char *file;
	Dwarf_Line *line;
	Dwarf_Die unit;
	int number;

	if (!lines_unit(dwarf, symbol->at, &unit))
		return;
	line = dwarf_getsrc_die(&unit, symbol->at);
	file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(line, &number) < 0 || number <= 0)
		return;
	symbol->file = arena_text(arena, file);
	symbol->line = (uint32_t)number;
}

bool lines_can(void)
{
	return true;
}

void lines_find(int fd, struct module_symbol *symbols, size_t nr, struct arena *arena)
{
	Dwarf *dwarf;
	Elf *elf;

	if (!lines_are_worth_it(fd))
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	for (size_t i = 0; dwarf && i < nr; i++)
		lines_of(dwarf, &symbols[i], arena);
	if (dwarf)
		dwarf_end(dwarf);
	if (elf)
		elf_end(elf);
}
#else
bool lines_can(void)
{
	return false;
}

void lines_find(int fd, struct module_symbol *symbols, size_t nr, struct arena *arena)
{
	(void)fd, (void)symbols, (void)nr, (void)arena;
}
#endif
