/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that wait for each other, in whatever order they came there: S22, S22b, S37, S38, S52. */
#include "tests/unit/unit.h"

#include "tests/unit/facts.h"

static void s22_two_groups_in_opposite_orders(void **state)
{
	struct facts *f = facts_new(2);
	int b = facts_group_of(f, 2, 0, 1);

	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, b, 1, JOB_OP_ALLREDUCE, 64, 30);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL); /* either may be right */
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* A variable of the launch that lets orders matter is told beside the finding; any other is not. */
static void one_queue_for_all_streams_is_told_of_an_inversion(void **state)
{
	static const struct launch_variable variables[] = {
		{"CUDA_DEVICE_MAX_CONNECTIONS", "1"}, {"TORCH_DISTRIBUTED_DEBUG", "DETAIL"}};
	const struct job_launch launch = {.env = variables, .nenv = 2, .cite = "receipt:m1"};
	struct facts *f = facts_new(2);
	int b = facts_group_of(f, 2, 0, 1);
	size_t queue = 0, detail = 0;
	struct verdicts *verdicts;
	struct job *job;

	(void)state;
	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, b, 1, JOB_OP_ALLREDUCE, 64, 30);
	job = facts_job(f);
	job->launches = &launch;
	job->nlaunches = 1;
	verdicts = verdicts_of(job);
	for (size_t i = 0; i < verdicts->at[0].nevidence; i++) {
		queue += verdicts->at[0].evidence[i].kind == FACT_ONE_QUEUE;
		detail += verdicts->at[0].evidence[i].kind == FACT_DEBUG_DETAIL;
	}
	assert_int_equal(queue, 1);
	assert_int_equal(detail, 0);
	verdicts_free(verdicts);
	job_free(job);
	facts_free(f);
}

static void one_of_eight_takes_the_other_order(void **state)
{
	struct facts *f = facts_new(8);
	int b = facts_group_of(f, 8, 0, 1, 2, 3, 4, 5, 6, 7);

	facts_enter_but(f, 0, 5, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, b, 5, JOB_OP_ALLREDUCE, 64, 30);
	facts_expect(f, VERDICT_ORDER_INVERSION, "5", "0-4,6,7");
	facts_free(f);
}

/* r5 took the other order just after a thread of it failed, which may be why: no surer than that.
 */
static void a_circle_is_no_surer_than_what_explains_it(void **state)
{
	struct facts *f = facts_new(8);
	int b = facts_group_of(f, 8, 0, 1, 2, 3, 4, 5, 6, 7);
	struct verdicts *v;
	struct job *job;

	facts_enter_but(f, 0, 5, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, b, 5, JOB_OP_ALLREDUCE, 64, 30);
	facts_note(f, 5, "thread exception: OSError: no space left on device", 29);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].class, VERDICT_RANK_DEATH);
	assert_int_equal(v->at[0].confidence, VERDICT_SUPPORTED);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/*
 * A circle of three groups, no rank in all of them: each is right, if the two others are not. That
 * three stand in one of the groups makes them no majority.
 */
static void who_is_not_in_all_groups_of_a_circle_took_no_order(void **state)
{
	struct facts *f = facts_new(5);
	int a = facts_group_of(f, 4, 0, 1, 2, 4), b = facts_group_of(f, 4, 0, 1, 2, 3);
	int c = facts_group_of(f, 2, 3, 4);

	facts_rounds(f, 0, 9, 10, 0.5);
	for (int rank = 0; rank < 3; rank++)
		facts_hold(f, a, rank, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, b, 3, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, c, 4, JOB_OP_ALLREDUCE, 64, 30);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	facts_free(f);
}

