/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ELF_FORGE_H
#define TESTS_ELF_FORGE_H

/* ELF files made by hand, section by section, as tests want them. */

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#define FORGE_SECTIONS 16

struct forge {
	struct str names;
	struct str body; /* behind the head */
	Elf64_Shdr sections[FORGE_SECTIONS];
	uint16_t nr;
};

static inline void forge_begin(struct forge *forge)
{
	*forge = (struct forge){.nr = 1}; /* section 0 is nothing */
	str_add_char(&forge->names, '\0');
}

/* Adds a section and gives its number. */
static inline uint16_t forge_section(struct forge *forge, const char *name, Elf64_Shdr section,
	const void *bytes, size_t len)
{
	section.sh_name = (uint32_t)forge->names.len;
	section.sh_offset = sizeof(Elf64_Ehdr) + forge->body.len;
	if (!section.sh_size)
		section.sh_size = len;
	str_add_bytes(&forge->names, name, strlen(name) + 1);
	str_add_bytes(&forge->body, bytes, len);
	while (forge->body.len % 8)
		str_add_char(&forge->body, '\0');
	forge->sections[forge->nr] = section;
	return forge->nr++;
}

/* Code of that size at that address. */
static inline uint16_t forge_code(
	struct forge *forge, const char *name, uint64_t at, const void *bytes, size_t len)
{
	return forge_section(forge, name,
		(Elf64_Shdr){.sh_type = bytes ? SHT_PROGBITS : SHT_NOBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = at, .sh_size = len},
		bytes, bytes ? len : 0);
}

static inline void forge_build_id(struct forge *forge, const char *id)
{
	struct str note = {0};
	Elf64_Nhdr head = {4, (uint32_t)strlen(id), NT_GNU_BUILD_ID};

	str_add_bytes(&note, &head, sizeof(head));
	str_add_bytes(&note, "GNU", 4);
	str_add(&note, id);
	while (note.len % 4)
		str_add_char(&note, '\0');
	forge_section(forge, ".note.gnu.build-id",
		(Elf64_Shdr){.sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC}, note.text, note.len);
	str_release(&note);
}

struct forge_symbol {
	const char *name;
	uint64_t at, size;
	unsigned char binding, type;
};

/* A table of symbols and its strings; they are in section 1. */
static inline uint16_t forge_symbols(struct forge *forge, const char *name, uint32_t type,
	const struct forge_symbol *symbols, size_t nr)
{
	struct str table = {0}, strings = {0};
	Elf64_Sym symbol = {0};
	uint16_t linked;

	str_add_char(&strings, '\0');
	str_add_bytes(&table, &symbol, sizeof(symbol));
	for (size_t i = 0; i < nr; i++) {
		symbol = (Elf64_Sym){.st_name = (uint32_t)strings.len,
			.st_value = symbols[i].at, .st_size = symbols[i].size, .st_shndx = 1,
			.st_info = ELF64_ST_INFO(symbols[i].binding, symbols[i].type)};
		str_add_bytes(&strings, symbols[i].name, strlen(symbols[i].name) + 1);
		str_add_bytes(&table, &symbol, sizeof(symbol));
	}
	linked = forge_section(forge, ".strings", (Elf64_Shdr){.sh_type = SHT_STRTAB},
		strings.text, strings.len);
	linked = forge_section(forge, name, (Elf64_Shdr){.sh_type = type, .sh_link = linked},
		table.text, table.len);
	str_release(&table);
	str_release(&strings);
	return linked;
}

/* Appends the file, and empties the forge. */
static inline void forge_end(struct forge *forge, struct str *into)
{
	uint16_t names = forge_section(
		forge, ".shstrtab", (Elf64_Shdr){.sh_type = SHT_STRTAB}, "", 0);
	Elf64_Ehdr head = {.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_machine = EM_X86_64,
		.e_version = 1, .e_ehsize = sizeof(head), .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = forge->nr, .e_shstrndx = names};

	forge->sections[names].sh_size = forge->names.len;
	str_add_bytes(&forge->body, forge->names.text, forge->names.len);
	while (forge->body.len % 8)
		str_add_char(&forge->body, '\0');
	head.e_shoff = sizeof(head) + forge->body.len;
	str_add_bytes(into, &head, sizeof(head));
	str_add_bytes(into, forge->body.text, forge->body.len);
	str_add_bytes(into, forge->sections, forge->nr * sizeof(Elf64_Shdr));
	str_release(&forge->names);
	str_release(&forge->body);
}

#endif
