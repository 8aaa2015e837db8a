/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_ELF_FILE_H
#define PROC_ELF_FILE_H

/*
 * An ELF file, read piece by piece: 64 bit, little-endian. By pread() and not by mmap(), since the
 * file is a stranger's: one that is cut short meanwhile (a package being upgraded) would end us by
 * SIGBUS. Every offset and length in it is checked against its size before use, so that what a
 * damaged file can do is only to have nothing in it.
 */

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "stack/memory.h"

struct elf_file {
	int fd;			    /* borrowed; -1: `image` is it */
	struct stack_memory *image; /* as stack/module.h wants images */
	uint64_t size;
	Elf64_Ehdr head;
	Elf64_Shdr *sections;
	size_t nsections;
	struct str names; /* of the sections */
};

/*
 * Reads the head and the table of sections; a table that makes no sense is an empty one. 0, or
 * -ENOEXEC where that is no such file, or another -errno. elf_file_close() in any case.
 */
int elf_file_open(struct elf_file *file, int fd) __attribute__((nonnull));

/* The same for a module without file, by its image (the vDSO). */
int elf_file_open_image(struct elf_file *file, struct stack_memory *image)
	__attribute__((nonnull));

/* Copies len bytes at that offset: all of them, or none and -errno. */
int elf_file_read(const struct elf_file *file, uint64_t at, void *to, size_t len)
	__attribute__((nonnull));

/* The first section of that name, or of that type; NULL none. */
const Elf64_Shdr *elf_file_named(const struct elf_file *file, const char *name)
	__attribute__((nonnull));
const Elf64_Shdr *elf_file_typed(const struct elf_file *file, uint32_t type)
	__attribute__((nonnull));

/* The section that holds an address of the object; NULL none. */
const Elf64_Shdr *elf_file_section_at(const struct elf_file *file, uint64_t address)
	__attribute__((nonnull));

/* The section that another one links to (the strings of a symbol table); NULL none. */
const Elf64_Shdr *elf_file_linked(const struct elf_file *file, const Elf64_Shdr *section)
	__attribute__((nonnull));

/* Appends the bytes of a section as they lie in the file, at most cap. 0 or -errno. */
int elf_file_content(const struct elf_file *file, const Elf64_Shdr *section, size_t cap,
	struct str *into) __attribute__((nonnull));

/*
 * The text at an offset of a section of strings, cut to what fits: its length, 0 where there is
 * none.
 */
size_t elf_file_text(const struct elf_file *file, const Elf64_Shdr *strings, uint64_t offset,
	char *to, size_t size) __attribute__((nonnull(1, 4)));

/* Copies the build id, at most `size` bytes, and returns how long it is; 0: none. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t *to, size_t size)
	__attribute__((nonnull));

/* Leaves the empty file; fd and image stay as they are. Takes NULL. */
void elf_file_close(struct elf_file *file);

#endif