/* S22b: everything was launched, nothing completes; only the order of launches tells. */
static void s22b_launched_in_opposite_orders(void **state)
{
	struct facts *f = facts_new(4);
	int b = facts_group_of(f, 4, 0, 1, 2, 3);

	for (int i = 0; i < 4; i++) {
		facts_enter(f, i == 3 ? b : 0, i, JOB_OP_ALLREDUCE, 64, 30);
		facts_enter(f, i == 3 ? 0 : b, i, JOB_OP_ALLREDUCE, 64, 31)->stream = 2;
		facts_sync(f, i, 32);
	}
	facts_expect(f, VERDICT_ORDER_INVERSION, "3", "0-2");
	facts_free(f);
}

static void s22b_untracked_too(void **state)
{
	struct facts *f = facts_new(4);
	int b = facts_group_of(f, 4, 0, 1, 2, 3);

	f->completion = false;
	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.done_known = f->members[b][i].fact.done_known = false;
		facts_enter(f, i == 3 ? b : 0, i, JOB_OP_ALLREDUCE, 64, 30);
		facts_enter(f, i == 3 ? 0 : b, i, JOB_OP_ALLREDUCE, 64, 31);
		facts_sync(f, i, 32);
	}
	facts_expect(f, VERDICT_ORDER_INVERSION, "3", "0-2");
	facts_free(f);
}

static void s37_send_against_send(void **state)
{
	struct facts *f = facts_new(8);

	facts_p2p(f, 0, 2, JOB_OP_SEND, 6, 30, true);
	facts_p2p(f, 0, 6, JOB_OP_SEND, 2, 30, true);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL); /* either may be right */
	facts_free(f);
}

static void s38_communicators_made_in_opposite_orders(void **state)
{
	struct facts *f = facts_new(2);
	int a = facts_group_of(f, 2, 0, 1), b = facts_group_of(f, 2, 0, 1);

	facts_in_init(f, a, 0, 20);
	facts_unseen(f, a, 1);
	facts_in_init(f, b, 1, 20);
	facts_unseen(f, b, 0);
	facts_expect_cause(f, VERDICT_ORDER_INVERSION, "", VERDICT_BY_GROUP_CREATION);
	facts_free(f);
}

static void s52_all_receive_first(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_p2p(f, 0, i, JOB_OP_RECV, (i + 3) % 4, 30, true);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* One call too much on the one side, or one too few on the other: nobody can tell. */
static void a_receive_against_a_collective_blames_nobody(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 9, 10, 0.5);
	facts_p2p(f, 0, 1, JOB_OP_RECV, 2, 30, true);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 30);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* A receive for another amount than is sent: no fabric is to blame, and neither side for sure. */
static void a_send_and_its_receive_of_other_amounts(void **state)
{
	struct facts *f = facts_new(4);

	facts_p2p(f, 0, 1, JOB_OP_SEND, 2, 30, true)->sig.count = 32;
	facts_p2p(f, 0, 2, JOB_OP_RECV, 1, 30, true)->sig.count = 64;
	facts_expect(f, VERDICT_UNEVEN_SHARD, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* -- what ranks beside the circle tell ------------------------------------------------------- */

/* Eight ranks in pairs, that reduce among all, then in the pair; `steps` times. */
static struct facts *facts_in_pairs(int pairs[4], int steps)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 4; i++)
		pairs[i] = facts_group_of(f, 2, 2 * i, 2 * i + 1);
	for (int step = 0; step < steps; step++) {
		facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 10 + step);
		for (int i = 0; i < 4; i++)
			facts_round(f, pairs[i], JOB_OP_ALLREDUCE, 32, 10.5 + step);
	}
	return f;
}

/* Rank 1 left out what all do, and stands in its pair's, whose other one stands with all. */
static void skip_one(struct facts *f, const int pairs[4])
{
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, pairs[0], 1, JOB_OP_ALLREDUCE, 32, 30);
}

static void expect_confidence(const struct facts *f, enum verdict_confidence confidence)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	assert_int_equal(v->n, 1);
	assert_int_equal(v->at[0].confidence, confidence);
	verdicts_free(v);
	job_free(job);
}

