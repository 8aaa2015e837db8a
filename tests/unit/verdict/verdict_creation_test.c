/* SPDX-License-Identifier: Apache-2.0 */
/* Groups made in different orders, of one name and other ranks; groups that were closed. */
#include "tests/unit/unit.h"

#include "tests/unit/judged.h"

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

/* One rank counts a rank more than there is: that is no order in which groups are made. */
static void who_was_given_another_world_size(void **state)
{
	for (int few = 0; few < 2; few++) {
		struct facts *f = facts_new(4);
		int mine = made_as(f, facts_group_of(f, 4, 0, 1, 2, 3), -1, "0", "0-3");
		int other = made_as(f, facts_group_of(f, 4, 0, 1, 2, 3), mine, "0", "0-4");

		facts_no_group(f);
		for (int rank = 0; rank < 4; rank++) {
			bool counts_more = rank >= (few ? 3 : 2);

			facts_unseen(f, counts_more ? mine : other, rank);
			facts_in_init(f, counts_more ? other : mine, rank, 10);
		}
		facts_expect_cause(f, VERDICT_NOT_STARTED, few ? "3" : "", VERDICT_BY_WORLD_SIZE);
		facts_free(f);
	}
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

/*
 * Six ranks make [0,1], [2,3], [4,5], then [0,2,4], [1,3,5]; rank 4 the second ones first. Its
 * first group has another size than that of the others, so no key tells that it is of the same
 * name; and some got through what they made with whomever they met.
 */
static struct facts *other_axes_first(void)
{
	struct facts *f = facts_new(6);
	int first = made_as(f, facts_group_of(f, 2, 0, 1), -1, "1", "0-1");
	int wrong = made_as(f, facts_group_of(f, 3, 0, 2, 4), -1, "1", "0,2,4");
	int late = made_as(f, facts_group_of(f, 3, 0, 2, 4), -1, "4", "0,2,4");
	int odd = made_as(f, facts_group_of(f, 3, 1, 3, 5), -1, "5", "1,3,5");
	int last = made_as(f, facts_group_of(f, 2, 4, 5), -1, "5", "4-5");

	for (int rank = 0; rank < 6; rank++)
		facts_trait(f, rank, "backend", "gloo", -1)->when = facts_ns(5);
	facts_rounds(f, 0, 6, 10, 1);
	facts_unseen(f, wrong, 0);
	facts_unseen(f, wrong, 2);
	for (int rank = 2; rank < 6; rank++)
		if (rank != 4)
			facts_trait(f, rank, "group-made:1", "0-1", -1)->when = facts_ns(20);
	facts_in_init(f, late, 0, 40);
	facts_in_init(f, late, 2, 40);
	facts_unseen(f, late, 4);
	facts_in_init(f, odd, 1, 40);
	facts_in_init(f, odd, 3, 40);
	facts_in_init(f, odd, 5, 40);
	facts_unseen(f, last, 5);
	facts_hold(f, last, 4, JOB_OP_ALLREDUCE, 64, 40);
	(void)first;
	return f;
}

static void lists_of_other_lengths_are_one_name_all_the_same(void **state)
{
	struct facts *f = other_axes_first();

	facts_expect_cause(f, VERDICT_ORDER_INVERSION, "4", VERDICT_BY_GROUP_CREATION);
	facts_expect(f, VERDICT_ORDER_INVERSION, "4", "0-3,5");
	facts_free(f);
	(void)state;
}

/* Rank 1 is not in the first group that it makes: only its word is there, and it is waited for. */
static void the_word_of_who_is_not_in_it_contradicts(void **state)
{
	struct facts *f = facts_new(4);
	int first = made_as(f, facts_group_of(f, 2, 0, 1), -1, "1", "0-1");

	facts_rounds(f, 0, 4, 10, 1);
	facts_in_init(f, first, 0, 40);
	facts_unseen(f, first, 1);
	facts_trait(f, 1, "group-made:1", "0,2", -1)->when = facts_ns(30);
	facts_trait(f, 2, "group-made:1", "0-1", -1)->when = facts_ns(30);
	facts_trait(f, 3, "group-made:1", "0-1", -1)->when = facts_ns(30);
	for (int rank = 1; rank < 4; rank++)
		facts_store(f, rank, "store_based_barrier_key:1", 40);
	facts_expect_cause(f, VERDICT_ORDER_INVERSION, "1", VERDICT_BY_GROUP_CREATION);
	facts_free(f);
	(void)state;
}

/* Both members of a pair are in its first operation; but a third takes it for one of its own. */
static void all_in_is_not_said_of_who_may_have_met_others(void **state)
{
	struct facts *f = facts_new(4);
	int pair = made_as(f, facts_group_of(f, 2, 0, 1), -1, "1", "0-1"), other;

	facts_rounds(f, 0, 4, 10, 1);
	facts_hold(f, pair, 0, JOB_OP_ALLREDUCE, 64, 40);
	facts_hold(f, pair, 1, JOB_OP_ALLREDUCE, 64, 40);
	facts_expect(f, VERDICT_TRANSPORT_STALL, "", "0,1");
	other = made_as(f, facts_group_of(f, 2, 0, 2), -1, "1", "0,2");
	facts_unseen(f, other, 0);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	facts_free(f);
	(void)state;
}

/* All groups were destroyed and made anew, and counted anew: other lists under the same names. */
static void what_was_before_the_groups_were_made_anew_is_over(void **state)
{
	struct facts *f = facts_new(4);
	int first = made_as(f, 0, -1, "0", "0-3");
	int pair = made_as(f, facts_group_of(f, 2, 0, 2), -1, "1", "0,2");

	for (int rank = 0; rank < 4; rank++)
		f->members[first][rank].fact.init_since = facts_ns(15);
	facts_rounds(f, 0, 4, 20, 1);
	facts_rounds(f, pair, 4, 30, 1);
	facts_trait(f, 2, "group-made:1", "0-1", -1)->when = facts_ns(10);
	facts_trait(f, 3, "group-made:1", "0-1", -1)->when = facts_ns(10);
	facts_enter_but(f, pair, 2, JOB_OP_ALLREDUCE, 64, 60);
	facts_outside(f, 2, 50);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0");
	facts_free(f);
	(void)state;
}

/* All parts of a split have one name, and other ranks: nobody took it for another. */
static void parts_of_a_split_have_one_name(void **state)
{
	struct facts *f = facts_new(6);
	int part = made_as(f, facts_group_of(f, 2, 0, 1), -1, "1", "0-1");
	int other = made_as(f, facts_group_of(f, 4, 2, 3, 4, 5), -1, "1", "2-5");

	facts_rounds(f, 0, 6, 10, 1);
	facts_rounds(f, part, 6, 20, 1);
	facts_rounds(f, other, 6, 20, 1);
	facts_enter_but(f, other, 5, JOB_OP_ALLREDUCE, 64, 60);
	facts_outside(f, 5, 50);
	facts_expect(f, VERDICT_HOST_STALL, "5", "2-4");
	facts_free(f);
	(void)state;
}

/* One of them looks for others by an id that nobody else has: that is no proof of another order. */
static void a_communicator_of_another_id(void **state)
{
	struct facts *f = facts_new(4);
	int a = facts_group_of(f, 4, 0, 1, 2, 3), b = facts_group_of(f, 4, 0, 1, 2, 3);
	struct job *job;
	struct verdicts *v;

	for (int i = 0; i < 4; i++) {
		facts_in_init(f, i == 2 ? b : a, i, 20);
		facts_unseen(f, i == 2 ? a : b, i);
	}
	facts_expect_cause(f, VERDICT_ORDER_INVERSION, "2", VERDICT_BY_GROUP_CREATION);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].confidence, VERDICT_SUPPORTED);
	for (size_t i = 0; i < v->at[0].nevidence; i++) {
		assert_int_not_equal(v->at[0].evidence[i].kind, FACT_ORDER);
		assert_int_not_equal(v->at[0].evidence[i].kind, FACT_ORDER_OPEN);
	}
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* As much work as the others: what it did is that it destroyed the group, and they go on in it. */
static void a_group_that_one_destroys_too_early_is_left(void **state)
{
	for (int marks = 0; marks < 2; marks++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 10, 20, 0.5);
		for (int i = 0; marks && i < 4; i++)
			facts_step(f, i, 10);
		facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 40);
		f->members[0][1].fact.state = JOB_MEMBER_GONE;
		facts_expect_cause(
			f, VERDICT_COLLECTIVE_MISMATCH, "1", VERDICT_BY_LEFT_GROUP);
		facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
		facts_free(f);
	}
}

