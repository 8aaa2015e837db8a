/* SPDX-License-Identifier: Apache-2.0 */
/* When the agent speaks: once per verdict, not too early, and not endlessly. */
#include "tests/unit/unit.h"

#include "base/clock.h"
#include "cmd/run/announce.h"
#include "tests/unit/report_job.h"

#define HANG_AFTER (30 * CLOCK_NS_PER_S)

static int64_t s(int seconds)
{
	return seconds * CLOCK_NS_PER_S;
}

static void a_short_wait_is_not_said(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].waiting = s(29);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_NOTHING);
	hand.verdict[0].waiting = s(31);
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(3), HANG_AFTER), ANNOUNCE_SAY);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(5), HANG_AFTER), ANNOUNCE_STILL);
	announce_release(&announce);
}

static void without_a_known_wait_it_must_be_seen_so_long(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].waiting = JOB_UNKNOWN;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(100), HANG_AFTER), ANNOUNCE_NOTHING);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(129), HANG_AFTER), ANNOUNCE_NOTHING);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(130), HANG_AFTER), ANNOUNCE_SAY);
	announce_release(&announce);
}

static void a_death_is_said_at_once(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_RANK_DEATH;
	hand.verdict[0].waiting = 0;
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_SAY);
	announce_release(&announce);
}

/*
 * What stood in one attempt is over once the next has begun, whatever is known of that: its own
 * deaths, or nothing, are not the first one's aftermath.
 */
static void what_stood_in_one_attempt_does_not_in_the_next(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.job.attempt = 1;
	hand.verdict[0].class = VERDICT_RANK_DEATH;
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_SAY);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(2), HANG_AFTER), ANNOUNCE_STILL);
	hand.job.attempt = 2;
	assert_true(announce_is_outlived(&announce, &hand.verdicts));
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(3), HANG_AFTER), ANNOUNCE_RESOLVED);
	assert_false(announce_is_outlived(&announce, &hand.verdicts));
	hand.verdict[0].class = VERDICT_RANK_DEATH;
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(4), HANG_AFTER), ANNOUNCE_SAY);
	hand.job.attempt = 3;
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(5), HANG_AFTER), ANNOUNCE_SAY);
	hand.job.attempt = 4;
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	assert_int_equal(announce_take_last(&announce, &hand.verdicts), ANNOUNCE_NOTHING);
	assert_int_equal(announce.attempt, 3);
	announce_release(&announce);
}

static void a_job_that_moves_again_is_said_so_once(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_SAY);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(2), HANG_AFTER), ANNOUNCE_STILL);
	hand.verdict[0].class = VERDICT_HEALTHY;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(3), HANG_AFTER), ANNOUNCE_STILL);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(4), HANG_AFTER), ANNOUNCE_RESOLVED);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(5), HANG_AFTER), ANNOUNCE_NOTHING);
	hand.verdict[0].class = VERDICT_COMPILE_SKEW;
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(99), HANG_AFTER), ANNOUNCE_SAY);
	announce_release(&announce);
}

static void another_verdict_is_said_but_no_flicker(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_SAY);
	hand.verdict[0].class = VERDICT_COMPILE_STUCK;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(2), HANG_AFTER), ANNOUNCE_STILL);
	hand.verdict[0].class = VERDICT_COMPILE_SKEW;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(3), HANG_AFTER), ANNOUNCE_STILL);
	hand.verdict[0].class = VERDICT_COMPILE_STUCK;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(4), HANG_AFTER), ANNOUNCE_STILL);
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(8), HANG_AFTER), ANNOUNCE_SAY);
	announce_release(&announce);
}

/* A rank that is known better is still the rank; another one, or nobody, is not. */
static void who_is_named_is_compared_apart_from_what_for(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	assert_false(announce_blames_same(&announce, &hand.verdicts));
	announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER);
	hand.verdict[0].class = VERDICT_COMPILE_STUCK;
	hand.verdict[0].outlook = VERDICT_KILL;
	assert_false(announce_is_same(&announce, &hand.verdicts));
	assert_true(announce_blames_same(&announce, &hand.verdicts));
	hand.verdict[0].class = VERDICT_SLOW;
	assert_false(announce_blames_same(&announce, &hand.verdicts));
	hand.verdict[0].class = VERDICT_COMPILE_STUCK;
	hand.verdict[0].culprits.n = 0;
	assert_false(announce_blames_same(&announce, &hand.verdicts));
	announce_release(&announce);
}

static void nothing_is_said_endlessly(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};
	int said = 0;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_RANK_DEATH;
	for (int turn = 0; turn < 1000; turn++) {
		hand.culprit[0] = rank_index(turn % 8);
		hand.job.attempt = turn / 8;
		said += announce_take(&announce, &hand.verdicts, s(turn), HANG_AFTER) ==
			ANNOUNCE_SAY;
	}
	assert_in_range(said, 8, 50);
	announce_release(&announce);
}