/* Too few steps for a habit: the others have pairs, too, and came to what all do first. */
static void who_skips_what_all_do_is_told_by_like_groups(void **state)
{
	int pairs[4];
	struct facts *f = facts_in_pairs(pairs, 1);

	skip_one(f, pairs);
	facts_expect(f, VERDICT_ORDER_INVERSION, "1", "0,2-7");
	expect_confidence(f, VERDICT_SUPPORTED);
	facts_free(f);
}

/* Nobody has used a pair before: it may be that rank 0 left out what only its pair does. */
static void groups_that_were_never_used_tell_a_guess(void **state)
{
	int pairs[4];
	struct facts *f = facts_in_pairs(pairs, 0);

	skip_one(f, pairs);
	facts_expect(f, VERDICT_ORDER_INVERSION, "1", "0,2-7");
	expect_confidence(f, VERDICT_HYPOTHESIS);
	facts_free(f);
}

/* All met in nothing yet: nobody knows how many operations of its pair a rank does before that. */
static void likes_that_met_nowhere_tell_a_guess(void **state)
{
	int pairs[4];
	struct facts *f = facts_in_pairs(pairs, 0);

	for (int i = 0; i < 4; i++)
		facts_round(f, pairs[i], JOB_OP_ALLREDUCE, 32, 20);
	skip_one(f, pairs);
	facts_expect(f, VERDICT_ORDER_INVERSION, "1", "0,2-7");
	expect_confidence(f, VERDICT_HYPOTHESIS);
	facts_free(f);
}

/* The others did what their pairs do before they came to it: it is rank 0 who left that out. */
static void who_skips_what_its_pair_does_is_told_too(void **state)
{
	int pairs[4];
	struct facts *f = facts_in_pairs(pairs, 0);

	for (int i = 1; i < 4; i++)
		facts_round(f, pairs[i], JOB_OP_ALLREDUCE, 32, 20);
	skip_one(f, pairs);
	facts_expect(f, VERDICT_ORDER_INVERSION, "0", "1-7");
	facts_free(f);
}

/* Nobody else has a pair, or they took both orders: either side may be right. */
static void without_likes_or_with_two_minds_nobody_is_blamed(void **state)
{
	int pairs[4];
	struct facts *f = facts_new(8);

	pairs[0] = facts_group_of(f, 2, 0, 1);
	skip_one(f, pairs);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);

	f = facts_in_pairs(pairs, 1);
	facts_round(f, pairs[1], JOB_OP_ALLREDUCE, 32, 20);
	skip_one(f, pairs);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/*
 * The others' pairs do three operations in a step, where that of the circle does one: their second
 * is another one than its second, and tells nothing of who is right.
 */
static void likes_that_do_more_in_a_step_tell_nothing(void **state)
{
	int pairs[4];
	struct facts *f = facts_in_pairs(pairs, 1);

	for (int i = 1; i < 4; i++)
		for (int more = 0; more < 2; more++)
			facts_round(f, pairs[i], JOB_OP_ALLREDUCE, 32, 11 + more);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 13);
	for (int i = 0; i < 4; i++)
		facts_round(f, pairs[i], JOB_OP_ALLREDUCE, 32, 14);
	skip_one(f, pairs);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Of a rank that nobody saw it may be that it took the other order: then it is a guess. */
static void likes_of_which_one_is_unseen_tell_a_guess(void **state)
{
	int pairs[4];
	struct facts *f = facts_in_pairs(pairs, 1);

	skip_one(f, pairs);
	facts_lose_ring(f, 6);
	expect_confidence(f, VERDICT_HYPOTHESIS);
	facts_free(f);
}

/*
 * Two groups of all ranks: rank 1 leaves out what the others launch on the one, and all have
 * launched the next one on the other, behind it or not.
 */
static struct facts *facts_skipped_ahead(int others_without)
{
	struct facts *f = facts_new(4);
	int data = facts_group_of(f, 4, 0, 1, 2, 3);

