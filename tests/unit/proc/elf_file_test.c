/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files of a stranger: what they lack they do not have, and nothing else happens. */
#include "proc/symbols/elf-file.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc/symbols/symbols.h"
#include "tests/unit/elf-forge.h"
#include "tests/unit/made_file.h"
#include "tests/unit/unit.h"

#define ID      "0123456789abcdefghij"
#define NOWHERE (UINT64_MAX - 16)

static const struct forge_symbol SYMBOLS[] = {
	{"first", 0x1000, 16, STB_GLOBAL, STT_FUNC}, {"second", 0x1010, 16, STB_LOCAL, STT_FUNC}};

/* Code (section 1), a build id (2), strings (3), symbols (4), names (5). */
static void make(struct str *file)
{
	struct forge forge;

	forge_begin(&forge);
	forge_code(&forge, ".text", 0x1000, "code", 4);
	forge_build_id(&forge, ID);
	forge_symbols(&forge, ".symtab", SHT_SYMTAB, SYMBOLS, 2);
	forge_end(&forge, file);
}

/* A file of these bytes without a name. */
static int file_of(const struct str *bytes)
{
	return made_file(bytes->text, bytes->len);
}

static struct elf_file open_of(const struct str *bytes)
{
	struct elf_file file;

	assert_int_equal(elf_file_open(&file, file_of(bytes)), 0);
	return file;
}

static void done(struct elf_file *file)
{
	int fd = file->fd;

	elf_file_close(file);
	close(fd);
}

/* Where the description of a section lies in the file. */
static Elf64_Shdr *section_of(struct str *file, size_t i)
{
	Elf64_Ehdr head;

	memcpy(&head, file->text, sizeof(head));
	return (Elf64_Shdr *)(void *)(file->text + head.e_shoff + i * sizeof(Elf64_Shdr));
}

/* Everything that can be asked of a file, for its own sake. */
static void ask_all(const struct elf_file *file)
{
	char text[64];
	uint8_t id[64];

	(void)elf_file_named(file, ".symtab");
	(void)elf_file_typed(file, SHT_SYMTAB);
	(void)elf_file_section_at(file, 0x1000);
	assert_in_range(elf_file_build_id(file, id, sizeof(id)), 0, sizeof(id));
	for (size_t i = 0; i < file->nsections; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		Elf_Data *data = elf_file_data(file, section, 1 << 20);

		if (data)
			assert_int_equal(data->d_size, section->sh_size);
		assert_in_range(strlen(elf_file_name(file, section)), 0, 64);
		assert_in_range(elf_file_text(file, section, 1, text, sizeof(text)), 0, 63);
		assert_in_range(elf_file_text(file, section, NOWHERE, text, sizeof(text)), 0, 63);
		(void)elf_file_strings(file, section, 1 << 20);
		(void)elf_file_linked(file, section);
	}
}

static void what_a_file_has_is_told(void **state)
{
	struct str bytes = {0};
	const Elf64_Shdr *table;
	struct elf_file file;
	char text[64];
	uint8_t id[64];

	(void)state;
	make(&bytes);
	file = open_of(&bytes);
	table = elf_file_named(&file, ".symtab");
	assert_ptr_equal(table, &file.sections[4]);
	assert_ptr_equal(table, elf_file_typed(&file, SHT_SYMTAB));
	assert_ptr_equal(elf_file_linked(&file, table), &file.sections[3]);
	assert_ptr_equal(elf_file_section_at(&file, 0x1003), &file.sections[1]);
	assert_null(elf_file_section_at(&file, 0x1004));
	assert_string_equal(elf_file_name(&file, &file.sections[1]), ".text");
	assert_int_equal(elf_file_text(&file, &file.sections[3], 1, text, sizeof(text)), 5);
	assert_string_equal(text, "first");
	assert_int_equal(elf_file_text(&file, &file.sections[3], 7, text, 4), 3);
	assert_string_equal(text, "sec");
	assert_memory_equal(elf_file_data(&file, &file.sections[1], 4)->d_buf, "code", 4);
	assert_null(elf_file_data(&file, &file.sections[1], 3));
	assert_int_equal(elf_file_build_id(&file, id, sizeof(id)), strlen(ID));
	assert_memory_equal(id, ID, strlen(ID));
	done(&file);
	str_release(&bytes);
}

