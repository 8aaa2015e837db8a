/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

/* Names of addresses, and addresses of names: the loader's word against ours. */
#include "proc/symbols/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "proc/symbols/dwarf-lines.h"
#include "tests/unit/blank_module.h"
#include "tests/unit/elf-forge.h"
#include "tests/unit/made_file.h"
#include "tests/unit/unit.h"

/* The C library: its file, and where it is loaded. */
static int libc_file(uint64_t *ret_base, void **ret_handle)
{
	void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	struct link_map *map = NULL;
	int fd;

	assert_non_null(handle);
	assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	fd = open(map->l_name, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	*ret_base = map->l_addr;
	*ret_handle = handle;
	return fd;
}

static void values_are_those_that_the_loader_gives(void **state)
{
	static const char *const names[] = {"hcreate_r", "environ", "getgrouplist"};
	uint64_t base, at = 0, size = 0;
	void *handle;
	int fd = libc_file(&base, &handle);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(symbols_value(fd, names[i], &at, &size), 0);
		assert_ptr_equal((void *)(uintptr_t)(base + at), dlsym(handle, names[i]));
		assert_true(size > 0);
	}
	assert_int_equal(symbols_value(fd, "no such name", &at, &size), -ENOENT);
	dlclose(handle);
	close(fd);
}

static void sections_have_addresses(void **state)
{
	uint64_t base, at = 0, size = 0;
	void *handle;
	int fd = libc_file(&base, &handle);

	(void)state;
	assert_int_equal(symbols_section(fd, ".text", &at, &size), 0);
	assert_in_range((uintptr_t)dlsym(handle, "hcreate_r"), base + at, base + at + size - 1);
	assert_int_equal(symbols_section(fd, ".PyRuntime", &at, &size), -ENOENT);
	dlclose(handle);
	close(fd);
}

static void what_is_no_elf_file_has_no_symbols(void **state)
{
	uint64_t at = 0, size = 0;
	Elf64_Ehdr head = {.e_shnum = 0xffff, .e_shentsize = sizeof(Elf64_Shdr)};
	int fd = made_file("#!/bin/sh\n", 10);

	(void)state;
	assert_int_equal(symbols_value(fd, "main", &at, &size), -ENOEXEC);
	close(fd);
	assert_true(symbols_value(-1, "main", &at, &size) < 0);
	memcpy(head.e_ident, ELFMAG "\2\1\1", 7);
	head.e_shoff = sizeof(head);
	fd = made_file(&head, sizeof(head));
	assert_int_equal(symbols_value(fd, "main", &at, &size), -ENOENT);
	assert_int_equal(symbols_section(fd, ".text", &at, &size), -ENOENT);
	close(fd);
}

/* -- names ------------------------------------------------------------------------------------- */

/* A module that is a file made by hand, and what was found in it. */
struct found {
	struct modules *modules;
	struct module *module;
	struct arena arena;
};

static struct stack_memory blank = {.read = blank_read};

static struct found find_in(
	int fd, const char *path, const char *root, const uint64_t *wanted, size_t nr)
{
	struct found found = {.modules = modules_new()};
	uint64_t *addresses = calloc(nr, sizeof(*addresses));

	memcpy(addresses, wanted, nr * sizeof(*wanted));
	found.module = modules_add(found.modules, 1, 2, path, &blank, NULL);
	assert_non_null(found.module);
	symbols_find(found.module, fd, root, addresses, nr, &found.arena);
	free(addresses);
	return found;
}

static void found_release(struct found *found)
{
	modules_free(found->modules);
	arena_release(&found->arena);
}

static const char *name_at(const struct found *found, uint64_t at)
{
	const struct module_symbol *symbol = module_symbol_at(found->module, at);

	return symbol ? symbol->function : "nothing";
}

