/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of ranks, however they came to be: added in order and out of it, twice, cut at the end, with
 * some left out, settled. What such a set has is what a plain array of marks has.
 */
#include "tests/unit/unit.h"

#include "verdict/inquiry.h"

#define RANKS 40
#define STEPS 20000

static uint32_t chance = 7;

static int draw_below(int n)
{
	chance = chance * 1664525 + 1013904223;
	return (int)((chance >> 8) % (uint32_t)n);
}

static struct rank_index of(int i)
{
	return (struct rank_index){i};
}

static void expect_same(const struct rank_list *list, const bool *marks)
{
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(rank_list_has(list, of(i)), marks[i]);
	assert_false(rank_list_has(list, NO_RANK));
	assert_false(rank_list_has(list, of(RANKS)));
}

/* The marks of what is there. */
static void mark(const struct rank_list *list, bool *marks)
{
	for (int i = 0; i < RANKS; i++)
		marks[i] = false;
	for (size_t i = 0; i < list->list.nr; i++)
		marks[list->list.items[i].i] = true;
}

static void leave_some_out(struct rank_list *list, bool *marks)
{
	bool out[RANKS];

	for (int i = 0; i < RANKS; i++) {
		out[i] = draw_below(3) == 0;
		marks[i] = marks[i] && !out[i];
	}
	rank_list_leave_out(list, out);
}

static void settle(struct rank_list *list)
{
	rank_list_settle(list);
	for (size_t i = 1; i < list->list.nr; i++)
		assert_true(list->list.items[i - 1].i < list->list.items[i].i);
}

static void step(struct rank_list *list, bool *marks)
{
	int what = draw_below(20), next = draw_below(RANKS);

	/* Mostly behind the last one, as judging has it. */
	if (what < 12 && list->list.nr)
		next = list->list.items[list->list.nr - 1].i + 1 + draw_below(2);
	if (what < 16 && next < RANKS) {
		rank_list_add(list, of(next));
		marks[next] = true;
	} else if (what == 16) {
		list->list.nr = (size_t)draw_below((int)list->list.nr + 1);
		mark(list, marks);
	} else if (what == 17) {
		leave_some_out(list, marks);
	} else if (what == 18) {
		settle(list);
	}
}

static void a_set_has_what_was_added(void **state)
{
	struct rank_list list = {0};
	bool marks[RANKS] = {0};

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		step(&list, marks);
		expect_same(&list, marks);
	}
	array_release(&list.list);
}

static void what_verdicts_carry_is_found(void **state)
{
	static const struct rank_index some[] = {{1}, {4}, {5}, {9}};
	const struct verdict_ranks ranks = {some, 4};

	(void)state;
	for (int i = -1; i < 11; i++)
		assert_int_equal(ranks_have(ranks, of(i)), i == 1 || i == 4 || i == 5 || i == 9);
	assert_false(ranks_have((struct verdict_ranks){NULL, 0}, of(0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_has_what_was_added),
		cmocka_unit_test(what_verdicts_carry_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