static void a_file_cut_short_while_it_is_open_has_nothing_more(void **state)
{
	struct str bytes = {0};
	uint8_t id[64];
	char text[64];

	(void)state;
	make(&bytes);
	for (size_t cut = 0; cut < bytes.len; cut += 3) {
		struct elf_file file = open_of(&bytes);

		assert_int_equal(ftruncate(file.fd, (off_t)cut), 0);
		ask_all(&file);
		done(&file);
	}
	struct elf_file file = open_of(&bytes);

	assert_int_equal(ftruncate(file.fd, 0), 0);
	assert_null(elf_file_data(&file, &file.sections[4], 1 << 20));
	assert_int_equal(elf_file_text(&file, &file.sections[3], 1, text, sizeof(text)), 0);
	assert_int_equal(elf_file_build_id(&file, id, sizeof(id)), 0);
	assert_true(elf_file_read(&file, 0, text, 4) < 0);
	done(&file);
	str_release(&bytes);
}

static void what_lies_beyond_the_end_is_not_there(void **state)
{
	static const uint64_t offsets[] = {NOWHERE, UINT64_MAX, 1ull << 63, 1ull << 40};
	static const uint64_t sizes[] = {24, 1ull << 19, UINT64_MAX, UINT64_MAX - 64};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++)
			for (size_t at = 0; at < 6; at++) {
				struct str bytes = {0};
				struct elf_file file;

				make(&bytes);
				section_of(&bytes, at)->sh_offset = offsets[i];
				section_of(&bytes, at)->sh_size = sizes[k];
				file = open_of(&bytes);
				ask_all(&file);
				assert_null(elf_file_data(&file, &file.sections[at], SIZE_MAX));
				done(&file);
				str_release(&bytes);
			}
}

static void names_without_an_end_are_none(void **state)
{
	struct str bytes = {0};
	struct elf_file file;
	uint64_t at, size;
	int fd;

	(void)state;
	make(&bytes);
	section_of(&bytes, 5)->sh_size--;
	file = open_of(&bytes);
	assert_false(elf_file_strings(&file, &file.sections[5], 1 << 20));
	assert_string_equal(elf_file_name(&file, &file.sections[5]), "");
	assert_null(elf_file_named(&file, ".text"));
	done(&file);
	section_of(&bytes, 5)->sh_size++;
	fd = file_of(&bytes);
	assert_int_equal(symbols_value(fd, "second", &at, &size), 0);
	close(fd);
	section_of(&bytes, 3)->sh_size--;
	fd = file_of(&bytes);
	assert_true(symbols_value(fd, "second", &at, &size) < 0);
	close(fd);
	str_release(&bytes);
}

static void sections_that_lead_in_circles_are_survived(void **state)
{
	(void)state;
	for (uint32_t link = 0; link < 8; link++)
		for (size_t at = 0; at < 6; at++) {
			struct str bytes = {0};
			struct elf_file file;
			Elf64_Ehdr head;
			uint64_t value, size;

			make(&bytes);
			section_of(&bytes, at)->sh_link = link;
			memcpy(&head, bytes.text, sizeof(head));
			head.e_shstrndx = at ? (uint16_t)at : SHN_XINDEX;
			memcpy(bytes.text, &head, sizeof(head));
			file = open_of(&bytes);
			ask_all(&file);
			(void)symbols_value(file.fd, "second", &value, &size);
			done(&file);
			str_release(&bytes);
		}
}

