/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static void the_empty_string_reads_as_one(void **state)
{
	struct str str = {0};
	char *text;

	assert_string_equal(str_text(&str), "");
	str_add(&str, "");
	str_add_bytes(&str, NULL, 0);
	str_cut(&str, 0);
	assert_int_equal(str.len, 0);
	text = str_detach(&str);
	assert_string_equal(text, "");
	free(text);
	str_release(&str);
	str_release(NULL);
}

static void it_grows_by_text_characters_bytes_and_format(void **state)
{
	struct str str = {0};

	str_add(&str, "rank");
	str_add_char(&str, ' ');
	str_printf(&str, "%d: %s", 3, "compiling");
	assert_string_equal(str.text, "rank 3: compiling");
	str_add_bytes(&str, "\0x", 2);
	assert_int_equal(str.len, strlen("rank 3: compiling") + 2);
	assert_memory_equal(str.text + 17, "\0x\0", 3);
	str_release(&str);
}

static void long_formats_are_whole(void **state)
{
	struct str str = {0};

	for (int i = 0; i < 300; i++) {
		str_cut(&str, 0);
		str_printf(&str, "%*d", i, 7);
		assert_int_equal(str.len, i < 1 ? 1 : i);
		assert_int_equal(str.text[str.len - 1], '7');
		assert_int_equal(str.text[str.len], '\0');
		str_release(&str);
	}
}

static void a_room_is_filled_by_others(void **state)
{
	struct str str = {0};

	str_add(&str, "ab");
	memcpy(str_room(&str, 1000), "cdef", 4);
	str_grow(&str, 4);
	assert_string_equal(str.text, "abcdef");
	str_cut(&str, 3);
	assert_string_equal(str.text, "abc");
	str_cut(&str, 100);
	assert_int_equal(str.len, 3);
	str_release(&str);
}

static void a_detached_text_is_the_callers(void **state)
{
	struct str str = {0};
	char *text;

	str_add(&str, "mine");
	text = str_detach(&str);
	assert_string_equal(text, "mine");
	assert_null(str.text);
	assert_int_equal(str.len, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_string_reads_as_one),
		cmocka_unit_test(it_grows_by_text_characters_bytes_and_format),
		cmocka_unit_test(long_formats_are_whole),
		cmocka_unit_test(a_room_is_filled_by_others),
		cmocka_unit_test(a_detached_text_is_the_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