/* Where this program is loaded. */
static int first_object(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static void functions_of_this_program_have_their_names_and_lines(void **state)
{
	uint64_t base = 0, at;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct module_symbol *symbol;
	struct found found;

	(void)state;
	dl_iterate_phdr(first_object, &base);
	at = (uint64_t)(uintptr_t)functions_of_this_program_have_their_names_and_lines - base;
	found = find_in(fd, "/no/such", NULL, (uint64_t[]){at + 1, at, at}, 3);
	symbol = module_symbol_at(found.module, at + 1);
	assert_non_null(symbol);
	assert_int_equal(symbol->start, at);
	assert_string_equal(
		symbol->function, "functions_of_this_program_have_their_names_and_lines");
	assert_int_equal(found.module->nsymbols, 2);
	if (lines_can() && symbol->file[0]) {
		assert_non_null(strstr(symbol->file, "symbols_test.c"));
		assert_in_range(symbol->line, __LINE__ - 40, __LINE__);
	}
	found_release(&found);
	close(fd);
}

/* In an ELF file in memory: the section .comment, whose bytes nobody needs. */
static Elf64_Shdr *section_of_comments(void *elf, char **ret_name)
{
	const Elf64_Ehdr *head = elf;
	Elf64_Shdr *sections = (void *)((char *)elf + head->e_shoff);
	size_t i = 0;

	do {
		assert_in_range(++i, 1, head->e_shnum - 1);
		*ret_name = (char *)elf + sections[head->e_shstrndx].sh_offset +
			    sections[i].sh_name;
	} while (strcmp(*ret_name, ".comment") != 0);
	assert_true(sections[i].sh_size >= sizeof(Elf64_Chdr));
	return &sections[i];
}

/* Says of .comment that it has this name, and is packed, from so many bytes (0: not). */
static void pack_comments(void *elf, const char *name, uint64_t unpacked)
{
	const Elf64_Chdr head = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = unpacked};
	char *its_name;
	Elf64_Shdr *section = section_of_comments(elf, &its_name);

	memcpy(its_name, name, strlen(name) + 1);
	section->sh_flags |= unpacked ? SHF_COMPRESSED : 0;
	memcpy((char *)elf + section->sh_offset, &head, sizeof(head));
}

/* True if this program's file tells a line where its comments are said to be packed so. */
static bool has_lines(const char *name, uint64_t unpacked)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), copy;
	uint64_t base = 0, at;
	struct found found;
	struct stat stat;
	void *elf;
	bool has;

	assert_int_equal(fstat(self, &stat), 0);
	elf = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, self, 0);
	assert_ptr_not_equal(elf, MAP_FAILED);
	pack_comments(elf, name, unpacked);
	copy = made_file(elf, (size_t)stat.st_size);
	dl_iterate_phdr(first_object, &base);
	at = (uint64_t)(uintptr_t)has_lines - base;
	found = find_in(copy, "/no/such", NULL, &at, 1);
	assert_string_equal(name_at(&found, at), "has_lines");
	has = module_symbol_at(found.module, at)->file[0];
	found_release(&found);
	munmap(elf, (size_t)stat.st_size);
	close(self);
	close(copy);
	return has;
}

static void what_is_packed_tightly_is_not_unpacked_for_its_lines(void **state)
{
	(void)state;
	if (!has_lines(".comment", 0))
		skip();
	assert_true(has_lines(".comment", 1 << 20));
	assert_false(has_lines(".comment", 1 << 30));
	assert_false(has_lines(".comment", UINT64_MAX));
	assert_false(has_lines(".zdebug", 0));
}

/* A file with code in [0x1000, 0x2000) and these symbols. */
static void file_with(const struct forge_symbol *symbols, size_t nr, uint32_t type, struct str *ret)
{
	struct forge forge;

	forge_begin(&forge);
	forge_code(&forge, ".text", 0x1000, NULL, 0x1000);
	forge_code(&forge, ".fini", 0x2000, NULL, 0x100);
	forge_build_id(&forge, "an id of twenty byte");
	forge_symbols(&forge, ".symbols", type, symbols, nr);
	forge_end(&forge, ret);
}