static void at_the_end_whatever_blames_is_said(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].waiting = s(4);
	assert_int_equal(announce_take_last(&announce, &hand.verdicts), ANNOUNCE_SAY);
	assert_int_equal(announce_take_last(&announce, &hand.verdicts), ANNOUNCE_STILL);
	hand.verdict[0].class = VERDICT_SLOW;
	assert_int_equal(announce_take_last(&announce, &hand.verdicts), ANNOUNCE_STILL);
	announce_release(&announce);
}

/* Half of a job's nodes hold victims only: theirs is evidence, too. */
static void a_wait_that_blames_nobody_here_stands_as_well(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	hand.verdict[0].waiting = s(40);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_NOTHING);
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(5), HANG_AFTER), ANNOUNCE_SAY);
	assert_true(announce.unexplained);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(7), HANG_AFTER), ANNOUNCE_STILL);
	hand.verdict[0].class = VERDICT_HOST_STALL;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(9), HANG_AFTER), ANNOUNCE_STILL);
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(13), HANG_AFTER), ANNOUNCE_SAY);
	assert_false(announce.unexplained);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(99), HANG_AFTER), ANNOUNCE_STILL);
	assert_false(announce.unexplained);
	announce_release(&announce);
}

/* A job of which stacks alone tell: at each look some wait, and go on before the next. */
static void who_waits_while_others_move_is_no_news(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};
	struct verdict_fact told[] = {
		{.kind = FACT_AT_MOVING}, {.kind = FACT_WAITS_AT, .a = JOB_UNKNOWN}};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	hand.verdict[0].waiting = JOB_UNKNOWN;
	hand.verdict[0].evidence = told;
	hand.verdict[0].nevidence = 2;
	for (int at = 1; at < 200; at++)
		assert_int_equal(announce_take(&announce, &hand.verdicts, s(at), HANG_AFTER),
			ANNOUNCE_NOTHING);
	told[1].a = hand.verdict[0].waiting = HANG_AFTER;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(201), HANG_AFTER), ANNOUNCE_NOTHING);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(205), HANG_AFTER), ANNOUNCE_SAY);
	announce_release(&announce);
}

/* Of which stacks alone tell: it moves again once all were seen to move, and not before. */
static void who_was_seen_to_stand_must_be_seen_to_move(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};
	struct job_stack stacks[2] = {{.rank = {0}, .process = 0, .main = true, .moved = JOB_YES},
		{.rank = {1}, .process = 1, .main = true, .moved = JOB_NO}};
	struct verdict_fact told[] = {
		{.kind = FACT_AT_MOVING}, {.kind = FACT_WAITS_AT, .a = JOB_UNKNOWN}};

	(void)state;
	hand_job_make(&hand, 2, 1);
	assert_int_equal(announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_SAY);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	hand.verdict[0].waiting = JOB_UNKNOWN;
	hand.verdict[0].evidence = told;
	hand.verdict[0].nevidence = 2;
	hand.job.stacks = stacks;
	for (hand.job.nstacks = 1; hand.job.nstacks < 3; hand.job.nstacks++)
		for (int at = 2; at < 9; at++)
			assert_int_equal(announce_take(&announce, &hand.verdicts, s(at),
				HANG_AFTER), ANNOUNCE_STILL);
	hand.job.nstacks = 2;
	stacks[1].moved = JOB_YES;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(10), HANG_AFTER), ANNOUNCE_STILL);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(18), HANG_AFTER), ANNOUNCE_RESOLVED);
	announce_release(&announce);
}

static void without_victims_nothing_conclusive_is_nothing(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	hand.verdict[0].victims.n = 0;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_NOTHING);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(99), HANG_AFTER), ANNOUNCE_NOTHING);
	announce_release(&announce);
}

/* From when on it is said that ranks stand, if they begin to at `from`; then they go on. */
static int said_after(struct announce *announce, struct hand_job *hand, int from, int until)
{
	int said = 0;

	hand->verdict[0].class = VERDICT_INCONCLUSIVE;
	for (int at = from; at < until; at++)
		if (announce_take(announce, &hand->verdicts, s(at), HANG_AFTER) == ANNOUNCE_SAY)
			said = at - from;
	hand->verdict[0].class = VERDICT_HEALTHY;
	for (int at = until; at < until + 3; at++)
		announce_take(announce, &hand->verdicts, s(at), HANG_AFTER);
	return said;
}

