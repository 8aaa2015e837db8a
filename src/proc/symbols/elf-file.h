/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_ELF_FILE_H
#define PROC_ELF_FILE_H

/*
 * Reads an ELF file of 64 bits, little-endian: its structure by libelf. Symbol tables, single texts
 * and the memory in a core are read past libelf, piece by piece, since libelf reads a section as a
 * whole and keeps it: 90 MB of libtorch_cpu.so for a few hundred names, many GiB of a core. All is
 * read by pread() and not by mmap(), since the file is a stranger's: one that is cut short
 * meanwhile (a package that is being upgraded) would end us by SIGBUS. A damaged file can do no
 * more than have nothing in it: what libelf would take on trust is checked before it is asked.
 */

#include <elf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/memory.h"

struct elf_file {
	Elf *elf;
	int fd;	     /* borrowed; -1: the file is `copy` */
	char *copy;  /* the bytes of an image without file; NULL none */
	uint64_t size;
	Elf64_Ehdr head;
	Elf64_Shdr *sections;
	size_t nsections;
	size_t names; /* number of the section that holds the names of sections; 0 none */
};

/*
 * Opens the file behind `fd`, which is borrowed: reads its head and its table of sections. A table
 * that is cut off counts as empty. Returns 0; -ENOEXEC if it is no such file; or another -errno.
 * elf_file_close() in any case.
 */
int elf_file_open(struct elf_file *file, int fd) __attribute__((nonnull));

/* Opens a small module without file (the vDSO) in the same way, by a copy of its image. */
int elf_file_open_image(struct elf_file *file, struct stack_memory *image)
	__attribute__((nonnull));

/* Copies `len` bytes at an offset of the file: all of them and 0, or none and -errno. */
int elf_file_read(const struct elf_file *file, uint64_t at, void *to, size_t len)
	__attribute__((nonnull));

/* Returns the name of a section, "" if it has none; lives as long as the file. */
const char *elf_file_name(const struct elf_file *file, const Elf64_Shdr *section)
	__attribute__((nonnull));

/* Returns the first section of that name; NULL if there is none. */
const Elf64_Shdr *elf_file_named(const struct elf_file *file, const char *name)
	__attribute__((nonnull));
/* Returns the first section of that type (SHT_...); NULL if there is none. */
const Elf64_Shdr *elf_file_typed(const struct elf_file *file, uint32_t type)
	__attribute__((nonnull));

/* Returns the section that holds an address in the object; NULL if none does. */
const Elf64_Shdr *elf_file_section_at(const struct elf_file *file, uint64_t address)
	__attribute__((nonnull));

/*
 * Returns the section that another one links to (a symbol table to its strings); NULL if there is
 * none.
 */
const Elf64_Shdr *elf_file_linked(const struct elf_file *file, const Elf64_Shdr *section)
	__attribute__((nonnull));

/*
 * Returns the bytes of a section in its type's own form; they live as long as the file. NULL if it
 * has none, more than `cap`, or packed ones.
 */
Elf_Data *elf_file_data(const struct elf_file *file, const Elf64_Shdr *section, size_t cap)
	__attribute__((nonnull));

/*
 * Reads a section of strings of at most `cap` bytes, which then lives as long as the file. Returns
 * whether elf_strptr() may be asked for its texts.
 */
bool elf_file_strings(const struct elf_file *file, const Elf64_Shdr *section, size_t cap)
	__attribute__((nonnull));

/*
 * Reads the text at an offset of a section of strings, by itself, cut to `size` with its NUL.
 * Returns its length; 0 if there is none (`strings` may be NULL).
 */
size_t elf_file_text(const struct elf_file *file, const Elf64_Shdr *strings, uint64_t offset,
	char *to, size_t size) __attribute__((nonnull(1, 4)));

/* Copies at most `size` bytes of the build id. Returns how many; 0 if there is none. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t *to, size_t size)
	__attribute__((nonnull));

/* Leaves the empty file; its descriptor stays open. Takes NULL. */
void elf_file_close(struct elf_file *file);

#endif