static const struct forge_symbol some[] = {
	{"outer", 0x1000, 0x200, STB_GLOBAL, STT_FUNC},
	{"inner", 0x1040, 0x20, STB_LOCAL, STT_FUNC},
	{"__libc_read", 0x1300, 0x40, STB_LOCAL, STT_FUNC},
	{"__read", 0x1300, 0x40, STB_GLOBAL, STT_FUNC},
	{"read@@GLIBC_2.2.5", 0x1300, 0x40, STB_WEAK, STT_FUNC},
	{"start_of_something", 0x1300, 0x40, STB_GLOBAL, STT_NOTYPE},
	{"label", 0x1500, 0, STB_GLOBAL, STT_NOTYPE},
	{"table", 0x1600, 0x100, STB_GLOBAL, STT_OBJECT},
	{"sized", 0x1700, 0x10, STB_GLOBAL, STT_FUNC},
	{"resolver", 0x1800, 0x10, STB_LOCAL, STT_FUNC},
	{"strlen", 0x1800, 0x10, STB_GLOBAL, STT_GNU_IFUNC},
};
#define SOME (sizeof(some) / sizeof(some[0]))

static const uint64_t some_wanted[] = {0x2010, 0x1000, 0x11ff, 0x1200, 0x1045, 0x1060, 0x1310,
	0x1500, 0x15ff, 0x1710, 0x1750, 0x1805, 0xfff};

/* What stands at the wanted addresses of `some`. */
static void expect_some(const struct found *found)
{
	assert_string_equal(name_at(found, 0x1000), "outer");
	assert_string_equal(name_at(found, 0x11ff), "outer");
	assert_string_equal(name_at(found, 0x1045), "inner");
	assert_string_equal(name_at(found, 0x1060), "outer");
	assert_string_equal(name_at(found, 0x1310), "read");
	assert_string_equal(name_at(found, 0x1805), "resolver");
	/* Behind everything sized before it; not behind what is sized; not before anything. */
	assert_string_equal(name_at(found, 0x1200), "nothing");
	assert_string_equal(name_at(found, 0x1710), "nothing");
	assert_string_equal(name_at(found, 0x1750), "nothing");
	assert_string_equal(name_at(found, 0x2010), "nothing");
	assert_string_equal(name_at(found, 0xfff), "nothing");
}

static void the_innermost_symbol_that_covers_an_address_names_it(void **state)
{
	struct forge_symbol backwards[SOME];
	struct str file = {0};
	struct found found;
	int fd;

	(void)state;
	for (size_t i = 0; i < SOME; i++)
		backwards[SOME - 1 - i] = some[i];
	for (int turn = 0; turn < 2; turn++) {
		str_cut(&file, 0);
		file_with(turn ? backwards : some, SOME, SHT_SYMTAB, &file);
		fd = made_file(file.text, file.len);
		found = find_in(fd, "/x", NULL, some_wanted, 13);
		expect_some(&found);
		assert_string_equal(name_at(&found, 0x1500), "label");
		assert_string_equal(name_at(&found, 0x15ff), "label");
		found_release(&found);
		close(fd);
	}
	str_release(&file);
}

static void labels_name_nothing_where_other_functions_may_be_unknown(void **state)
{
	struct str file = {0};
	struct found found;
	int fd;

	(void)state;
	file_with(some, SOME, SHT_DYNSYM, &file);
	fd = made_file(file.text, file.len);
	found = find_in(fd, "/x", NULL, some_wanted, 13);
	expect_some(&found);
	assert_string_equal(name_at(&found, 0x15ff), "nothing");
	found_release(&found);
	close(fd);
	str_release(&file);
}

