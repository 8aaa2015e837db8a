/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When two samples in a moment say as much as three over seconds: who has slept for so long has not
 * moved in that time, whoever looked. Whatever may have moved is looked at again.
 */
#include "tests/unit/bystacks.h"
#include "base/clock.h"
#include "verdict/parked.h"

#define SPAN (22 * CLOCK_NS_PER_S / 10)
#define ALLREDUCE "recv@libc.so.6 < MPI_Allreduce@libmpi.so.40 < step@train < main@train"
#define LOOP	  "epoll_wait@libc.so.6 < gloo::transport::tcp::Loop::run()@libtorch_cpu.so"

/* Four ranks in a glance: rank 2 is in its own code, and all have slept for ten seconds. */
static struct facts *glance(void)
{
	struct facts *f = facts_new(4);

	facts_no_probe(f);
	f->stack_span = 0.1;
	for (int i = 0; i < 4; i++) {
		struct job_stack *stack = facts_stack(
			f, i, i == 2 ? "pause@libc.so.6 < lost@train < main@train" : ALLREDUCE);

		stack->samples = 2;
		stack->asleep = 10 * CLOCK_NS_PER_S;
		facts_cpu(f, i, 0, 0.1, -1);
		f->ranks[i].process.write_delta = 0;
	}
	return f;
}

/* A second thread of rank 1, that woke a moment ago. */
static struct job_stack *another(struct facts *f, const char *frames)
{
	struct job_stack *stack = facts_stack_of(f, 1, "other", 4711, frames);

	stack->samples = 2;
	stack->moved = JOB_YES;
	stack->cpu_delta = 20000;
	return stack;
}

static void expect(struct facts *f, bool parked)
{
	struct judged j = judge(f);

	assert_int_equal(parked_for(j.v, SPAN), parked);
	done(&j, f);
}

static void all_sleep(void **state)
{
	struct facts *f = glance();
	struct judged j = judge(f);

	(void)state;
	assert_true(parked_for(j.v, SPAN));
	assert_int_equal(j.v->at[0].class, VERDICT_HOST_STALL);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	assert_int_equal(j.v->at[0].culprits.n, 1);
	expect_says(&j, "still for 10 s");
	done(&j, f);
}

/* The samples alone span too little for anything. */
static void nobody_knows_for_how_long(void **state)
{
	struct facts *f = glance();
	struct judged j;

	(void)state;
	for (int i = 0; i < 4; i++)
		f->extra[i].is.stack.fact.asleep = 0;
	j = judge(f);
	assert_false(parked_for(j.v, SPAN));
	assert_int_equal(j.v->at[0].culprits.n, 0);
	done(&j, f);
}

static void one_sleeps_since_a_moment(void **state)
{
	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		struct facts *f = glance();

		f->extra[rank].is.stack.fact.asleep = CLOCK_NS_PER_S;
		expect(f, false);
	}
}

/* How long somebody else has slept says nothing of one who is asked each moment. */
static void one_comes_and_goes(void **state)
{
	struct facts *f = glance();
	struct judged j;

	(void)state;
	for (int i = 0; i < 4; i++)
		if (i != 2) {
			f->extra[i].is.stack.fact.asleep = 0;
			f->extra[i].is.stack.fact.moved = JOB_YES;
		}
	j = judge(f);
	assert_false(parked_for(j.v, SPAN));
	assert_int_equal(j.v->at[0].culprits.n, 0);
	done(&j, f);
}

static void of_one_sample_nothing_is_proved(void **state)
{
	struct facts *f = glance();

	(void)state;
	f->extra[0].is.stack.fact.samples = 1;
	expect(f, false);
}

static void a_library_may_wake(void **state)
{
	struct facts *f = glance();

	(void)state;
	another(f, LOOP);
	expect(f, true);
	f = glance();
	another(f, LOOP)->cpu_delta = 20 * CLOCK_NS_PER_MS; /* of a tenth of a second */
	expect(f, false);
	f = glance();
	another(f, LOOP)->state = 'R';
	expect(f, false);
	f = glance();
	another(f, LOOP)->cut = "cut: a register was needed";
	expect(f, false);
}

/* Samples that lie close together: to wake once takes longer than a hundredth of so little. */
static void to_wake_is_no_movement_however_short_the_look(void **state)
{
	struct facts *f = glance();

	(void)state;
	f->stack_span = 0.002;
	another(f, LOOP)->cpu_delta = 60000;
	expect(f, true);
	f = glance();
	f->stack_span = 0.002;
	another(f, LOOP)->cpu_delta = CLOCK_NS_PER_MS; /* half of it */
	expect(f, false);
}

static void the_programs_own_thread_may_decide(void **state)
{
	struct facts *f = glance();

	(void)state;
	another(f, "clock_nanosleep@libc.so.6 < write_out@train");
	expect(f, false);
	f = glance();
	another(f, "clock_nanosleep@libc.so.6 < write_out@/home/me/train.py:7");
	expect(f, false);
}

static void who_computed_or_wrote_is_looked_at_again(void **state)
{
	struct facts *f = glance();

	(void)state;
	facts_cpu(f, 3, 0.01, 0.1, -1);
	expect(f, false);
	f = glance();
	f->ranks[3].process.write_delta = 8192;
	expect(f, false);
	f = glance();
	f->ranks[3].process.cpu_delta = JOB_UNKNOWN;
	expect(f, false);
	f = glance();
	f->ranks[3].process.write_delta = JOB_UNKNOWN; /* /proc/PID/io is not everybody's to read */
	expect(f, false);
}

/* What a child does nobody saw. */
static void a_child_without_stacks_may_decide(void **state)
{
	struct facts *f = glance();

	(void)state;
	facts_child(f, 0, "loader");
	expect(f, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sleep),
		cmocka_unit_test(nobody_knows_for_how_long),
		cmocka_unit_test(one_sleeps_since_a_moment),
		cmocka_unit_test(one_comes_and_goes),
		cmocka_unit_test(of_one_sample_nothing_is_proved),
		cmocka_unit_test(a_library_may_wake),
		cmocka_unit_test(to_wake_is_no_movement_however_short_the_look),
		cmocka_unit_test(the_programs_own_thread_may_decide),
		cmocka_unit_test(who_computed_or_wrote_is_looked_at_again),
		cmocka_unit_test(a_child_without_stacks_may_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
