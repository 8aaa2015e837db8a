/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"

#include <string.h>

#include "tests/unit/unit.h"

struct point {
	int x;
	long y;
};

static ARRAY(struct point) no_points;

static int by_x_downward(const void *a, const void *b)
{
	return ((const struct point *)b)->x - ((const struct point *)a)->x;
}

static void items_stay_in_order_while_the_array_grows(void **state)
{
	ARRAY(struct point) points = {0};
	struct point *point;
	int expected = 0;

	for (int i = 0; i < 1000; i++)
		array_add(&points)->x = i;
	assert_int_equal(points.nr, 1000);
	array_for_each(&points, point) {
		assert_int_equal(point->x, expected++);
		assert_int_equal(point->y, 0);
	}
	assert_int_equal(expected, 1000);
	array_release(&points);
}

static void an_added_item_is_zeroed_also_where_an_older_one_lay(void **state)
{
	ARRAY(struct point) points = {0};

	array_add(&points)->y = 7;
	points.nr = 0;
	assert_int_equal(array_add(&points)->y, 0);
	array_release(&points);
}

static void many_are_added_side_by_side(void **state)
{
	ARRAY(int) numbers = {0};
	int *three;

	*array_add(&numbers) = 1;
	three = array_add_many(&numbers, 3);
	assert_int_equal(numbers.nr, 4);
	assert_ptr_equal(three, &numbers.items[1]);
	assert_int_equal(three[0] + three[1] + three[2], 0);
	assert_int_equal(numbers.items[0], 1);
	array_release(&numbers);
}

static void sorting_sorts_and_takes_the_empty_array(void **state)
{
	ARRAY(struct point) points = {0};

	array_sort(&no_points, by_x_downward);
	for (int i = 0; i < 10; i++)
		array_add(&points)->x = (i * 7) % 10;
	array_sort(&points, by_x_downward);
	for (int i = 0; i < 10; i++)
		assert_int_equal(points.items[i].x, 9 - i);
	array_release(&points);
}

static int by_x(const void *a, const void *b)
{
	return ((const struct point *)a)->x - ((const struct point *)b)->x;
}

/* Lists in order, one behind another, as what is known of several threads comes. */
static void lists_that_are_in_order_become_one(void **state)
{
	for (int lists = 1; lists <= 9; lists++) {
		ARRAY(struct point) points = {0};

		for (int list = 0; list < lists; list++)
			for (int i = 0; i < 20 + 7 * list; i++)
				*array_add(&points) = (struct point){i * 3 + list % 4, list};
		array_sort(&points, by_x);
		for (size_t i = 1; i < points.nr; i++) {
			const struct point *before = &points.items[i - 1], *at = before + 1;

			assert_true(before->x <= at->x);
			if (before->x == at->x)
				assert_true(before->y < at->y);
		}
		array_release(&points);
	}
}

/* An item that is too large to be moved more often than it must. */
struct large {
	int x, y;
	char more[120];
};

static int by_large_x(const void *a, const void *b)
{
	return ((const struct large *)a)->x - ((const struct large *)b)->x;
}

static void large_items_come_whole_to_their_places(void **state)
{
	for (int lists = 1; lists <= 40; lists += 3) {
		ARRAY(struct large) all = {0};

		for (int list = 0; list < lists; list++)
			for (int i = 0; i < 20 + list; i++) {
				struct large *item = array_add(&all);

				item->x = i * 3 + list % 4;
				item->y = list;
				memset(item->more, item->x ^ item->y, sizeof(item->more));
			}
		array_sort(&all, by_large_x);
		for (size_t i = 0; i < all.nr; i++) {
			const struct large *at = &all.items[i];

			for (size_t k = 0; k < sizeof(at->more); k++)
				assert_int_equal(at->more[k], (char)(at->x ^ at->y));
			if (!i)
				continue;
			assert_true(at[-1].x <= at->x);
			if (at[-1].x == at->x)
				assert_true(at[-1].y < at->y);
		}
		array_release(&all);
	}
}

static size_t x_of(const void *item)
{
	return (size_t)((const struct large *)item)->x;
}

static void items_are_grouped_by_number_and_else_stay_as_they_stand(void **state)
{
	ARRAY(struct large) all = {0};
	size_t sum = 0;

	array_group_items(NULL, 0, sizeof(struct large), 3, x_of);
	for (int i = 0; i < 1000; i++)
		*array_add(&all) = (struct large){.x = i * i % 31, .y = i};
	array_group_items(all.items, all.nr, sizeof(*all.items), 31, x_of);
	for (size_t i = 0; i < all.nr; i++) {
		const struct large *at = &all.items[i];

		assert_int_equal(at->x, at->y * at->y % 31);
		sum += (size_t)at->y;
		if (i)
			assert_true(at[-1].x < at->x || (at[-1].x == at->x && at[-1].y < at->y));
	}
	assert_int_equal(sum, 999 * 1000 / 2);
	array_release(&all);
}

static void a_released_array_is_empty_and_can_be_used_again(void **state)
{
	ARRAY(int) numbers = {0};
	int *number;

	array_release(&numbers);
	*array_add(&numbers) = 1;
	array_release(&numbers);
	array_for_each(&numbers, number)
		fail();
	*array_add(&numbers) = 2;
	assert_int_equal(numbers.items[0], 2);
	array_release(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_stay_in_order_while_the_array_grows),
		cmocka_unit_test(an_added_item_is_zeroed_also_where_an_older_one_lay),
		cmocka_unit_test(many_are_added_side_by_side),
		cmocka_unit_test(sorting_sorts_and_takes_the_empty_array),
		cmocka_unit_test(lists_that_are_in_order_become_one),
		cmocka_unit_test(large_items_come_whole_to_their_places),
		cmocka_unit_test(items_are_grouped_by_number_and_else_stay_as_they_stand),
		cmocka_unit_test(a_released_array_is_empty_and_can_be_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