static void stubs_are_named_by_what_they_jump_to(void **state)
{
	/* endbr64; jmp *0x2ff6(%rip): from 0x100a to the slot at 0x4000; padding */
	static const uint8_t stub[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xf6, 0x2f};
	const struct forge_symbol symbols[] = {{"write", 0, 0, STB_GLOBAL, STT_FUNC}};
	Elf64_Rela slot = {.r_offset = 0x4000, .r_info = ELF64_R_INFO(1, R_X86_64_JUMP_SLOT)};
	struct str file = {0};
	struct forge forge;
	struct found found;
	uint16_t table;
	int fd;

	(void)state;
	forge_begin(&forge);
	forge_code(&forge, ".plt.sec", 0x1000, stub, sizeof(stub));
	table = forge_symbols(&forge, ".dynsym", SHT_DYNSYM, symbols, 1);
	forge_section(&forge, ".rela.plt",
		(Elf64_Shdr){.sh_type = SHT_RELA, .sh_flags = SHF_ALLOC, .sh_link = table}, &slot,
		sizeof(slot));
	forge_end(&forge, &file);
	fd = made_file(file.text, file.len);
	found = find_in(fd, "/x", NULL, (uint64_t[]){0x100a}, 1);
	assert_string_equal(name_at(&found, 0x100a), "write@plt");
	assert_int_equal(module_symbol_at(found.module, 0x100a)->start, 0x1000);
	found_release(&found);
	close(fd);
	str_release(&file);
}

/* -- debug files ------------------------------------------------------------------------------- */

/* Writes a file below the folder; its parents are made. */
static void put_file(const char *root, const char *path, const struct str *bytes)
{
	struct str at = {0};
	FILE *file;

	str_printf(&at, "%s%s", root, path);
	for (char *slash = at.text + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(at.text, 0700);
		*slash = '/';
	}
	file = fopen(at.text, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes->text, 1, bytes->len, file), bytes->len);
	assert_int_equal(fclose(file), 0);
	str_release(&at);
}

