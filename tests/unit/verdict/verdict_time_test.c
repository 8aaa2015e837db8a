/* SPDX-License-Identifier: Apache-2.0 */
/* Law 10: what is too early to tell, what is late, and what was late and is not any more. */
#include "tests/unit/unit.h"

#include "tests/unit/judged.h"

/*
 * Rank 1 was late once; now all wait for rank 3. Where no gathering says when they were seen to
 * wait, that is no reason to blame rank 1, and no health.
 */
static void who_was_late_is_not_blamed_for_a_wait_of_unknown_age(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 5);
	f->members[0][1].ops[9].entered += 14000000000;
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 99);
	facts_expect(f, VERDICT_SLOW, "1", NULL);
	for (int i = 0; i < 4; i++)
		f->hosts[i].guessed = true;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	facts_free(f);
}

static void a_usual_wait_is_no_hang(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 0, 9);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 90);
	facts_expect(f, VERDICT_TOO_EARLY, "", "0,1,3");
	facts_free(f);
}

/* Law 9: every hang begins like this, so the job is not called well. */
static void too_early_says_who_waits_for_whom_and_from_when_on(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	facts_rounds(f, 0, 10, 90, 0.5);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 98.5);
	facts_expect(f, VERDICT_TOO_EARLY, "", "0,1,3");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->early.ranks.n, 3);
	assert_int_equal(v->early.awaited.n, 1);
	assert_int_equal(v->early.awaited.at[0].i, 2);
	assert_int_equal(v->early.age, 1500000000);
	assert_int_equal(v->early.threshold, 2500000000);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

static bool has_fact(const struct verdict *verdict, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < verdict->nevidence; i++)
		if (verdict->evidence[i].kind == kind)
			return true;
	return false;
}

/* Thirty operations, a second apart; who comes last to each comes so much later than the others. */
static struct facts *comes_last(double late, const int *who, int n)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 30, 70, 1);
	for (int i = 0; i < 30; i++)
		f->members[0][who[i % n]].ops[i].entered += (int64_t)(late * 1e9);
	return f;
}

static const struct verdict_fact *straggler_of(const struct judged *j)
{
	for (size_t i = 0; i < j->first->nevidence; i++)
		if (j->first->evidence[i].kind == FACT_STRAGGLES)
			return &j->first->evidence[i];
	return NULL;
}

static void expect_straggler(struct facts *f, int rank, int64_t last, int64_t percent)
{
	const struct verdict_fact *fact;
	struct judged j;

	facts_expect(f, VERDICT_HEALTHY, "", "");
	j = judge(f);
	fact = straggler_of(&j);
	assert_int_equal(!!fact, rank >= 0);
	if (fact) {
		assert_int_equal(fact->ranks.n, 1);
		assert_int_equal(fact->ranks.at[0].i, rank);
		assert_int_equal(fact->a, last);
		assert_int_equal(fact->b, 30);
		assert_true(fact->c >= percent - 1 && fact->c <= percent + 1);
	}
	done(&j, f);
}

/* Never late enough to be blamed, and yet the others wait for it half of the time. */
static void who_keeps_all_others_a_little_each_time_is_told(void **state)
{
	static const int always[] = {2}, mostly[] = {2, 2, 2, 2, 1}, by_turns[] = {2, 1, 2, 3};

	(void)state;
	expect_straggler(comes_last(0.5, always, 1), 2, 30, 50);
	expect_straggler(comes_last(0.5, mostly, 5), 2, 24, 40);
	expect_straggler(comes_last(0.5, by_turns, 4), -1, 0, 0);
	expect_straggler(comes_last(0.05, always, 1), -1, 0, 0);
	/* They do hardly anything but wait for it. */
	expect_straggler(comes_last(0.99, always, 1), 2, 30, 99);
}

/* The straggler of such a job, where the last rank's host has a clock that is ahead. */
static void expect_with_clock(const int *who, int n, double late, double ahead, int64_t percent)
{
	struct facts *f = comes_last(late, who, n);
	const struct verdict_fact *fact;
	struct judged j;

	facts_move(f, 3, 1);
	facts_set_clock(f, 1, ahead);
	j = judge(f);
	fact = straggler_of(&j);
	assert_int_equal(fact ? fact->c : 0, percent);
	done(&j, f);
}

