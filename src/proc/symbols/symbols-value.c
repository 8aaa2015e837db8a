/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a symbol by its name: by the hash table that the dynamic loader uses, which takes five
 * small reads however large the file; through all of a table only if there is no hash.
 */
#include <errno.h>
#include <string.h>

#include "proc/symbols/elf-file.h"
#include "proc/symbols/symbols.h"

#define SYMBOLS_NAME	   256 /* bytes of a name, with its NUL */
#define SYMBOLS_CHAIN	   65536 /* links of a chain, at most */
#define SYMBOLS_TABLE_CAP  (512u << 20) /* bytes of a symbol table, and of its strings, at most */
#define SYMBOLS_STRING_CAP (512u << 20)

/*
 * The head of .gnu.hash: the number of buckets, the first symbol in it, the 8-byte words of its
 * Bloom filter, that filter's shift.
 */
struct gnu_hash {
	uint32_t nbuckets, first, nbloom, shift;
};

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* True, and *ret, if symbol number i of a table is defined and has that name. */
static bool symbol_is(const struct elf_file *file, const Elf64_Shdr *table, uint64_t i,
	const char *name, Elf64_Sym *ret)
{
	char text[SYMBOLS_NAME];

	if (i >= table->sh_size / sizeof(*ret) ||
		elf_file_read(file, table->sh_offset + i * sizeof(*ret), ret, sizeof(*ret)) < 0)
		return false;
	return ret->st_shndx != SHN_UNDEF &&
		elf_file_text(file, elf_file_linked(file, table), ret->st_name, text,
			sizeof(text)) &&
		strcmp(text, name) == 0;
}

/*
 * Finds a symbol by the hash. Returns 0; -ENOENT if there is none; -ENODATA if the hash makes no
 * sense.
 */
static int symbol_by_hash(const struct elf_file *file, const Elf64_Shdr *hash,
	const Elf64_Shdr *table, const char *name, Elf64_Sym *ret)
{
	uint32_t wanted = gnu_hash_of(name), at, chain;
	uint64_t buckets, chains;
	struct gnu_hash head;

	if (elf_file_read(file, hash->sh_offset, &head, sizeof(head)) < 0 || head.nbuckets == 0)
		return -ENODATA;
	buckets = hash->sh_offset + sizeof(head) + (uint64_t)head.nbloom * 8;
	chains = buckets + (uint64_t)head.nbuckets * 4;
	if (elf_file_read(file, buckets + wanted % head.nbuckets * 4ull, &at, sizeof(at)) < 0)
		return -ENODATA;
	if (at < head.first)
		return at ? -ENODATA : -ENOENT;
	for (int i = 0; i < SYMBOLS_CHAIN; i++, at++) {
		uint64_t link = chains + (uint64_t)(at - head.first) * 4;

		if (elf_file_read(file, link, &chain, sizeof(chain)) < 0)
			return -ENODATA;
		if ((chain | 1) == (wanted | 1) && symbol_is(file, table, at, name, ret))
			return 0;
		if (chain & 1)
			return -ENOENT;
	}
	return -ENODATA;
}

/* Finds a symbol by going through a table. Returns likewise. */
static int symbol_by_search(
	const struct elf_file *file, const Elf64_Shdr *table, const char *name, Elf64_Sym *ret)
{
	const Elf64_Shdr *linked = elf_file_linked(file, table);
	Elf_Data *data = elf_file_data(file, table, SYMBOLS_TABLE_CAP);
	const Elf64_Sym *symbols = data ? data->d_buf : NULL;

	if (!symbols || !linked || !elf_file_strings(file, linked, SYMBOLS_STRING_CAP))
		return -ENODATA;
	for (size_t i = 0; i < data->d_size / sizeof(*symbols); i++) {
		const char *text;

		if (symbols[i].st_shndx == SHN_UNDEF)
			continue;
		text = elf_strptr(file->elf, table->sh_link, symbols[i].st_name);
		if (text && strcmp(text, name) == 0) {
			*ret = symbols[i];
			return 0;
		}
	}
	return -ENOENT;
}

/* Finds a symbol in .dynsym, else in .symtab. */
static int symbol_in_file(const struct elf_file *file, const char *name, Elf64_Sym *ret)
{
	const Elf64_Shdr *dynamic = elf_file_typed(file, SHT_DYNSYM);
	const Elf64_Shdr *full = elf_file_typed(file, SHT_SYMTAB);
	const Elf64_Shdr *hash = elf_file_typed(file, SHT_GNU_HASH);
	int error = -ENOENT;

	if (dynamic && hash)
		error = symbol_by_hash(file, hash, dynamic, name, ret);
	if (dynamic && (!hash || error == -ENODATA))
		error = symbol_by_search(file, dynamic, name, ret);
	if (error && full)
		error = symbol_by_search(file, full, name, ret);
	return error;
}

int symbols_value(int fd, const char *name, uint64_t *ret_at, uint64_t *ret_size)
{
	struct elf_file file;
	Elf64_Sym symbol;
	int error = elf_file_open(&file, fd);

	if (!error)
		error = symbol_in_file(&file, name, &symbol);
	if (!error) {
		*ret_at = symbol.st_value;
		*ret_size = symbol.st_size;
	}
	elf_file_close(&file);
	return error;
}

int symbols_section(int fd, const char *name, uint64_t *ret_at, uint64_t *ret_size)
{
	const Elf64_Shdr *section;
	struct elf_file file;
	int error = elf_file_open(&file, fd);

	if (!error) {
		section = elf_file_named(&file, name);
		error = section ? 0 : -ENOENT;
	}
	if (!error) {
		*ret_at = section->sh_addr;
		*ret_size = section->sh_size;
	}
	elf_file_close(&file);
	return error;
}