/* A hash of one bucket whose chain has no end. */
static void a_hash_that_never_ends_is_left(void **state)
{
	static uint32_t hash[4 + 2 + 1 + 100000] = {1, 1, 1, 0, 0, 0, 1};
	uint64_t value, size;
	struct str bytes = {0};
	struct forge forge;
	int fd;

	(void)state;
	forge_begin(&forge);
	forge_code(&forge, ".text", 0x1000, "code", 4);
	forge_symbols(&forge, ".dynsym", SHT_DYNSYM, SYMBOLS, 2);
	forge_section(&forge, ".gnu.hash", (Elf64_Shdr){.sh_type = SHT_GNU_HASH}, hash,
		sizeof(hash));
	forge_end(&forge, &bytes);
	fd = file_of(&bytes);
	assert_int_equal(symbols_value(fd, "first", &value, &size), 0);
	assert_int_equal(value, 0x1000);
	assert_int_equal(symbols_value(fd, "third", &value, &size), -ENOENT);
	close(fd);
	str_release(&bytes);
}

static void notes_with_lying_lengths_have_no_build_id(void **state)
{
	static const uint32_t lies[] = {UINT32_MAX, UINT32_MAX - 3, 1u << 31, 4096, 21};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 2; k++) {
			struct str bytes = {0};
			struct elf_file file;
			Elf64_Nhdr *note;
			uint8_t id[64];

			make(&bytes);
			note = (void *)(bytes.text + section_of(&bytes, 2)->sh_offset);
			*(k ? &note->n_namesz : &note->n_descsz) = lies[i];
			file = open_of(&bytes);
			assert_int_equal(elf_file_build_id(&file, id, sizeof(id)), 0);
			done(&file);
			str_release(&bytes);
		}
}

static void notes_of_any_number_are_not_all_read(void **state)
{
	static char zeros[1 << 20];
	Elf64_Shdr section = {.sh_type = SHT_NOTE};
	struct str bytes = {0};
	struct elf_file file;
	struct forge forge;
	uint64_t before;
	uint8_t id[64];

	(void)state;
	forge_begin(&forge);
	forge_section(&forge, ".notes", section, zeros, sizeof(zeros));
	for (size_t i = 2; i < FORGE_SECTIONS - 1; i++) {
		forge_section(&forge, ".notes", section, "", 0);
		forge.sections[i].sh_offset = forge.sections[1].sh_offset;
		forge.sections[i].sh_size = forge.sections[1].sh_size;
	}
	forge_end(&forge, &bytes);
	file = open_of(&bytes);
	before = made_file_read();
	assert_int_equal(elf_file_build_id(&file, id, sizeof(id)), 0);
	assert_in_range(made_file_read() - before, 0, 2 * sizeof(zeros));
	done(&file);
	str_release(&bytes);
}

static void of_a_huge_file_only_what_is_asked_for_is_read(void **state)
{
	struct str bytes = {0};
	struct elf_file file;
	uint64_t before, value, size;
	uint8_t id[64];
	char text[64];
	int fd;

	(void)state;
	make(&bytes);
	section_of(&bytes, 3)->sh_size = 1ull << 36;
	section_of(&bytes, 1)->sh_size = 1ull << 36;
	fd = file_of(&bytes);
	assert_int_equal(ftruncate(fd, 1ll << 37), 0);
	before = made_file_read();
	assert_int_equal(elf_file_open(&file, fd), 0);
	assert_int_equal(elf_file_build_id(&file, id, sizeof(id)), strlen(ID));
	assert_int_equal(elf_file_text(&file, &file.sections[3], 1, text, sizeof(text)), 5);
	assert_null(elf_file_data(&file, &file.sections[1], 1 << 20));
	assert_true(symbols_value(fd, "second", &value, &size) < 0);
	assert_in_range(made_file_read() - before, 0, 1 << 16);
	done(&file);
	str_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_file_has_is_told),
		cmocka_unit_test(a_file_cut_short_while_it_is_open_has_nothing_more),
		cmocka_unit_test(what_lies_beyond_the_end_is_not_there),
		cmocka_unit_test(names_without_an_end_are_none),
		cmocka_unit_test(sections_that_lead_in_circles_are_survived),
		cmocka_unit_test(a_hash_that_never_ends_is_left),
		cmocka_unit_test(notes_with_lying_lengths_have_no_build_id),
		cmocka_unit_test(notes_of_any_number_are_not_all_read),
		cmocka_unit_test(of_a_huge_file_only_what_is_asked_for_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