/* Some closed a subgroup of 0-2, and wait in the world for whom is left in an operation there. */
static struct facts *left_sub(int first, int last)
{
	struct facts *f = facts_new(4);
	int sub = facts_group_of(f, 3, 0, 1, 2);

	facts_rounds(f, 0, 10, 10, 0.5);
	facts_rounds(f, sub, 3, 20, 0.5);
	for (int i = 0; i < 3; i++)
		if (i >= first && i <= last)
			f->members[sub][i].fact.state = JOB_MEMBER_GONE;
		else
			facts_hold(f, sub, i, JOB_OP_ALLREDUCE, 4096, 40);
	for (int i = 0; i < 4; i++)
		if (i == 3 || (i >= first && i <= last))
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	return f;
}

/* One of three: that is no other order, since it comes there no more. */
static void who_left_a_group_waits_in_another(void **state)
{
	struct facts *f = left_sub(1, 1);

	facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "1", VERDICT_BY_LEFT_GROUP);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
}

/* It closed the group since its loader gave it less: that is the answer, and not that it left. */
static void who_left_a_group_for_want_of_work_is_uneven(void **state)
{
	for (int batches = 0; batches < 3; batches += 2) {
		struct facts *f = left_sub(1, 1);

		for (int i = 0; i < 4; i++) {
			if (i != 1 || batches)
				facts_shard(f, i, 8, i == 1 ? (uint64_t)batches : 5);
			facts_trait(f, i, "input-end", "train", i == 1 ? batches : 5)->when =
				facts_ns(30);
		}
		facts_expect(f, batches ? VERDICT_UNEVEN_SHARD : VERDICT_EMPTY_SHARD, "1", "0,2,3");
		facts_free(f);
	}
}

