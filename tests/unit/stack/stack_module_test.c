/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: where an object's addresses are in a process, and headers that are not to be trusted. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/stack_object.h"

static struct module *add(struct modules *modules, struct object *object)
{
	return modules_add(modules, 0x800000001, 77, "/lib/object.so", &object->memory, NULL);
}

static Elf64_Phdr *segment(struct object *object, size_t i)
{
	return &object->elf.segments[i];
}

static Elf64_Ehdr *header(struct object *object)
{
	return &object->elf.header;
}

static void headers_are_read_from_the_image(void **state)
{
	struct modules *modules = modules_new();
	struct object object;
	struct module *module;

	(void)state;
	object_make(&object);
	module = add(modules, &object);
	assert_non_null(module);
	assert_int_equal(module->nloads, 2);
	assert_int_equal(module->loads[1].vaddr, OBJECT_TEXT);
	assert_true(module->loads[1].executable);
	assert_false(module->loads[0].executable);
	assert_int_equal(module->eh_frame_hdr, OBJECT_HDR);
	assert_int_equal(module->eh_frame_hdr_size, 20);
	assert_int_equal(module->build_id_len, 8);
	assert_memory_equal(module->build_id, "buildid!", 8);
	assert_string_equal(module->path, "/lib/object.so");
	assert_int_equal(modules_count(modules), 1);
	assert_ptr_equal(modules_at(modules, 0), module);
	modules_free(modules);
}

static void program_headers_may_stand_anywhere_in_the_file(void **state)
{
	struct modules *modules = modules_new();
	struct object object;

	(void)state;
	object_make(&object);
	/* At the end of the file, where patchelf puts them: at that offset, not at that address. */
	memcpy(object.file + OBJECT_SIZE - 256, segment(&object, 0), 4 * sizeof(Elf64_Phdr));
	memset(segment(&object, 0), 0xee, 4 * sizeof(Elf64_Phdr));
	header(&object)->e_phoff = OBJECT_SIZE - 256;
	assert_non_null(add(modules, &object));
	modules_free(modules);
}

static void a_map_tells_the_bias_by_its_offset(void **state)
{
	struct stack_maps maps = {.cut = false};
	struct modules *modules = modules_new();
	struct object object;
	struct module *module;
	uint64_t bias;

	(void)state;
	object_make(&object);
	/* Three segments of code, as linkers of large objects make them; two share a page. */
	segment(&object, 2)->p_type = PT_LOAD;
	segment(&object, 2)->p_flags = PF_R | PF_W;
	segment(&object, 2)->p_offset = 0x1ff0;
	segment(&object, 2)->p_vaddr = 0x8ff0;
	segment(&object, 2)->p_filesz = segment(&object, 2)->p_memsz = 0x10;
	segment(&object, 3)->p_type = PT_LOAD;
	segment(&object, 3)->p_flags = PF_R | PF_X;
	segment(&object, 3)->p_offset = 0x7000;
	segment(&object, 3)->p_vaddr = 0x40000;
	segment(&object, 3)->p_filesz = segment(&object, 3)->p_memsz = 0x2000;
	module = add(modules, &object);
	assert_non_null(module);
	stack_maps_parse(&maps, OBJECT_MAPS, strlen(OBJECT_MAPS));
	assert_ptr_equal(modules_find(modules, &maps.all.items[1]), module);
	assert_true(module_bias(module, &maps.all.items[0], &bias));
	assert_int_equal(bias, OBJECT_BASE);
	assert_true(module_bias(module, &maps.all.items[1], &bias));
	assert_int_equal(bias, OBJECT_BASE);
	assert_true(module_bias(module,
		&(struct stack_map){.start = 0x5008000, .end = 0x5009000, .offset = 0x1000,
			.writable = true},
		&bias));
	assert_int_equal(bias, 0x5000000);
	/* The second page of a segment alone, since the first was made writable. */
	assert_true(module_bias(module,
		&(struct stack_map){.start = 0x5041000, .end = 0x5042000, .offset = 0x8000,
			.executable = true},
		&bias));
	assert_int_equal(bias, 0x5000000);
	assert_false(module_bias(module,
		&(struct stack_map){.start = 0x1000, .end = 0x2000, .offset = 0x9000}, &bias));
	assert_false(module_bias(module,
		&(struct stack_map){.start = 0x1001, .end = 0x2000, .offset = 0}, &bias));
	stack_maps_release(&maps);
	modules_free(modules);
}

