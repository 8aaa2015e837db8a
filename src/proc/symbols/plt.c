/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stub is named by what it does, not by its number: linkers disagree about the order of stubs,
 * but each must jump through a slot that the loader fills, and the loader is told which symbol goes
 * there.
 */
#include "proc/symbols/plt.h"

#include <stdio.h>
#include <string.h>

#define PLT_STUB  16 /* bytes of a stub */
#define PLT_LISTS 8	      /* sections of relocations; a program has two */
#define PLT_CAP	  (64u << 20) /* bytes in all of them, since libelf keeps what it has read */

/* True if a section has stubs: it is code, and its name begins with ".plt". */
static bool plt_section(const struct elf_file *file, const Elf64_Shdr *section)
{
	return section && section->sh_flags & SHF_EXECINSTR &&
		strncmp(elf_file_name(file, section), ".plt", 4) == 0;
}

/* Finds the address of a stub's slot, by the first "jmp *offset(%rip)" in these bytes. */
static bool plt_slot(const uint8_t *stub, size_t len, uint64_t at, uint64_t *ret)
{
	for (size_t i = 0; i + 6 <= len; i++) {
		int32_t offset;

		if (stub[i] != 0xff || stub[i + 1] != 0x25)
			continue;
		memcpy(&offset, stub + i + 2, sizeof(offset));
		*ret = at + i + 6 + (uint64_t)(int64_t)offset;
		return true;
	}
	return false;
}

/*
 * Finds the relocation of a slot in a section of relocations; *room is what may still be read of
 * all.
 */
static bool plt_relocation(const struct elf_file *file, const Elf64_Shdr *section, uint64_t slot,
	size_t *room, Elf64_Rela *ret)
{
	Elf_Data *data = elf_file_data(file, section, *room);
	const Elf64_Rela *all = data ? data->d_buf : NULL;

	if (!all)
		return false;
	*room -= section->sh_size;
	for (size_t i = 0; i < data->d_size / sizeof(*all); i++)
		if (all[i].r_offset == slot) {
			*ret = all[i];
			return true;
		}
	return false;
}

/* Copies the name of the symbol that a relocation is for. Returns false if there is none. */
static bool plt_symbol(const struct elf_file *file, const Elf64_Shdr *relocations,
	const Elf64_Rela *relocation, char *to, size_t size)
{
	const Elf64_Shdr *table = elf_file_linked(file, relocations);
	uint64_t number = ELF64_R_SYM(relocation->r_info);
	Elf64_Sym symbol;

	if (!table || number >= table->sh_size / sizeof(symbol) ||
		elf_file_read(file, table->sh_offset + number * sizeof(symbol), &symbol,
			sizeof(symbol)) < 0)
		return false;
	return elf_file_text(file, elf_file_linked(file, table), symbol.st_name, to, size) > 0;
}

bool plt_name(const struct elf_file *file, uint64_t at, uint64_t *ret_start, char *to, size_t size)
{
	const Elf64_Shdr *section = elf_file_section_at(file, at);
	uint8_t stub[PLT_STUB];
	Elf64_Rela relocation;
	uint64_t start, slot;
	size_t step, len, lists = 0, room = PLT_CAP;

	if (!plt_section(file, section))
		return false;
	step = section->sh_entsize == 8 ? 8 : PLT_STUB;
	start = at - (at - section->sh_addr) % step;
	if (elf_file_read(file, section->sh_offset + (start - section->sh_addr), stub, step) < 0 ||
		!plt_slot(stub, step, start, &slot))
		return false;
	for (size_t i = 0; i < file->nsections && lists < PLT_LISTS; i++) {
		const Elf64_Shdr *relocations = &file->sections[i];

		if (relocations->sh_type != SHT_RELA || !(relocations->sh_flags & SHF_ALLOC))
			continue;
		lists++;
		if (!plt_relocation(file, relocations, slot, &room, &relocation) ||
			!plt_symbol(file, relocations, &relocation, to, size))
			continue;
		len = strlen(to);
		snprintf(to + len, size - len, "@plt");
		*ret_start = start;
		return true;
	}
	return false;
}
