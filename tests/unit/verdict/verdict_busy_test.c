/* SPDX-License-Identifier: Apache-2.0 */
/* A rank that computes, and has no ring: since when, one look cannot tell; and what can be told. */
#include "tests/unit/bystacks.h"

#define COMPUTES "mul@libtorch_cpu.so < clean@/home/me/train.py:70" MAIN

/* Rank 3 computes all the while; each has used so many seconds of CPU since it started. */
static struct facts *busy(double own, double peers)
{
	struct facts *f = foreign(4, 3, COMPUTES);

	for (int i = 0; i < 4; i++) {
		double used = i == 3 ? own : peers;

		facts_cpu(f, i, i == 3 ? 2.1 : 0, 2.2, -1);
		f->ranks[i].process.cpu_used = used < 0 ? JOB_UNKNOWN : (int64_t)(used * 1e9);
		f->ranks[i].process.born = facts_ns(10);
	}
	f->extra[3].is.stack.fact.moved = JOB_YES;
	f->extra[3].is.stack.fact.state = 'R';
	return f;
}

static void expect(struct facts *f, enum verdict_outlook outlook, const char *words)
{
	struct judged j;

	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	j = judge(f);
	assert_int_equal(j.v->at[0].outlook, outlook);
	expect_says(&j, words);
	done(&j, f);
}

/* It has computed for a few seconds more than those that sleep since they wait for it. */
static void who_computes_for_a_while_may_end(void **state)
{
	expect(busy(21, 12), VERDICT_WAIT,
		"used 21 s of CPU since its start 1:30 ago; those that wait 12 s at most");
	(void)state;
}

/* For so long nobody computes one step: it may be for ever, and is not killed for it. */
static void who_computes_for_long_may_do_so_for_ever(void **state)
{
	expect(busy(82, 12), VERDICT_OUTLOOK_UNKNOWN,
		"used 1:22 of CPU since its start 1:30 ago; those that wait 12 s at most");
	(void)state;
}

/* Those that wait spin, or nobody knows: then only its start bounds it. */
static void where_nobody_sleeps_only_its_start_is_known(void **state)
{
	struct facts *f = busy(82, 80);

	for (int i = 0; i < 3; i++)
		facts_cpu(f, i, 2.2, 2.2, -1);
	expect(f, VERDICT_OUTLOOK_UNKNOWN,
		"since when it computes so is not known; it started 1:30 ago");
	expect(busy(82, -1), VERDICT_OUTLOOK_UNKNOWN,
		"since when it computes so is not known; it started 1:30 ago");
	(void)state;
}

/*
 * A logger of rank 3 goes on with reductions of its own, in a thread of its own, while the thread
 * that trains stands still: the rank is not merely late.
 */
static void a_thread_aside_that_goes_on_moves_nobody(void **state)
{
	struct facts *f = facts_new(4);
	struct facts_extra *extra;

	facts_rounds(f, 0, 10, 20, 1);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 85);
	facts_outside(f, 3, 84);
	f->stack_span = 10;
	for (int i = 0; i < 4; i++)
		facts_stack(f, i, i == 3 ? SLEEPS : ALL_REDUCE);
	extra = &f->extra[f->nextra++];
	*extra = (struct facts_extra){.kind = EXTRA_THREAD, .rank = 3, .of_ring = true};
	extra->is.thread = (struct job_thread){.tid = 77,
		.name = "logger",
		.state = JOB_THREAD_OUTSIDE,
		.call = "",
		.since = facts_ns(99.9),
		.cite = "ring:lane1"};
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	facts_free(f);
	(void)state;
}

/* A machine with more to do than it can gives who computes little of a processor: it is late. */
static void who_gets_little_of_a_processor_computes(void **state)
{
	struct facts *f = facts_new(4);
	struct job_stack *stack;

	facts_rounds(f, 0, 10, 20, 1);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 91);
	facts_outside(f, 2, 90.5);
	facts_cpu(f, 2, 0.1, 2, 0);
	stack = facts_stack(f, 2, COMPUTES);
	stack->moved = JOB_YES;
	stack->state = 'R';
	facts_expect(f, VERDICT_SLOW, "2", "0,1,3");
	stack->state = 'S';
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
	(void)state;
}

/* It gets so little that nobody could look at its stacks: its state tells. */
static void who_runs_and_was_not_looked_at_computes(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 1);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 91);
	facts_outside(f, 2, 90.5);
	facts_cpu(f, 2, 0.26, 1.5, 0);
	f->ranks[2].process.state = 'R';
	facts_expect(f, VERDICT_SLOW, "2", "0,1,3");
	f->ranks[2].process.state = 'S';
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	f->ranks[2].process.state = 'R';
	facts_cpu(f, 2, 0.01, 1.5, 0);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
	(void)state;
}

/* A stranger's number of ticks is nobody's work, and no fault of arithmetic. */
static void a_processor_time_of_centuries_is_borne(void **state)
{
	struct facts *f = facts_missing(4, 2, 60);

	facts_cpu(f, 2, 9.2e9, 2, 0);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
	(void)state;
}

/* A program that took the rank's place by exec is named first; who waits is as it was. */
static void a_rank_that_runs_another_program_is_told(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);
	struct verdicts *v;
	struct job *job;

	f->ranks[2].process.comm = "sleep";
	f->ranks[2].process.was = "python3";
	f->ranks[2].process.was_cite = "ring:2:proc1";
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].evidence[0].kind, FACT_RUNS_ANOTHER);
	assert_string_equal(v->at[0].evidence[0].text, "sleep");
	assert_string_equal(v->at[0].evidence[0].text2, "python3");
	verdicts_free(v);
	job_free(job);
	facts_free(f);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_that_runs_another_program_is_told),
		cmocka_unit_test(who_gets_little_of_a_processor_computes),
		cmocka_unit_test(who_runs_and_was_not_looked_at_computes),
		cmocka_unit_test(who_computes_for_a_while_may_end),
		cmocka_unit_test(who_computes_for_long_may_do_so_for_ever),
		cmocka_unit_test(where_nobody_sleeps_only_its_start_is_known),
		cmocka_unit_test(a_thread_aside_that_goes_on_moves_nobody),
		cmocka_unit_test(a_processor_time_of_centuries_is_borne),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
