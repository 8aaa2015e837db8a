/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bisect.h"

#include <stdbool.h>

#include "tests/unit/unit.h"

static const int ages[] = {3, 5, 5, 5, 8, 13};

#define N (sizeof(ages) / sizeof(ages[0]))

static size_t first_from(int age)
{
	return bisect(0, N, i, ages[i] < age);
}

static size_t first_above(int age)
{
	return bisect(0, N, i, ages[i] <= age);
}

static void of_none_it_is_the_first_place(void **state)
{
	(void)state;
	assert_int_equal(bisect(0, 0, i, ages[i] < 5), 0);
	assert_int_equal(bisect(3, 3, i, ages[i] < 100), 3);
	assert_int_equal(bisect(4, 2, i, ages[i] < 100), 4);
}

static void where_all_are_before_it_is_the_end(void **state)
{
	(void)state;
	assert_int_equal(first_from(14), N);
	assert_int_equal(first_above(13), N);
	assert_int_equal(bisect(2, 5, i, ages[i] < 100), 5);
}

static void where_none_is_before_it_is_the_begin(void **state)
{
	(void)state;
	assert_int_equal(first_from(0), 0);
	assert_int_equal(first_above(2), 0);
	assert_int_equal(bisect(2, 5, i, ages[i] < 0), 2);
}

static void the_first_and_the_last_are_found(void **state)
{
	(void)state;
	assert_int_equal(first_from(3), 0);
	assert_int_equal(first_above(3), 1);
	assert_int_equal(first_from(13), N - 1);
	assert_int_equal(first_above(12), N - 1);
}

static void of_several_alike_it_is_the_first_or_behind_the_last(void **state)
{
	(void)state;
	assert_int_equal(first_from(5), 1);
	assert_int_equal(first_above(5), 4);
	assert_int_equal(bisect(2, N, i, ages[i] < 5), 2);
	assert_int_equal(bisect(0, 3, i, ages[i] <= 5), 3);
}

/* Beside the plain way, in any part of any length, with the end at any place. */
static void any_part_is_searched_as_place_by_place(void **state)
{
	(void)state;
	for (size_t from = 0; from < 20; from++)
		for (size_t to = from; to < 40; to++)
			for (size_t end = 0; end < 42; end++) {
				size_t first = from;

				while (first < to && first < end)
					first++;
				assert_int_equal(bisect(from, to, i, i < end), first);
			}
}

static void bounds_are_evaluated_once(void **state)
{
	size_t from = 0, to = N;

	(void)state;
	assert_int_equal(bisect(from++, to--, i, ages[i] < 8), 4);
	assert_int_equal(from, 1);
	assert_int_equal(to, N - 1);
}

/* Counts the question; each place is asked about once. */
static bool is_below_77(size_t at, bool *asked, size_t *n)
{
	assert_false(asked[at]);
	asked[at] = true;
	++*n;
	return at < 77;
}

static void few_places_are_asked_about_and_each_once(void **state)
{
	static bool asked[1 << 16];
	size_t n = 0;

	(void)state;
	assert_int_equal(bisect(0, 1 << 16, i, is_below_77(i, asked, &n)), 77);
	assert_in_range(n, 16, 17);
}

/* There is no sum of the bounds that could be too large. */
static void places_may_be_as_large_as_they_get(void **state)
{
	(void)state;
	assert_true(bisect(0, SIZE_MAX, i, i < SIZE_MAX - 1) == SIZE_MAX - 1);
	assert_true(bisect(SIZE_MAX - 4, SIZE_MAX, i, i < SIZE_MAX - 2) == SIZE_MAX - 2);
}

/* The name of the place is a name in the condition only: members and texts keep theirs. */
static void the_place_may_be_called_as_a_member_is(void **state)
{
	const struct {
		int i;
	} list[] = {{1}, {2}, {4}}, key = {.i = 3};

	(void)state;
	assert_int_equal(bisect(0, 3, i, list[i].i < key.i), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_none_it_is_the_first_place),
		cmocka_unit_test(where_all_are_before_it_is_the_end),
		cmocka_unit_test(where_none_is_before_it_is_the_begin),
		cmocka_unit_test(the_first_and_the_last_are_found),
		cmocka_unit_test(of_several_alike_it_is_the_first_or_behind_the_last),
		cmocka_unit_test(any_part_is_searched_as_place_by_place),
		cmocka_unit_test(bounds_are_evaluated_once),
		cmocka_unit_test(few_places_are_asked_about_and_each_once),
		cmocka_unit_test(places_may_be_as_large_as_they_get),
		cmocka_unit_test(the_place_may_be_called_as_a_member_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
