/* SPDX-License-Identifier: Apache-2.0 */
/* How far a job had come, and how each rank came to its first step. */
#include "tests/unit/unit.h"

#include "job/firsts.h"
#include "tests/unit/judged.h"

static void how_a_rank_came_to_its_first_step(void **state)
{
	struct facts *f = facts_new(2);
	struct job *job;
	struct firsts *firsts;

	facts_span(f, 0, JOB_SPAN_COMPILE, "dynamo", "", 10, 20);
	facts_span(f, 0, JOB_SPAN_COMPILE, "aot", "", 12, 19);
	facts_span(f, 0, JOB_SPAN_COMPILE, "lazy backward", "", 30, 35);
	facts_round(f, 0, JOB_OP_BROADCAST, 64, 9); /* DDP's */
	facts_enter(f, 0, 0, JOB_OP_ALLREDUCE, 64, 22);
	facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "", 10, FACTS_OPEN);
	facts_step(f, 0, 1);
	f->extra[f->nextra - 1].is.step.first = facts_ns(40);
	facts_trait(f, 0, "mode", "ddp", -1);
	facts_trait(f, 0, "timeout", "", 600000000000);
	job = facts_job(f);
	firsts = firsts_new(job);
	assert_int_equal(firsts[0].compile, 10000000000);
	assert_int_equal(firsts[0].compiling, 15000000000);
	assert_int_equal(firsts[0].collective, 22000000000);
	assert_int_equal(firsts[0].step, 40000000000);
	assert_string_equal(firsts[0].mode, "ddp");
	assert_int_equal(firsts[0].timeout, 600000000000);
	assert_int_equal(firsts[0].heartbeat, JOB_UNKNOWN);
	assert_int_equal(firsts[1].compiling, 90000000000);
	assert_int_equal(firsts[1].collective, JOB_UNKNOWN);
	assert_int_equal(firsts[1].step, JOB_UNKNOWN);
	assert_string_equal(firsts[1].mode, "");
	firsts_free(firsts);
	job_free(job);
	facts_free(f);
}

/* How far the job had come is said where something tells it: a step's mark, a first compile. */
static void a_stage_is_not_guessed_from_how_many_collectives(void **state)
{
	static const struct {
		bool compiles, compiled;
		int rounds, step; /* -1: no mark */
		enum verdict_stage stage;
	} cases[] = {
		{false, false, 2, -1, VERDICT_FIRST_FORWARD},
		{false, false, 40, -1, VERDICT_STAGE_UNKNOWN},
		{false, false, 40, 0, VERDICT_FIRST_FORWARD},
		{false, false, 40, 1, VERDICT_STEADY},
		{true, false, 40, -1, VERDICT_FIRST_FORWARD},
		{true, true, 40, -1, VERDICT_STAGE_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_rounds(f, 0, cases[i].rounds, 10, 0.5);
		if (cases[i].compiled)
			facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "0/0", 5, 8);
		if (cases[i].compiles)
			facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "0/1", 40, FACTS_OPEN);
		if (cases[i].step >= 0)
			facts_step(f, 0, (uint64_t)cases[i].step);
		j = judge(f);
		assert_int_equal(j.v->stage, cases[i].stage);
		dismiss(j);
		facts_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_a_rank_came_to_its_first_step),
		cmocka_unit_test(a_stage_is_not_guessed_from_how_many_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