static void what_is_no_object_of_this_machine_is_refused(void **state)
{
	struct modules *modules = modules_new();
	struct complaint why = {0};
	struct object object;

	(void)state;
#define REFUSED(change)                                                                            \
	do {                                                                                       \
		object_make(&object);                                                              \
		change;                                                                            \
		assert_null(modules_add(modules, 1, 2, "/x", &object.memory, &why));               \
		assert_non_null(strstr(complaint_text(&why), "/x"));                               \
	} while (0)
	REFUSED(object.file[0] = 0);
	REFUSED(header(&object)->e_ident[EI_CLASS] = ELFCLASS32);
	REFUSED(header(&object)->e_ident[EI_DATA] = ELFDATA2MSB);
	REFUSED(header(&object)->e_machine = EM_AARCH64);
	REFUSED(header(&object)->e_type = ET_CORE);
	REFUSED(header(&object)->e_phentsize = 32);
	REFUSED(header(&object)->e_phnum = 0);
	REFUSED(header(&object)->e_phnum = 0xffff);
	REFUSED(header(&object)->e_phoff = UINT64_MAX - 8);
	REFUSED(header(&object)->e_phoff = OBJECT_SIZE - 8);
	REFUSED(segment(&object, 1)->p_vaddr = UINT64_MAX - 0xfff);
	REFUSED(segment(&object, 1)->p_memsz = UINT64_MAX);
	REFUSED(segment(&object, 1)->p_filesz = 0x1001);
	REFUSED(segment(&object, 1)->p_offset = 0x1001);
	REFUSED(segment(&object, 0)->p_type = segment(&object, 1)->p_type = PT_NULL);
	assert_int_equal(modules_count(modules), 0);
	complaint_release(&why);
	modules_free(modules);
}

static void damaged_notes_give_no_build_id(void **state)
{
	struct modules *modules = modules_new();
	struct object object;

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		object_make(&object);
		object.file[OBJECT_NOTE + i] = 0xff;
		assert_non_null(add(modules, &object));
		assert_int_equal(
			modules_at(modules, modules_count(modules) - 1)->build_id_len, 0);
	}
	object_make(&object);
	segment(&object, 3)->p_offset = OBJECT_SIZE - 4;
	assert_int_equal(add(modules, &object)->build_id_len, 0);
	modules_free(modules);
}

static void any_flipped_byte_of_the_headers_is_survived(void **state)
{
	struct object object;

	(void)state;
	for (size_t at = 0; at < OBJECT_CIE; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct modules *modules = modules_new();

			object_make(&object);
			object.file[at] ^= (unsigned char)(1u << bit);
			add(modules, &object);
			modules_free(modules);
		}
}

static void modules_are_known_by_their_file_or_by_name_without_one(void **state)
{
	struct modules *modules = modules_new();
	struct stack_map map = {.dev = 1, .ino = 2, .path = "/other"};
	struct module *file, *vdso;
	struct object object;

	(void)state;
	object_make(&object);
	file = modules_add(modules, 1, 2, "/a", &object.memory, NULL);
	vdso = modules_add(modules, 0, 0, "[vdso]", &object.memory, NULL);
	for (uint64_t i = 10; i < 3000; i++)
		assert_non_null(modules_add(modules, 1, i, "/b", &object.memory, NULL));
	assert_ptr_equal(modules_find(modules, &map), file);
	map.dev = 2;
	assert_null(modules_find(modules, &map));
	map = (struct stack_map){.path = "[vdso]"};
	assert_ptr_equal(modules_find(modules, &map), vdso);
	map.path = "[vvar]";
	assert_null(modules_find(modules, &map));
	map = (struct stack_map){.dev = 1, .ino = 2999, .path = "/b"};
	assert_int_equal(modules_find(modules, &map)->ino, 2999);
	modules_free(modules);
}