static void no_clock_decides_who_straggles(void **state)
{
	static const int first[] = {3, 2, 2, 2, 2, 2, 2, 2, 2, 2}, always[] = {3};

	(void)state;
	for (double ahead = -40; ahead <= 40; ahead += 20) {
		/* The other host's rank came last to the first, which says nothing of time. */
		expect_with_clock(first, 10, 0.5, ahead, 46);
		/* What may be its clock's is not the rank's. */
		expect_with_clock(always, 1, 0.2, ahead, 0);
	}
}

/* Finding 19: 63 steps on time after its only lateness it was still "late, but moves". */
static void what_was_late_and_is_not_any_more_is_past(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	facts_rounds(f, 0, 30, 70, 1);
	f->members[0][1].ops[2].entered += 4000000000;
	facts_expect(f, VERDICT_HEALTHY, "", "");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_true(has_fact(&v->at[0], FACT_WAS_LATE));
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* One that is late in each step is late now, however many operations lie between. */
static void what_comes_late_again_and_again_is_late(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 40, 20, 2);
	f->members[0][1].ops[4].entered += 2500000000;
	f->members[0][1].ops[24].entered += 2500000000;
	facts_expect(f, VERDICT_SLOW, "1", "");
	facts_free(f);
}

/* The first verdict of a job whose rank 1 is late, as the facts say. */
static struct verdict first_of(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	struct verdict first = v->at[0];

	assert_int_equal(first.culprits.n, 1);
	verdicts_free(v);
	job_free(job);
	return first;
}

/* Finding 21: a long step that uses a whole processor was UNKNOWN. */
static void who_computes_all_along_may_come(void **state)
{
	struct facts *f = facts_missing(4, 1, 61);

	(void)state;
	assert_int_equal(first_of(f).outlook, VERDICT_OUTLOOK_UNKNOWN);
	facts_cpu(f, 1, 2, 2, 0);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	assert_int_equal(first_of(f).outlook, VERDICT_WAIT);
	facts_free(f);
}

/* The same of a save that wrote all along, and was said to be stuck in the kernel. */
static void who_writes_all_along_is_not_stuck_in_the_kernel(void **state)
{
	struct facts *f = facts_missing(4, 1, 61);

	(void)state;
	f->ranks[1].process.state = 'D';
	assert_int_equal(first_of(f).where, VERDICT_IN_IO);
	f->ranks[1].process.write_delta = 1 << 20;
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	assert_int_not_equal(first_of(f).where, VERDICT_IN_IO);
	assert_int_equal(first_of(f).outlook, VERDICT_WAIT);
	facts_free(f);
}

/* Four ranks, a step each `gap` s; for `late` s all but rank 1 have waited for it. */
static struct facts *late_at_work(double gap, double late)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, FACTS_NOW - late - 10 * gap, gap);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, FACTS_NOW - late);
	facts_outside(f, 1, FACTS_NOW - late - gap);
	return f;
}

/* One step of nine seconds, one save of seventeen: both were blamed for that. */
static void who_is_seen_to_work_is_late_for_a_while(void **state)
{
	struct facts *f = late_at_work(1, 9);

	(void)state;
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	facts_cpu(f, 1, 2, 2, 0);
	facts_expect(f, VERDICT_SLOW, "1", "0,2,3");
	facts_free(f);
	f = late_at_work(1, 17);
	f->ranks[1].process.state = 'D';
	f->ranks[1].process.write_delta = 1 << 20;
	facts_expect(f, VERDICT_SLOW, "1", "0,2,3");
	facts_free(f);
}

/* What it works at may be to look for what another one, who does not come, should have written. */
static void who_works_beside_one_who_stands_is_a_guess(void **state)
{
	struct facts *f = facts_new(5);
	struct job *job;
	struct verdicts *v;

	facts_rounds(f, 0, 10, FACTS_NOW - 19, 1);
	for (int i = 0; i < 5; i++)
		if (i == 1 || i == 3)
			facts_outside(f, i, FACTS_NOW - 10);
		else
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, FACTS_NOW - 9);
	facts_cpu(f, 1, 2, 2, 0);
	facts_cpu(f, 3, 0, 2, 0);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->n, 2);
	assert_int_equal(v->at[0].class, VERDICT_HOST_STALL);
	assert_int_equal(v->at[0].confidence, VERDICT_SUPPORTED);
	assert_int_equal(v->at[1].class, VERDICT_SLOW);
	assert_int_equal(v->at[1].confidence, VERDICT_HYPOTHESIS);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
	(void)state;
}