static uint32_t crc_of(const struct str *bytes)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < bytes->len; i++) {
		crc ^= (unsigned char)bytes->text[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* A stripped file: no symbols; a build id and a link to its debug file, where they are given. */
static int stripped_file(const char *id, const char *link, uint32_t crc)
{
	struct str bytes = {0}, section = {0};
	struct forge forge;
	int fd;

	forge_begin(&forge);
	forge_code(&forge, ".text", 0x1000, NULL, 0x1000);
	if (id)
		forge_build_id(&forge, id);
	if (link) {
		str_add_bytes(&section, link, strlen(link) + 1);
		while (section.len % 4)
			str_add_char(&section, '\0');
		str_add_bytes(&section, &crc, sizeof(crc));
		forge_section(&forge, ".gnu_debuglink", (Elf64_Shdr){.sh_type = SHT_PROGBITS},
			section.text, section.len);
	}
	forge_end(&forge, &bytes);
	fd = made_file(bytes.text, bytes.len);
	str_release(&bytes);
	str_release(&section);
	return fd;
}

static void expect_name(int fd, const char *root, const char *name)
{
	struct found found = find_in(fd, "/opt/lib/libx.so", root, (uint64_t[]){0x1001}, 1);

	assert_string_equal(name_at(&found, 0x1001), name);
	found_release(&found);
	close(fd);
}

static void debug_files_are_found_and_proved(void **state)
{
	char root[] = "/tmp/inquest-symbols-XXXXXX", clean[64];
	struct str debug = {0}, plain = {0};
	struct forge forge;

	(void)state;
	assert_non_null(mkdtemp(root));
	file_with(some, SOME, SHT_SYMTAB, &debug);
	forge_begin(&forge);
	forge_code(&forge, ".text", 0x1000, NULL, 0x1000);
	forge_symbols(&forge, ".symtab", SHT_SYMTAB, some, SOME);
	forge_end(&forge, &plain);
	put_file(root,
		"/usr/lib/debug/.build-id/61/6e206964206f66207477656e74792062797465.debug", &debug);
	put_file(root, "/opt/lib/.debug/libx.debug", &plain);
	put_file(root, "/usr/lib/debug/opt/lib/liby.debug", &plain);
	put_file(root, "/usr/lib/debug/.build-id/6f/74686572.debug", &debug);

	expect_name(stripped_file("an id of twenty byte", NULL, 0), root, "outer");
	/* There is a file of that name, but of another build. */
	expect_name(stripped_file("other", NULL, 0), root, "nothing");
	expect_name(stripped_file(NULL, "libx.debug", crc_of(&plain)), root, "outer");
	expect_name(stripped_file(NULL, "liby.debug", crc_of(&plain)), root, "outer");
	expect_name(stripped_file(NULL, "libx.debug", crc_of(&plain) + 1), root, "nothing");
	expect_name(stripped_file(NULL, "libz.debug", crc_of(&plain)), root, "nothing");
	expect_name(
		stripped_file(NULL, "../.debug/libx.debug", crc_of(&plain)), root, "nothing");
	snprintf(clean, sizeof(clean), "rm -rf %s", root);
	assert_int_equal(system(clean), 0);
	str_release(&debug);
	str_release(&plain);
}

static void a_table_packed_into_the_file_is_read(void **state)
{
#ifdef HAVE_LZMA
	static const size_t room = 1 << 16;
	struct str inner = {0}, packed = {0}, file = {0};
	struct forge forge;
	size_t len = 0;

	(void)state;
	file_with(some, SOME, SHT_SYMTAB, &inner);
	assert_int_equal(
		lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (const uint8_t *)inner.text,
			inner.len, (uint8_t *)str_room(&packed, room), &len, room),
		LZMA_OK);
	forge_begin(&forge);
	forge_code(&forge, ".text", 0x1000, NULL, 0x1000);
	forge_section(&forge, ".gnu_debugdata", (Elf64_Shdr){.sh_type = SHT_PROGBITS}, packed.text,
		len);
	forge_end(&forge, &file);
	expect_name(made_file(file.text, file.len), NULL, "outer");
	/* Cut short, it is not there. */
	forge_begin(&forge);
	forge_section(&forge, ".gnu_debugdata", (Elf64_Shdr){.sh_type = SHT_PROGBITS}, packed.text,
		len / 2);
	str_cut(&file, 0);
	forge_end(&forge, &file);
	expect_name(made_file(file.text, file.len), NULL, "nothing");
	str_release(&inner);
	str_release(&packed);
	str_release(&file);
#else
	(void)state;
	skip();
#endif
}

/* -- damage ------------------------------------------------------------------------------------ */

static void damaged_files_are_survived(void **state)
{
	struct str file = {0};

	(void)state;
	file_with(some, SOME, SHT_SYMTAB, &file);
	for (size_t i = 0; i < file.len; i++) {
		char was = file.text[i];
		static const char flips[] = {(char)0xff, 0x40, 1};
		uint64_t at, size;
		int fd;

		for (size_t k = 0; k < sizeof(flips); k++) {
			struct found found;

			file.text[i] = (char)(was ^ flips[k]);
			fd = made_file(file.text, file.len);
			found = find_in(fd, "/x", "/nowhere", some_wanted, 13);
			(void)symbols_value(fd, "sized", &at, &size);
			(void)symbols_section(fd, ".fini", &at, &size);
			found_release(&found);
			close(fd);
		}
		file.text[i] = was;
	}
	for (size_t cut = 0; cut < file.len; cut += 7) {
		int fd = made_file(file.text, cut);
		struct found found = find_in(fd, "/x", "/nowhere", some_wanted, 13);

		found_release(&found);
		close(fd);
	}
	str_release(&file);
}

static void more_sections_than_anyone_has_are_no_elf_file(void **state)
{
	const uint64_t many = 1u << 22;
	Elf64_Ehdr head = {.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_version = 1,
		.e_shoff = sizeof(head), .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr first = {.sh_size = many};
	uint64_t at, size;
	int fd = made_file(&head, sizeof(head));

	/* All there, as a hole: memory for a gigabyte of descriptions is not to be asked for. */
	(void)state;
	assert_int_equal(write(fd, &first, sizeof(first)), sizeof(first));
	assert_int_equal(ftruncate(fd, (off_t)((many + 1) * sizeof(first))), 0);
	assert_int_equal(symbols_section(fd, ".text", &at, &size), -ENOEXEC);
	first.sh_size = 1000;
	assert_int_equal(pwrite(fd, &first, sizeof(first), sizeof(head)), sizeof(first));
	assert_int_equal(symbols_section(fd, ".text", &at, &size), -ENOENT);
	close(fd);
}

static void packed_tables_are_not_taken_for_symbols(void **state)
{
	struct str file = {0};
	struct found found;
	uint64_t value, size;
	Elf64_Ehdr head;
	int fd;

	(void)state;
	file_with(some, SOME, SHT_SYMTAB, &file);
	memcpy(&head, file.text, sizeof(head));
	for (size_t i = 0; i < head.e_shnum; i++) {
		size_t at = head.e_shoff + i * sizeof(Elf64_Shdr);
		Elf64_Shdr section;

		memcpy(&section, file.text + at, sizeof(section));
		if (section.sh_type == SHT_SYMTAB)
			section.sh_flags |= SHF_COMPRESSED;
		memcpy(file.text + at, &section, sizeof(section));
	}
	fd = made_file(file.text, file.len);
	found = find_in(fd, "/x", NULL, some_wanted, 13);
	assert_int_equal(found.module->nsymbols, 0);
	assert_true(symbols_value(fd, "sized", &value, &size) < 0);
	found_release(&found);
	close(fd);
	str_release(&file);
}

/* -- the vDSO ---------------------------------------------------------------------------------- */

static int vdso_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);

	(void)memory;
	at &= ~MODULE_FILE;
	if (at > 8192 || len > 8192 - at)
		return -EFAULT;
	memcpy(to, vdso + at, len);
	return 0;
}