/* Two of three were done with it: the third has an operation too many. */
static void where_most_left_a_group_none_of_them_is_blamed(void **state)
{
	struct facts *f = left_sub(1, 2);

	assert_int_equal(facts_culprits(f) & 0xe, 0);
	facts_free(f);
}

/* It closed a group in good order, as all its members did, and is late in another. */
static void a_group_that_was_closed_in_good_order_is_no_reason(void **state)
{
	struct facts *f = facts_new(4);
	int all = facts_group_of(f, 4, 0, 1, 2, 3), pair = facts_group_of(f, 2, 0, 1);

	facts_rounds(f, pair, 10, 10, 0.5);
	for (int i = 0; i < 4; i++)
		f->members[0][i].fact.state = JOB_MEMBER_GONE;
	for (int i = 0; i < 2; i++)
		f->members[pair][i].fact.state = JOB_MEMBER_GONE;
	facts_rounds(f, all, 10, 20, 0.5);
	facts_enter_but(f, all, 1, JOB_OP_ALLREDUCE, 4096, 40);
	facts_outside(f, 1, 39);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	facts_free(f);
}

static void expect_well_as_far_as_known(const struct facts *f)
{
	struct judged j = judge(f);

	assert_int_equal(j.v->at[0].class, VERDICT_HEALTHY);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	dismiss(j);
}

/* A non-blocking init holds who asks about it again and again, and nobody else. */
static void who_asks_about_an_init_waits_in_it(void **state)
{
	for (int asks = 0; asks < 2; asks++) {
		struct facts *f = facts_new(4);

		for (int rank = 0; rank < 4; rank++) {
			if (rank == 2)
				continue;
			facts_in_init(f, 0, rank, 20);
			f->members[0][rank].fact.nonblocking = true;
			facts_outside(f, rank, 20);
			if (asks)
				facts_asks(f, 0, rank, 20.1);
		}
		facts_candidate(f, 2);
		if (asks)
			facts_expect(f, VERDICT_NOT_STARTED, "2", "0,1,3");
		else
			expect_well_as_far_as_known(f);
		facts_free(f);
	}
}

/*
 * Its process was started anew, and makes the communicator that the others had made with the
 * earlier one, and wait in: not all of them are in that init.
 */
static void who_begins_an_init_that_others_have_left_waits_alone(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);
	struct judged j;

	facts_in_init(f, 0, 2, 62);
	f->members[0][2].nops = 0;
	f->members[0][2].fact.head = 0;
	facts_expect(f, VERDICT_ORDER_INVERSION, "2", "0,1,3");
	j = judge(f);
	assert_int_equal(j.first->evidence[0].kind, FACT_BEGAN_ANEW);
	assert_int_equal(j.first->evidence[0].a, facts_ns(60) - facts_ns(0));
	assert_int_equal(j.first->next, VERDICT_NEXT_START_TOGETHER);
	done(&j, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asks_about_an_init_waits_in_it),
		cmocka_unit_test(a_group_that_one_destroys_too_early_is_left),
		cmocka_unit_test(who_left_a_group_waits_in_another),
		cmocka_unit_test(who_left_a_group_for_want_of_work_is_uneven),
		cmocka_unit_test(where_most_left_a_group_none_of_them_is_blamed),
		cmocka_unit_test(a_group_that_was_closed_in_good_order_is_no_reason),
		cmocka_unit_test(who_lists_other_ranks_is_to_blame),
		cmocka_unit_test(who_has_not_come_to_it_may_be_of_either_side),
		cmocka_unit_test(who_was_given_another_world_size),
		cmocka_unit_test(without_lists_nobody_is_blamed),
		cmocka_unit_test(where_nobody_waits_nothing_is_wrong),
		cmocka_unit_test(one_list_is_no_contradiction),
		cmocka_unit_test(lists_of_other_lengths_are_one_name_all_the_same),
		cmocka_unit_test(the_word_of_who_is_not_in_it_contradicts),
		cmocka_unit_test(all_in_is_not_said_of_who_may_have_met_others),
		cmocka_unit_test(what_was_before_the_groups_were_made_anew_is_over),
		cmocka_unit_test(parts_of_a_split_have_one_name),
		cmocka_unit_test(a_communicator_of_another_id),
		cmocka_unit_test(who_asks_about_an_init_waits_in_it),
		cmocka_unit_test(who_begins_an_init_that_others_have_left_waits_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