/* But not for ever: a loop without an end computes, too. */
static void who_works_for_too_long_is_not_merely_late(void **state)
{
	struct facts *f = late_at_work(0.5, 31);

	(void)state;
	facts_cpu(f, 1, 2, 2, 0);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	assert_int_equal(first_of(f).outlook, VERDICT_WAIT);
	facts_free(f);
	f = late_at_work(2, 31); /* in proportion */
	facts_cpu(f, 1, 2, 2, 0);
	facts_expect(f, VERDICT_SLOW, "1", NULL);
	facts_free(f);
}

/* A checkpoint is called one; but one that writes is no stall before it takes far too long. */
static void a_checkpoint_that_writes_is_in_proportion(void **state)
{
	struct facts *f = late_at_work(1, 17);

	(void)state;
	facts_span(f, 1, JOB_SPAN_CHECKPOINT, "save", "", FACTS_NOW - 17, -1);
	f->ranks[1].process.write_delta = 1 << 20;
	facts_expect(f, VERDICT_SLOW, "1", "0,2,3");
	facts_free(f);
	f = late_at_work(0.1, 17);
	facts_span(f, 1, JOB_SPAN_CHECKPOINT, "save", "", FACTS_NOW - 17, -1);
	f->ranks[1].process.write_delta = 1 << 20;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_CHECKPOINT);
	assert_int_equal(first_of(f).outlook, VERDICT_WAIT);
	facts_free(f);
}

/* Whoever has ended does not wait any more: it will not be a hang from any time on. */
static void nothing_is_too_early_of_a_job_that_is_over(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	(void)state;
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 99);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, 9, 99.5);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_true(v->over);
	assert_int_not_equal(v->at[0].class, VERDICT_TOO_EARLY);
	assert_int_equal(v->at[0].outlook, VERDICT_OVER);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* Three are in what rank 2 lacks; since when was overwritten. So it may be for long. */
static void a_wait_of_unknown_age_is_no_health(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 90, 1);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4096, 96)->entered = JOB_UNKNOWN;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* A launcher ended; ranks that live on are another one's, or have outlived it, and hang. */
static void who_outlives_its_launcher_is_not_over(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);
	struct judged j;

	(void)state;
	f->failed = 1;
	j = judge(f);
	assert_int_not_equal(j.first->outlook, VERDICT_OVER);
	assert_false(j.v->over);
	dismiss(j);
	for (int rank = 0; rank < 4; rank++)
		f->ranks[rank].exit_known = false;
	j = judge(f);
	assert_int_equal(j.first->outlook, VERDICT_OVER);
	assert_true(j.v->over);
	done(&j, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_was_late_is_not_blamed_for_a_wait_of_unknown_age),
		cmocka_unit_test(a_usual_wait_is_no_hang),
		cmocka_unit_test(a_wait_of_unknown_age_is_no_health),
		cmocka_unit_test(too_early_says_who_waits_for_whom_and_from_when_on),
		cmocka_unit_test(who_keeps_all_others_a_little_each_time_is_told),
		cmocka_unit_test(no_clock_decides_who_straggles),
		cmocka_unit_test(what_was_late_and_is_not_any_more_is_past),
		cmocka_unit_test(what_comes_late_again_and_again_is_late),
		cmocka_unit_test(who_computes_all_along_may_come),
		cmocka_unit_test(who_writes_all_along_is_not_stuck_in_the_kernel),
		cmocka_unit_test(who_is_seen_to_work_is_late_for_a_while),
		cmocka_unit_test(who_works_beside_one_who_stands_is_a_guess),
		cmocka_unit_test(who_works_for_too_long_is_not_merely_late),
		cmocka_unit_test(a_checkpoint_that_writes_is_in_proportion),
		cmocka_unit_test(nothing_is_too_early_of_a_job_that_is_over),
		cmocka_unit_test(who_outlives_its_launcher_is_not_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
