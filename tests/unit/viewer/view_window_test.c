/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of time and columns, with times up to both ends of what can be said. */
#include <stdbool.h>
#include <stdlib.h>

#include "tests/unit/unit.h"
#include "viewer/timeline/window.h"

static const struct window everything = {INT64_MIN, INT64_MAX};
static const struct window minute = {0, 60000};

static void assert_window(struct window is, int64_t from, int64_t to)
{
	assert_int_equal(is.from, from);
	assert_int_equal(is.to, to);
}

static void columns_share_the_window(void **state)
{
	assert_int_equal(window_at(minute, 60, 0), 0);
	assert_int_equal(window_at(minute, 60, 1), 1000);
	assert_int_equal(window_at(minute, 60, 60), 60000);
	assert_int_equal(window_at(minute, 60, 99), 60000);
	assert_int_equal(window_column(minute, 60, 999), 0);
	assert_int_equal(window_column(minute, 60, 1000), 1);
	assert_int_equal(window_column(minute, 60, -1), -1);
	assert_int_equal(window_column(minute, 60, 60000), 60);
}

static void the_longest_window_does_not_overflow(void **state)
{
	assert_int_equal(window_span(everything), UINT64_MAX);
	assert_int_equal(window_at(everything, 1024, 0), INT64_MIN);
	assert_int_equal(window_at(everything, 1024, 1024), INT64_MAX);
	assert_int_equal(window_column(everything, 1024, INT64_MAX - 1), 1023);
	assert_int_equal(window_column(everything, 2, 0), 1);
	assert_int_equal(window_earlier(INT64_MIN + 1, 5), INT64_MIN);
	assert_int_equal(window_later(INT64_MAX - 1, UINT64_MAX), INT64_MAX);
}

/* A column's times are its own: what it begins with, and the last before the next begins. */
static void every_time_has_one_column(void **state)
{
	srand(5);
	for (int round = 0; round < 20000; round++) {
		int64_t a = (int64_t)((uint64_t)rand() << 33 ^ (uint64_t)rand() << 11);
		uint64_t span = ((uint64_t)rand() << 31 | (uint64_t)rand()) >> rand() % 61;
		struct window w = {a, window_later(a, span + 1)};
		int width = 1 + rand() % 400, column = rand() % width;
		int64_t at = window_at(w, width, column), next = window_at(w, width, column + 1);

		assert_true(at >= w.from && at <= next && next <= w.to);
		if (at == next)
			continue;
		assert_int_equal(window_column(w, width, at), column);
		assert_int_equal(window_column(w, width, next - 1), column);
	}
}

static void zooming_keeps_the_time_in_its_column(void **state)
{
	struct window w = window_zoom(minute, minute, 15000, 1, 2, 10);

	assert_window(w, 7500, 37500);
	assert_window(window_zoom(w, minute, 15000, 2, 1, 10), 0, 60000);
	/* At a bound it is the bound that stays. */
	assert_window(window_zoom(minute, minute, 0, 1, 2, 10), 0, 30000);
	assert_window(window_zoom(minute, minute, 60000, 1, 2, 10), 30000, 60000);
	assert_window(window_zoom((struct window){5, 15}, minute, 10, 1, 2, 10), 5, 15);
	assert_window(window_zoom((struct window){5, 6}, minute, 5, 3, 2, 1), 5, 7);
	assert_window(window_zoom(everything, everything, 0, 2, 1, 10), INT64_MIN, INT64_MAX);
}

static void what_moves_stays_within_bounds(void **state)
{
	struct window w = {1000, 2000};

	assert_window(window_within(minute, -500, 1000), 0, 1000);
	assert_window(window_within(minute, 59500, 1000), 59000, 60000);
	assert_window(window_within(minute, INT64_MAX, 1000), 59000, 60000);
	assert_window(window_within(minute, 7, UINT64_MAX), 0, 60000);
	assert_window(window_centre(w, minute, 30000), 29500, 30500);
	assert_window(window_centre(w, minute, 0), 0, 1000);
	assert_window(window_show(w, minute, 1500), 1000, 2000);
	assert_window(window_show(w, minute, 500), 500, 1500);
	assert_window(window_show(w, minute, 2000), 1001, 2001);
	assert_window(window_show(w, minute, 60000), 59000, 60000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_share_the_window),
		cmocka_unit_test(the_longest_window_does_not_overflow),
		cmocka_unit_test(every_time_has_one_column),
		cmocka_unit_test(zooming_keeps_the_time_in_its_column),
		cmocka_unit_test(what_moves_stays_within_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
