/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <string.h>

#include "tests/unit/unit.h"

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
	struct arena arena = {0};
	unsigned char *pieces[5000];

	for (size_t i = 0; i < 5000; i++) {
		size_t size = 1 + i % 97;

		pieces[i] = arena_alloc(&arena, size, 1);
		assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
		for (size_t at = 0; at < size; at++)
			assert_int_equal(pieces[i][at], 0);
		memset(pieces[i], (int)(i % 251), size);
	}
	for (size_t i = 0; i < 5000; i++)
		for (size_t at = 0; at < 1 + i % 97; at++)
			assert_int_equal(pieces[i][at], i % 251);
	arena_release(&arena);
}

static void a_big_piece_moves_nothing_and_wastes_nothing(void **state)
{
	struct arena arena = {0};
	char *before = arena_text(&arena, "before");
	char *big = arena_alloc(&arena, 1 << 20, 3);
	char *after = arena_text(&arena, "after");

	memset(big, 'x', 3 << 20);
	assert_string_equal(before, "before");
	assert_string_equal(after, "after");
	assert_true(after > before && after - before < 64);
	arena_release(&arena);
}

static void the_first_piece_may_be_big(void **state)
{
	struct arena arena = {0};
	char *big = arena_alloc(&arena, 1 << 20, 1);

	memset(big, 'x', 1 << 20);
	assert_string_equal(arena_text(&arena, "small"), "small");
	arena_release(&arena);
}

static void text_is_copied_formatted_and_cut(void **state)
{
	struct arena arena = {0};
	const char unterminated[3] = {'a', 'b', 'c'};

	assert_string_equal(arena_printf(&arena, "rank %d of %s", 3, "world"), "rank 3 of world");
	assert_string_equal(arena_text_max(&arena, unterminated, 3), "abc");
	assert_string_equal(arena_text_max(&arena, "ab", 100), "ab");
	assert_memory_equal(arena_copy(&arena, "a\0b", 3), "a\0b", 3);
	arena_release(&arena);
}

static void typed_objects_fit(void **state)
{
	struct arena arena = {0};
	struct arena *one = arena_new(&arena, struct arena);
	int *many = arena_new_many(&arena, int, 1000);

	assert_null(one->newest);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(many[i], 0);
	arena_release(&arena);
	arena_release(&arena);
	arena_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
		cmocka_unit_test(a_big_piece_moves_nothing_and_wastes_nothing),
		cmocka_unit_test(the_first_piece_may_be_big),
		cmocka_unit_test(text_is_copied_formatted_and_cut),
		cmocka_unit_test(typed_objects_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
