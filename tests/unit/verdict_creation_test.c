/* SPDX-License-Identifier: Apache-2.0 */
/* Groups made in different orders: one name, and other ranks in it. */
#include "tests/unit/unit.h"

#include "tests/unit/facts.h"

/* Two groups of which some ranks say that they are one: by this name, with these ranks. */
static int made_as(struct facts *f, int group, int as, const char *name, const char *ranks)
{
	if (as >= 0)
		f->group_keys[group] = f->group_keys[as];
	f->group_makers[group] = "gloo";
	f->group_names[group] = name;
	f->group_ranks[group] = ranks;
	return group;
}

/*
 * Of four ranks all but 2 make [0,1], then [2,3]; rank 2 the other way round. So 2 is in its first
 * group alone, and 3 in its second. `told`: PyTorch says whom each list has.
 */
static struct facts *other_order(bool told)
{
	struct facts *f = facts_new(4);
	int first = made_as(f, facts_group_of(f, 2, 0, 1), -1, "1", told ? "0-1" : NULL);
	int wrong = made_as(f, facts_group_of(f, 2, 2, 3), first, "1", told ? "2-3" : NULL);
	int second = made_as(f, facts_group_of(f, 2, 2, 3), -1, "2", told ? "2-3" : NULL);

	for (int rank = 0; rank < 4; rank++)
		facts_trait(f, rank, "backend", "gloo", -1)->when = facts_ns(5);
	facts_rounds(f, 0, 4, 10, 1);
	facts_in_init(f, first, 0, 40);
	facts_in_init(f, first, 1, 40);
	facts_in_init(f, wrong, 2, 40);
	facts_unseen(f, wrong, 3);
	facts_in_init(f, second, 3, 40);
	facts_unseen(f, second, 2);
	return f;
}

static void who_lists_other_ranks_is_to_blame(void **state)
{
	struct facts *f = other_order(true);

	facts_trait(f, 3, "group-made:1", "0-1", -1);
	facts_expect_cause(f, VERDICT_ORDER_INVERSION, "2", VERDICT_BY_GROUP_CREATION);
	facts_expect(f, VERDICT_ORDER_INVERSION, "2", "0,1,3");
	facts_free(f);
	(void)state;
}

/* Rank 3 has said nothing of the first group: it may be on the side of rank 2. */
static void who_has_not_come_to_it_may_be_of_either_side(void **state)
{
	struct facts *f = other_order(true);

	facts_expect_cause(f, VERDICT_ORDER_INVERSION, "", VERDICT_BY_GROUP_CREATION);
	facts_free(f);
	(void)state;
}

/* Of two who hold one seat nobody knows who is wrong. */
static void without_lists_nobody_is_blamed(void **state)
{
	struct facts *f = other_order(false);

	facts_expect_cause(f, VERDICT_ORDER_INVERSION, "", VERDICT_BY_GROUP_CREATION);
	facts_free(f);
	(void)state;
}

/* Names that collide where each group is found by its own members all the same, and used. */
static void where_nobody_waits_nothing_is_wrong(void **state)
{
	struct facts *f = facts_new(4);
	int first = made_as(f, facts_group_of(f, 2, 0, 1), -1, "1", "0-1");
	int other = made_as(f, facts_group_of(f, 2, 2, 3), first, "1", "2-3");

	facts_rounds(f, 0, 4, 10, 1);
	facts_rounds(f, first, 4, 20, 1);
	facts_rounds(f, other, 4, 20, 1);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
	(void)state;
}

/* The same group, of which each member says the same, waits for one that does not come. */
static void one_list_is_no_contradiction(void **state)
{
	struct facts *f = facts_missing(4, 2, 50);
	int part = made_as(f, facts_group_of(f, 2, 0, 1), -1, "1", "0-1");

	facts_rounds(f, part, 2, 20, 1);
	facts_expect(f, VERDICT_HOST_STALL, "2", NULL);
	facts_free(f);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_lists_other_ranks_is_to_blame),
		cmocka_unit_test(who_has_not_come_to_it_may_be_of_either_side),
		cmocka_unit_test(without_lists_nobody_is_blamed),
		cmocka_unit_test(where_nobody_waits_nothing_is_wrong),
		cmocka_unit_test(one_list_is_no_contradiction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