/* A server without requests stands in its own code, again and again. */
static void who_only_idles_is_said_to_in_proportion(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};
	struct verdict_fact stands = {.kind = FACT_AT};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].victims.n = 0;
	hand.verdict[0].culprits.n = 0;
	hand.verdict[0].waiting = JOB_UNKNOWN;
	hand.verdict[0].evidence = &stands;
	hand.verdict[0].nevidence = 1;
	assert_int_equal(said_after(&announce, &hand, 1, 101), 30);
	assert_int_equal(said_after(&announce, &hand, 201, 301), 0);
	assert_int_equal(said_after(&announce, &hand, 401, 501), 0);
	assert_int_equal(said_after(&announce, &hand, 601, 901), 200);
	assert_int_equal(said_after(&announce, &hand, 1001, 1501), 0);
	announce_release(&announce);
}

/* Stacks that are first taken late tell of what has stood before. */
static void who_has_stood_for_long_is_said_soon(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};
	struct verdict_fact stands[] = {{.kind = FACT_AT, .a = JOB_UNKNOWN}, {.kind = FACT_AT}};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	hand.verdict[0].victims.n = 0;
	hand.verdict[0].waiting = JOB_UNKNOWN;
	hand.verdict[0].evidence = stands;
	hand.verdict[0].nevidence = 2;
	stands[1].a = HANG_AFTER - s(8);
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(1), HANG_AFTER), ANNOUNCE_NOTHING);
	stands[1].a = HANG_AFTER;
	assert_int_equal(
		announce_take(&announce, &hand.verdicts, s(9), HANG_AFTER), ANNOUNCE_SAY);
	announce_release(&announce);
}

/*
 * After how many seconds it is said that a rank keeps the others, if it does so for `lasts` and
 * goes on then; 0 never.
 */
static int kept_said_after(struct announce *announce, struct hand_job *hand, int from, int lasts)
{
	int said = 0;

	hand->verdict[0].class = VERDICT_HOST_STALL;
	for (int at = from; at < from + lasts; at++) {
		hand->verdict[0].waiting = s(at - from);
		if (announce_take(announce, &hand->verdicts, s(at), HANG_AFTER) == ANNOUNCE_SAY)
			said = at - from;
	}
	hand->verdict[0].class = VERDICT_HEALTHY;
	for (int at = from + lasts; at < from + lasts + 3; at++)
		announce_take(announce, &hand->verdicts, s(at), HANG_AFTER);
	return said;
}

/* It evaluates, as it did before: that is said once. A hang of the same rank is said, too. */
static void who_keeps_the_others_as_usual_is_said_once(void **state)
{
	struct hand_job hand;
	struct announce announce = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].outlook = VERDICT_OUTLOOK_UNKNOWN;
	hand.verdict[0].where = VERDICT_IN_USER_CODE;
	assert_int_equal(kept_said_after(&announce, &hand, 100, 51), 30);
	assert_int_equal(kept_said_after(&announce, &hand, 200, 61), 0);
	assert_int_equal(kept_said_after(&announce, &hand, 300, 40), 0);
	assert_int_equal(kept_said_after(&announce, &hand, 400, 200), 75);
	/* So does a rank that somebody stopped, which is no habit, and another rank. */
	hand.verdict[0].where = VERDICT_IN_FROZEN;
	assert_int_equal(kept_said_after(&announce, &hand, 700, 51), 30);
	assert_int_equal(kept_said_after(&announce, &hand, 800, 51), 30);
	hand.verdict[0].where = VERDICT_IN_USER_CODE;
	hand.culprit[0].i = 5;
	assert_int_equal(kept_said_after(&announce, &hand, 900, 51), 30);
	announce_release(&announce);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_wait_is_not_said),
		cmocka_unit_test(without_a_known_wait_it_must_be_seen_so_long),
		cmocka_unit_test(a_death_is_said_at_once),
		cmocka_unit_test(what_stood_in_one_attempt_does_not_in_the_next),
		cmocka_unit_test(a_job_that_moves_again_is_said_so_once),
		cmocka_unit_test(another_verdict_is_said_but_no_flicker),
		cmocka_unit_test(who_is_named_is_compared_apart_from_what_for),
		cmocka_unit_test(nothing_is_said_endlessly),
		cmocka_unit_test(a_wait_that_blames_nobody_here_stands_as_well),
		cmocka_unit_test(who_waits_while_others_move_is_no_news),
		cmocka_unit_test(who_was_seen_to_stand_must_be_seen_to_move),
		cmocka_unit_test(who_keeps_the_others_as_usual_is_said_once),
		cmocka_unit_test(without_victims_nothing_conclusive_is_nothing),
		cmocka_unit_test(who_only_idles_is_said_to_in_proportion),
		cmocka_unit_test(who_has_stood_for_long_is_said_soon),
		cmocka_unit_test(at_the_end_whatever_blames_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
