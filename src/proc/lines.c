/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "proc/lines.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>
#include <libelf.h>
#include <string.h>

#include "proc/elf-file.h"

/*
 * Here, and only here, a file is mapped: libdw would else copy all of the debug information (30 MB
 * for Python's library, ten times the time) to look at a hundredth of it. Of a living job this is
 * done in helper processes (evidence/crew.h): a debug file that is cut short meanwhile costs lines.
 *
 * Sections that are packed are unpacked as a whole, so that of files beyond this no line is sought.
 */
#define LINES_CAP (1ull << 30)

/* How large are the sections that libdw may look at? 0: there is nothing to find. */
static uint64_t lines_size(int fd)
{
	struct elf_file file;
	uint64_t size = 0;

	if (elf_file_open(&file, fd) == 0 &&
		(elf_file_named(&file, ".debug_line") || elf_file_named(&file, ".zdebug_line")))
		for (size_t i = 0; i < file.nsections; i++)
			if (!(file.sections[i].sh_flags & SHF_ALLOC) && size <= LINES_CAP)
				size += file.sections[i].sh_size;
	elf_file_close(&file);
	return size;
}

/* The unit that holds an address: by the index of addresses, which some compilers do not make. */
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
	uint64_t size = lines_size(fd);
	Dwarf *dwarf;
	Elf *elf;

	if (size == 0 || size > LINES_CAP)
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