	for (int step = 0; step < 3; step++) {
		facts_round(f, data, JOB_OP_ALLREDUCE, 64, 10 + step);
		facts_round(f, 0, JOB_OP_ALLREDUCE, 32, 10.5 + step);
	}
	for (int rank = 0; rank < 4; rank++)
		if (rank != 1 && rank != others_without)
			facts_enter(f, data, rank, JOB_OP_ALLGATHER, 64, 30);
	for (int rank = 0; rank < 4; rank++)
		facts_enter(f, 0, rank, JOB_OP_ALLREDUCE, 32, 31);
	return f;
}

static void who_goes_past_what_others_launched_is_named(void **state)
{
	struct facts *f = facts_skipped_ahead(JOB_NONE);

	facts_expect(f, VERDICT_ORDER_INVERSION, "1", "0,2,3");
	expect_confidence(f, VERDICT_SUPPORTED);
	facts_free(f);
	f = facts_skipped_ahead(JOB_NONE); /* another thread may come to it yet, in any order */
	for (int rank = 0; rank < 4; rank++)
		f->members[1][rank].last_tid = rank == 1 ? 0 : 77;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
	f = facts_skipped_ahead(JOB_NONE); /* that one has ended, and another launched this */
	for (int rank = 0; rank < 4; rank++) {
		f->members[1][rank].tid = rank == 1 ? 0 : 77;
		f->members[0][rank].last_tid = rank == 1 ? 0 : 78;
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
	f = facts_skipped_ahead(JOB_NONE); /* one thread has ended, which launched both */
	for (int rank = 0; rank < 4; rank++)
		f->members[0][rank].last_tid = f->members[1][rank].tid = 77;
	facts_expect(f, VERDICT_ORDER_INVERSION, "1", "0,2,3");
	expect_confidence(f, VERDICT_SUPPORTED);
	facts_free(f);
	f = facts_skipped_ahead(2); /* two of four: either side may be right */
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

/*
 * Their lanes were handed on from one thread to another, or were that of all that have none: nobody
 * knows which of the threads launched what.
 */
static void whose_launches_are_of_unknown_threads_is_a_guess(void **state)
{
	for (int without = JOB_NONE; without <= 2; without += 3) {
		struct facts *f = facts_skipped_ahead(without);

		f->threads_unknown = true;
		facts_expect(f, without < 0 ? VERDICT_COLLECTIVE_MISMATCH : VERDICT_ORDER_INVERSION,
			NULL, NULL);
		expect_confidence(f, VERDICT_HYPOTHESIS);
		facts_free(f);
	}
	(void)state;
}

/*
 * The making of a group in which all but rank 1 stand, and its pair's operation: what is told of
 * rank 1 is what it is in, and not what the others are in.
 */
static void what_the_odd_one_is_in_is_told_of_it(void **state)
{
	int pairs[4], late;
	struct facts *f = facts_in_pairs(pairs, 6);
	struct job *job;
	struct verdicts *v;
	int told = 0;

	late = facts_group_of(f, 8, 0, 1, 2, 3, 4, 5, 6, 7);
	for (int rank = 0; rank < 8; rank++)
		if (rank != 1)
			facts_in_init(f, late, rank, 30);
	facts_unseen(f, late, 1);
	facts_hold(f, pairs[0], 1, JOB_OP_ALLREDUCE, 32, 30);
	facts_expect(f, VERDICT_ORDER_INVERSION, "1", NULL);
	job = facts_job(f);
	v = verdicts_of(job);
	for (size_t i = 0; i < v->at[0].nevidence; i++)
		told += v->at[0].evidence[i].kind == FACT_ORDER_OPEN &&
			v->at[0].evidence[i].thing->kind == THING_OP;
	assert_int_equal(told, 1);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/*
 * A thread beside the main one reduces in a group of its own, and that of rank 1 does not come any
 * more. The main threads go on, and all have just entered their next: no network keeps anybody.
 */
static void an_operation_of_a_moment_ago_is_no_stall(void **state)
{
	struct facts *f = facts_new(4);
	int beside = facts_group_of(f, 4, 0, 1, 2, 3);

	f->group_makers[0] = f->group_makers[beside] = "gloo";
	facts_rounds(f, beside, 10, 20, 1);
	facts_rounds(f, 0, 30, 20, 2.5);
	for (int rank = 0; rank < 4; rank++)
		if (rank != 1)
			facts_enter(f, beside, rank, JOB_OP_ALLREDUCE, 1, 50)->returned = JOB_NO;
	for (int rank = 0; rank < 4; rank++)
		facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 99.98);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* Two ranks with two devices each: of one group each has two seats. */
static struct facts *on_two_devices(void)
{
	struct facts *f = facts_new(2);
	int other = facts_group_of(f, 2, 0, 1);

	f->group_keys[other] = f->group_keys[0];
	f->group_sizes[0] = f->group_sizes[other] = 4;
	for (int rank = 0; rank < 2; rank++) {
		f->members[0][rank].seat = group_rank((uint32_t)rank * 2);
		f->members[other][rank].seat = group_rank((uint32_t)rank * 2 + 1);
		f->members[0][rank].fact.seat = f->members[0][rank].seat;
		f->members[other][rank].fact.seat = f->members[other][rank].seat;
	}
	return f;
}

/* One calls for one of its devices only, and then waits, for its own other one as well. */
static void who_left_out_one_of_its_devices_waits_for_itself(void **state)
{
	struct facts *f = on_two_devices();
	struct verdicts *v;
	struct job *job;

	for (int half = 0; half < 2; half++)
		facts_rounds(f, half, 10, 20, 0.5);
	for (int rank = 0; rank < 2; rank++) {
		facts_enter(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 60);
		facts_sync(f, rank, 60.1);
	}
	facts_enter(f, 1, 0, JOB_OP_ALLREDUCE, 4096, 60);
	facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "1", VERDICT_BY_SKIPPED);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].evidence[0].kind, FACT_NEVER_ENTERED);
	assert_int_equal(v->at[0].evidence[1].kind, FACT_CAME_IN_PART);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(s22_two_groups_in_opposite_orders),
		cmocka_unit_test(one_queue_for_all_streams_is_told_of_an_inversion),
		cmocka_unit_test(one_of_eight_takes_the_other_order),
		cmocka_unit_test(a_circle_is_no_surer_than_what_explains_it),
		cmocka_unit_test(who_is_not_in_all_groups_of_a_circle_took_no_order),
		cmocka_unit_test(s22b_launched_in_opposite_orders),
		cmocka_unit_test(s22b_untracked_too),
		cmocka_unit_test(s37_send_against_send),
		cmocka_unit_test(s38_communicators_made_in_opposite_orders),
		cmocka_unit_test(s52_all_receive_first),
		cmocka_unit_test(a_receive_against_a_collective_blames_nobody),
		cmocka_unit_test(a_send_and_its_receive_of_other_amounts),
		cmocka_unit_test(who_skips_what_all_do_is_told_by_like_groups),
		cmocka_unit_test(groups_that_were_never_used_tell_a_guess),
		cmocka_unit_test(likes_that_met_nowhere_tell_a_guess),
		cmocka_unit_test(who_skips_what_its_pair_does_is_told_too),
		cmocka_unit_test(without_likes_or_with_two_minds_nobody_is_blamed),
		cmocka_unit_test(likes_that_do_more_in_a_step_tell_nothing),
		cmocka_unit_test(likes_of_which_one_is_unseen_tell_a_guess),
		cmocka_unit_test(who_goes_past_what_others_launched_is_named),
		cmocka_unit_test(whose_launches_are_of_unknown_threads_is_a_guess),
		cmocka_unit_test(what_the_odd_one_is_in_is_told_of_it),
		cmocka_unit_test(an_operation_of_a_moment_ago_is_no_stall),
		cmocka_unit_test(who_left_out_one_of_its_devices_waits_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