static void the_vdso_names_its_functions(void **state)
{
	static struct stack_memory image = {.read = vdso_read};
	struct modules *modules = modules_new();
	void *handle = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *function = handle ? dlsym(handle, "__vdso_clock_gettime") : NULL;
	uint64_t at = (uint64_t)(uintptr_t)function - getauxval(AT_SYSINFO_EHDR) + 3;
	struct arena arena = {0};
	struct module *module;

	(void)state;
	if (!function)
		skip();
	module = modules_add(modules, 0, 0, "[vdso]", &image, NULL);
	assert_non_null(module);
	symbols_find(module, -1, NULL, &at, 1, &arena);
	assert_int_equal(module->nsymbols, 1);
	assert_non_null(strstr(module->symbols[0].function, "clock_gettime"));
	modules_free(modules);
	arena_release(&arena);
	dlclose(handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_that_the_loader_gives),
		cmocka_unit_test(sections_have_addresses),
		cmocka_unit_test(what_is_no_elf_file_has_no_symbols),
		cmocka_unit_test(functions_of_this_program_have_their_names_and_lines),
		cmocka_unit_test(what_is_packed_tightly_is_not_unpacked_for_its_lines),
		cmocka_unit_test(the_innermost_symbol_that_covers_an_address_names_it),
		cmocka_unit_test(labels_name_nothing_where_other_functions_may_be_unknown),
		cmocka_unit_test(stubs_are_named_by_what_they_jump_to),
		cmocka_unit_test(debug_files_are_found_and_proved),
		cmocka_unit_test(a_table_packed_into_the_file_is_read),
		cmocka_unit_test(damaged_files_are_survived),
		cmocka_unit_test(more_sections_than_anyone_has_are_no_elf_file),
		cmocka_unit_test(packed_tables_are_not_taken_for_symbols),
		cmocka_unit_test(the_vdso_names_its_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
