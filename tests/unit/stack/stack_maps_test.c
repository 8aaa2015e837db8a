/* SPDX-License-Identifier: Apache-2.0 */
/* Maps: the kernel's text, and what looks like it. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "stack/maps.h"

static size_t parse(struct stack_maps *maps, const char *text)
{
	return stack_maps_parse(maps, text, strlen(text));
}

static void a_line_is_taken_apart(void **state)
{
	struct stack_maps maps = {.cut = false};
	const struct stack_map *map;

	(void)state;
	assert_int_equal(parse(&maps, "7f00d0000000-7f00d0021000 r-xs 0001f000 fd:1b 123456789   "
				      "/a b/c.so\n"),
		0);
	assert_int_equal(maps.all.nr, 1);
	map = &maps.all.items[0];
	assert_int_equal(map->start, 0x7f00d0000000);
	assert_int_equal(map->end, 0x7f00d0021000);
	assert_int_equal(map->offset, 0x1f000);
	assert_int_equal(map->dev, 0xfdull << 32 | 0x1b);
	assert_int_equal(map->ino, 123456789);
	assert_true(map->readable && map->executable && map->shared && !map->writable);
	assert_false(map->deleted);
	assert_string_equal(map->path, "/a b/c.so");
	stack_maps_release(&maps);
}

static void names_may_be_deleted_strange_or_missing(void **state)
{
	struct stack_maps maps = {.cut = false};

	(void)state;
	assert_int_equal(parse(&maps, "1000-2000 rw-p 00000000 00:00 0 \n"
				      "2000-3000 rw-p 00000000 00:00 0\n"
				      "3000-4000 r-xp 00000000 08:01 7    /x (deleted)\n"
				      "4000-5000 r-xp 00000000 08:01 8    /two\\012lines\n"
				      "5000-6000 r-xp 00000000 08:01 9    /y (deleted) (deleted)\n"
				      "6000-7000 r-xp 00000000 00:00 0    [vdso]"),
		0);
	assert_int_equal(maps.all.nr, 6);
	assert_string_equal(maps.all.items[0].path, "");
	assert_string_equal(maps.all.items[1].path, "");
	assert_string_equal(maps.all.items[2].path, "/x");
	assert_true(maps.all.items[2].deleted);
	assert_string_equal(maps.all.items[3].path, "/two\nlines");
	assert_string_equal(maps.all.items[4].path, "/y (deleted)");
	assert_string_equal(maps.all.items[5].path, "[vdso]");
	stack_maps_release(&maps);
}

static void addresses_find_their_maps(void **state)
{
	struct stack_maps maps = {.cut = false};

	(void)state;
	assert_null(stack_maps_find(&maps, 0x1000));
	parse(&maps, "1000-2000 rw-p 0 0:0 0\n2000-3000 rw-p 0 0:0 0\n"
		     "5000-6000 rw-p 0 0:0 0\n"
		     "ffffffffff600000-ffffffffff601000 --xp 0 0:0 0 [v]\n");
	assert_null(stack_maps_find(&maps, 0xfff));
	assert_ptr_equal(stack_maps_find(&maps, 0x1000), &maps.all.items[0]);
	assert_ptr_equal(stack_maps_find(&maps, 0x1fff), &maps.all.items[0]);
	assert_ptr_equal(stack_maps_find(&maps, 0x2000), &maps.all.items[1]);
	assert_null(stack_maps_find(&maps, 0x3000));
	assert_ptr_equal(stack_maps_find(&maps, 0x5fff), &maps.all.items[2]);
	assert_ptr_equal(stack_maps_find(&maps, 0xffffffffff600000), &maps.all.items[3]);
	assert_null(stack_maps_find(&maps, UINT64_MAX));
	stack_maps_release(&maps);
}

static void what_makes_no_sense_is_left_out_and_counted(void **state)
{
	static const char *const bad[] = {"", "1000", "1000-", "1000-2000", "1000-2000 r-xp",
		"2000-1000 r-xp 0 0:0 0", "1000-1000 r-xp 0 0:0 0", "x000-2000 r-xp 0 0:0 0",
		"10000000000000000-10000000000000001 r-xp 0 0:0 0", "1000-2000 r-x 0 0:0 0",
		"1000-2000 r-xp 0 00 0", "1000-2000 r-xp 0 0:0 99999999999999999999",
		"1000-2000 r-xp 0 0:0 12x /y", "1000-2000 r-xp 0 100000000:0 1 /y",
		"-1000-2000 r-xp 0 0:0 0"};
	struct stack_maps maps = {.cut = false};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct str text = {0};

		str_printf(&text, "100-200 rw-p 0 0:0 0\n%s\n3000-4000 rw-p 0 0:0 0\n", bad[i]);
		assert_int_equal(stack_maps_parse(&maps, text.text, text.len), 1);
		assert_int_equal(maps.all.nr, 2);
		/* Cut anywhere, it is still no more than lines that are left out. */
		for (size_t cut = 0; cut < text.len; cut++)
			assert_true(stack_maps_parse(&maps, text.text, cut) <= 2);
		str_release(&text);
	}
	/* Overlapping ones, of which the first is believed. */
	assert_int_equal(
		parse(&maps, "1000-3000 rw-p 0 0:0 0\n2000-4000 rw-p 0 0:0 0\n0-10 r--p 0 0:0 0\n"),
		2);
	assert_int_equal(maps.all.nr, 1);
	stack_maps_release(&maps);
}

static void many_lines_are_read_and_more_than_the_cap_are_cut(void **state)
{
	struct stack_maps maps = {.cut = false};
	struct str text = {0};

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		str_printf(&text, "%lx-%lx r-xp 00000000 08:01 %lu    /lib/number %lu.so\n",
			0x10000 + i * 0x2000, 0x10000 + i * 0x2000 + 0x1000, i + 1, i);
	assert_int_equal(stack_maps_parse(&maps, text.text, text.len), 0);
	assert_int_equal(maps.all.nr, 20000);
	assert_false(maps.cut);
	assert_string_equal(stack_maps_find(&maps, 0x10000 + 19999 * 0x2000)->path,
		"/lib/number 19999.so");
	str_release(&text);
	for (uint64_t i = 0; i < STACK_MAPS_CAP + 1; i++)
		str_printf(&text, "%lx-%lx r--p 0 0:0 0\n", i * 16, i * 16 + 8);
	assert_int_equal(stack_maps_parse(&maps, text.text, text.len), 0);
	assert_int_equal(maps.all.nr, STACK_MAPS_CAP);
	assert_true(maps.cut);
	stack_maps_release(&maps);
	assert_false(maps.cut);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_taken_apart),
		cmocka_unit_test(names_may_be_deleted_strange_or_missing),
		cmocka_unit_test(addresses_find_their_maps),
		cmocka_unit_test(what_makes_no_sense_is_left_out_and_counted),
		cmocka_unit_test(many_lines_are_read_and_more_than_the_cap_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
