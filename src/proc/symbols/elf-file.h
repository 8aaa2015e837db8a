/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_ELF_FILE_H
#define PROC_ELF_FILE_H

/*
 * An ELF file, 64 bit, little-endian: its structure by libelf. Tables of symbols, single texts and
 * the memory in a core are read past it, piece by piece, since libelf reads a section as a whole
 * and keeps it: 90 MB of libtorch_cpu.so for a few hundred names, many GiB of a core. All of it by
 * pread() and not by mmap(), since the file is a stranger's: one that is cut short meanwhile (a
 * package being upgraded) would end us by SIGBUS. A damaged file can do no more than have nothing
 * in it: what libelf would take on trust is checked before it is asked.
 */

#include <elf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/memory.h"

struct elf_file {
	Elf *elf;
	int fd;	     /* borrowed; -1: `copy` is it */
	char *copy;  /* of an image without file */
	uint64_t size;
	Elf64_Ehdr head;
	Elf64_Shdr *sections;
	size_t nsections;
	size_t names; /* number of the section with the names of sections; 0 none */
};

/*
 * Reads the head and the table of sections; a table that is cut off is an empty one. 0, or -ENOEXEC
 * where that is no such file, or another -errno. elf_file_close() in any case.
 */
int elf_file_open(struct elf_file *file, int fd) __attribute__((nonnull));

/* The same for a small module without file, by a copy of its image (the vDSO). */
int elf_file_open_image(struct elf_file *file, struct stack_memory *image)
	__attribute__((nonnull));

/* Copies len bytes at that offset: all of them, or none and -errno. */
int elf_file_read(const struct elf_file *file, uint64_t at, void *to, size_t len)
	__attribute__((nonnull));

/* The name of a section, "" where it has none. Lives as long as the file. */
const char *elf_file_name(const struct elf_file *file, const Elf64_Shdr *section)
	__attribute__((nonnull));

/* The first section of that name, or of that type; NULL none. */
const Elf64_Shdr *elf_file_named(const struct elf_file *file, const char *name)
	__attribute__((nonnull));
/* The first of that type, SHT_...; NULL none. */
const Elf64_Shdr *elf_file_typed(const struct elf_file *file, uint32_t type)
	__attribute__((nonnull));

/* The section that holds an address of the object; NULL none. */
const Elf64_Shdr *elf_file_section_at(const struct elf_file *file, uint64_t address)
	__attribute__((nonnull));

/* The section that another one links to (the strings of a symbol table); NULL none. */
const Elf64_Shdr *elf_file_linked(const struct elf_file *file, const Elf64_Shdr *section)
	__attribute__((nonnull));

/*
 * The bytes of a section in its type's own form, at most cap: they live as long as the file. NULL
 * where it has none, more than that, or packed ones.
 */
Elf_Data *elf_file_data(const struct elf_file *file, const Elf64_Shdr *section, size_t cap)
	__attribute__((nonnull));

/*
 * Reads a section of strings, which lives as long as the file too: whether elf_strptr() may be
 * asked for its texts.
 */
bool elf_file_strings(const struct elf_file *file, const Elf64_Shdr *section, size_t cap)
	__attribute__((nonnull));

/*
 * The text at an offset of a section of strings, read by itself and cut to what fits: its length, 0
 * where there is none.
 */
size_t elf_file_text(const struct elf_file *file, const Elf64_Shdr *strings, uint64_t offset,
	char *to, size_t size) __attribute__((nonnull(1, 4)));

/* Copies the build id, at most `size` bytes, and returns how long it is; 0: none. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t *to, size_t size)
	__attribute__((nonnull));

/* Leaves the empty file; fd stays as it is. Takes NULL. */
void elf_file_close(struct elf_file *file);

#endif