static void symbols_are_found_by_the_address_asked_about(void **state)
{
	struct modules *modules = modules_new();
	const struct module_symbol symbols[] = {
		{.at = 0x3005, .start = 0x3000, .function = "second", .file = "b.c", .line = 7},
		{.at = 0x2005, .start = 0x2000, .function = "first", .file = ""},
	};
	struct object object;
	struct module *module;

	(void)state;
	object_make(&object);
	module = add(modules, &object);
	assert_null(module_symbol_at(module, 0x2005));
	module_set_symbols(module, symbols, 2);
	assert_string_equal(module_symbol_at(module, 0x2005)->function, "first");
	assert_string_equal(module_symbol_at(module, 0x3005)->file, "b.c");
	assert_int_equal(module_symbol_at(module, 0x3005)->line, 7);
	assert_null(module_symbol_at(module, 0x3004));
	module_set_symbols(module, symbols, 1);
	assert_null(module_symbol_at(module, 0x2005));
	module_set_symbols(module, NULL, 0);
	assert_null(module_symbol_at(module, 0x3005));
	modules_free(modules);
}

/* Section headers at 0x600, their names at 0x700: where .eh_frame is, of who has no table of it. */
static void object_set_sections(struct object *object, Elf64_Shdr eh_frame, uint16_t names)
{
	static const char texts[] = "\0.eh_frame_hdr\0.eh_frame";
	Elf64_Shdr sections[] = {{0}, eh_frame,
		{.sh_type = SHT_STRTAB, .sh_offset = 0x700, .sh_size = sizeof(texts)}};

	object_make(object);
	segment(object, 2)->p_type = PT_NULL;
	header(object)->e_shoff = 0x600;
	header(object)->e_shentsize = sizeof(Elf64_Shdr);
	header(object)->e_shnum = 3;
	header(object)->e_shstrndx = names;
	memcpy(object->file + 0x600, sections, sizeof(sections));
	memcpy(object->file + 0x700, texts, sizeof(texts));
}

static void without_a_table_the_sections_say_where_unwind_information_is(void **state)
{
	const Elf64_Shdr good = {.sh_name = 15, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC,
		.sh_addr = OBJECT_CIE, .sh_size = 0x400};
	Elf64_Shdr cases[] = {good, good, good, good, good, good, good};
	static const uint16_t names[] = {2, 2, 2, 2, 2, 2, 9};

	(void)state;
	cases[1].sh_name = 1;		      /* another one */
	cases[2].sh_name = UINT32_MAX;	      /* no name */
	cases[3].sh_flags = 0;		      /* not loaded */
	cases[4].sh_size = 0x1000;	      /* more than is */
	cases[5].sh_addr = UINT64_MAX - 0x10; /* nowhere */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct modules *modules = modules_new();
		struct object object;
		struct module *module;

		object_set_sections(&object, cases[i], names[i]);
		module = add(modules, &object);
		assert_non_null(module);
		assert_int_equal(module->eh_frame_hdr, 0);
		assert_int_equal(module->eh_frame, i ? 0 : OBJECT_CIE);
		assert_int_equal(module->eh_frame_size, i ? 0 : 0x400);
		modules_free(modules);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_read_from_the_image),
		cmocka_unit_test(without_a_table_the_sections_say_where_unwind_information_is),
		cmocka_unit_test(program_headers_may_stand_anywhere_in_the_file),
		cmocka_unit_test(a_map_tells_the_bias_by_its_offset),
		cmocka_unit_test(what_is_no_object_of_this_machine_is_refused),
		cmocka_unit_test(damaged_notes_give_no_build_id),
		cmocka_unit_test(any_flipped_byte_of_the_headers_is_survived),
		cmocka_unit_test(modules_are_known_by_their_file_or_by_name_without_one),
		cmocka_unit_test(symbols_are_found_by_the_address_asked_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
