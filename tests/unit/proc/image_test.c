/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes stand for a mapped object: its file, if that is still the one, else the memory that
 * it is mapped in. tests/stack/native.test does it with living processes; here the maps are those
 * of a core, and all bytes are chosen.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/symbols/image.h"
#include "tests/unit/stack_object.h"

/* A memory that has the object mapped as OBJECT_MAPS says, and a vDSO. */
#define VDSO 0x7f4400000000ull
struct mapped {
	struct stack_memory memory;
	struct object object;
};

static int mapped_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct mapped *mapped = (struct mapped *)memory;
	uint64_t in_vdso = at - VDSO;

	if (at >= VDSO && in_vdso < OBJECT_SIZE && len <= OBJECT_SIZE - in_vdso) {
		memcpy(to, mapped->object.file + in_vdso, len);
		return 0;
	}
	if (at < OBJECT_BASE)
		return -EFAULT;
	return object_read(&mapped->object.memory, at - OBJECT_BASE, to, len);
}

struct story {
	char path[64]; /* of the object's file */
	struct mapped mapped;
	struct stack_maps maps;
	struct images *images;
	struct str missing;
};

static struct story *story_new(void)
{
	struct story *story = calloc(1, sizeof(*story));

	assert_non_null(story);
	strcpy(story->path, "/tmp/inquest-image-XXXXXX");
	close(mkstemp(story->path));
	story->mapped.memory.read = mapped_read;
	object_make(&story->mapped.object);
	story->images = images_new();
	return story;
}

static void story_put_file(const struct story *story, const void *bytes, size_t len)
{
	FILE *file = fopen(story->path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
}

static void story_open(struct story *story)
{
	struct str text = {0};

	str_printf(&text,
		"7f1100000000-7f1100001000 r--p 00000000 00:00 5 %s\n"
		"7f1100003000-7f1100004000 r-xp 00001000 00:00 5 %s\n"
		"7f2200000000-7f2200001000 r-xp 00000000 00:00 0\n"
		"7f4400000000-7f4400002000 r-xp 00000000 00:00 0 [vdso]\n",
		story->path, story->path);
	assert_int_equal(stack_maps_parse(&story->maps, text.text, text.len), 0);
	images_open(story->images, 0, &story->maps, &story->mapped.memory, &story->missing);
	str_release(&text);
}

/* The object's module; NULL none. */
static const struct module *story_module(const struct story *story)
{
	return modules_find(images_modules(story->images), &story->maps.all.items[1]);
}

static void story_end(struct story *story)
{
	images_free(story->images);
	stack_maps_release(&story->maps);
	str_release(&story->missing);
	unlink(story->path);
	free(story);
}

static uint8_t byte_of(const struct module *module, uint64_t at)
{
	uint8_t byte = 0;

	assert_int_equal(stack_memory_read(module->image, at, &byte, 1), 0);
	return byte;
}

static void a_file_with_the_build_id_in_memory_is_that_file(void **state)
{
	struct story *story = story_new();
	struct object file = story->mapped.object;
	const struct module *module;
	struct str bytes = {0};
	uint8_t byte;

	(void)state;
	file.file[0x1003] = 0x42;
	story_put_file(story, file.file, OBJECT_SIZE);
	story_open(story);
	module = story_module(story);
	assert_non_null(module);
	assert_false(module->replaced);
	assert_true(images_file(story->images, module) >= 0);
	assert_string_equal(str_text(&story->missing), "");
	assert_int_equal(byte_of(module, OBJECT_TEXT + 3), 0x42);
	assert_int_equal(
		stack_memory_read(module->image, OBJECT_TEXT + 0x1000, &byte, 1), -EFAULT);
	assert_int_equal(stack_memory_read(module->image, 0x1000, &byte, 1), -EFAULT);
	/* What was read is kept, to be packed. */
	excerpt_pack(images_excerpt(story->images, module), &bytes);
	assert_true(bytes.len > 64);
	str_release(&bytes);
	story_end(story);
}

static void another_file_of_that_name_is_not_taken_for_it(void **state)
{
	struct story *story = story_new();
	struct object file = story->mapped.object;
	const struct module *module;
	uint8_t byte;

	(void)state;
	file.file[OBJECT_NOTE + 16] ^= 1; /* the build id */
	file.file[0x1003] = 0x42;
	story_put_file(story, file.file, OBJECT_SIZE);
	story_open(story);
	module = story_module(story);
	assert_non_null(module);
	assert_true(module->replaced);
	assert_int_equal(images_file(story->images, module), -1);
	assert_non_null(strstr(str_text(&story->missing), story->path));
	assert_int_equal(byte_of(module, OBJECT_TEXT + 3), 0);
	assert_int_equal(byte_of(module, OBJECT_TEXT), 0xe8);
	assert_int_equal(byte_of(module, OBJECT_HDR), 1);
	/* The memory goes: what was read of it stays, and no more is read. */
	images_settle(story->images);
	memset(&story->mapped, 0, sizeof(story->mapped));
	assert_int_equal(byte_of(module, OBJECT_TEXT), 0xe8);
	assert_int_equal(
		stack_memory_read(module->image, OBJECT_TEXT + 0x800, &byte, 1), -EFAULT);
	story_end(story);
}

static void a_file_that_is_gone_is_read_out_of_memory(void **state)
{
	struct story *story = story_new();

	(void)state;
	unlink(story->path);
	story_open(story);
	assert_non_null(story_module(story));
	assert_true(story_module(story)->replaced);
	assert_int_equal(byte_of(story_module(story), OBJECT_TEXT + 16), 0xe8);
	story_end(story);
}

static void what_is_nowhere_is_left_out_and_said(void **state)
{
	struct story *story = story_new();

	(void)state;
	unlink(story->path);
	memset(story->mapped.object.file, 0, 64);
	story_open(story);
	assert_null(story_module(story));
	assert_non_null(strstr(str_text(&story->missing), "No such file"));
	/* Said once, and not tried again for the next process. */
	str_cut(&story->missing, 0);
	images_open(story->images, 0, &story->maps, &story->mapped.memory, &story->missing);
	assert_string_equal(str_text(&story->missing), "");
	story_end(story);
}

static void files_that_are_no_objects_are_no_modules(void **state)
{
	static const char text[] = "not an object, but mapped and executable: somebody's JIT";
	struct story *story = story_new();

	(void)state;
	memset(story->mapped.object.file, 0, 64);
	story_put_file(story, text, sizeof(text));
	story_open(story);
	assert_null(story_module(story));
	assert_string_equal(str_text(&story->missing), "");
	story_end(story);
}

static void the_vdso_is_copied(void **state)
{
	struct story *story = story_new();
	const struct module *vdso;

	(void)state;
	story_open(story);
	vdso = modules_find(images_modules(story->images), &story->maps.all.items[3]);
	assert_non_null(vdso);
	assert_string_equal(vdso->path, "[vdso]");
	assert_int_equal(images_file(story->images, vdso), -1);
	memset(&story->mapped, 0, sizeof(story->mapped));
	assert_int_equal(byte_of(vdso, OBJECT_TEXT), 0xe8);
	assert_null(images_excerpt(story->images, &(struct module){.ino = 1}));
	story_end(story);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_with_the_build_id_in_memory_is_that_file),
		cmocka_unit_test(another_file_of_that_name_is_not_taken_for_it),
		cmocka_unit_test(a_file_that_is_gone_is_read_out_of_memory),
		cmocka_unit_test(what_is_nowhere_is_left_out_and_said),
		cmocka_unit_test(files_that_are_no_objects_are_no_modules),
		cmocka_unit_test(the_vdso_is_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
