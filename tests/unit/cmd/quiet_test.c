/* SPDX-License-Identifier: Apache-2.0 */
/* When an agent takes a job for one that has not moved. */
#include "tests/unit/unit.h"

#include "base/clock.h"
#include "cmd/agent/agent-quiet.h"
#include "tests/unit/facts.h"

/* Two ranks with steps, spans and sends; each time is off by `off`, as clocks compared anew are. */
static bool moves(struct agent_quiet *quiet, double off, int spans, int64_t now)
{
	struct facts *f = facts_new(2);
	struct job *job;
	bool moved;

	facts_rounds(f, 0, 5, 20, 0.5);
	facts_p2p(f, 0, 0, JOB_OP_SEND, 1, 24 + off, false);
	for (int i = 0; i < spans; i++)
		facts_span(f, i % 2, JOB_SPAN_INPUT, "train", "", 10 + i + off, 10.5 + i + off);
	facts_span(f, 0, JOB_SPAN_INPUT, "train", "", 60 + off, FACTS_OPEN);
	job = facts_job(f);
	moved = agent_quiet_see(quiet, job, now * CLOCK_NS_PER_S, 6 * CLOCK_NS_PER_S);
	job_free(job);
	facts_free(f);
	return moved;
}

/* Spans are told by the time of their begin, which each look computes anew. */
static void the_same_records_are_no_movement(void **state)
{
	struct agent_quiet quiet = {0};

	(void)state;
	assert_true(moves(&quiet, 0, 8, 1));
	assert_false(moves(&quiet, 0.000001, 8, 2));
	assert_false(moves(&quiet, -0.002, 8, 3));
	assert_false(moves(&quiet, 0.002, 8, 4));
	assert_int_equal(quiet.since, 1 * CLOCK_NS_PER_S);
}

/* A ring keeps so many spans, and no more: one more is a later one, not another number of them. */
static void a_later_span_is_movement(void **state)
{
	struct agent_quiet quiet = {0};

	(void)state;
	assert_true(moves(&quiet, 0, 8, 1));
	assert_true(moves(&quiet, 0.3, 8, 2));
	assert_true(moves(&quiet, 0.3, 9, 3));
	assert_false(moves(&quiet, 0.3, 9, 4));
}

/* The same records, and this line of a log. */
static bool says(struct agent_quiet *quiet, const char *line, int64_t now)
{
	struct facts *f = facts_new(2);
	struct job *job;
	bool moved;

	facts_rounds(f, 0, 5, 20, 0.5);
	facts_log(f, 0, "");
	f->extra[f->nextra - 1].is.log.last_line = line;
	job = facts_job(f);
	moved = agent_quiet_see(quiet, job, now * CLOCK_NS_PER_S, 6 * CLOCK_NS_PER_S);
	job_free(job);
	facts_free(f);
	return moved;
}

/* A heartbeat that tells of the step that stands, of other things, and of the time, is none. */
static void a_later_step_in_a_log_is_movement(void **state)
{
	static const struct {
		const char *line;
		bool moves;
	} lines[] = {{"step 5 loss 0.3", true}, {"step 5 loss 0.3", false},
		{"3 GB of memory in use", false}, {"last step 5", false},
		{"step 4 of another rank", false}, {"step [61s] waits", false},
		{"Step: 6/100", true}, {"", false}};
	struct agent_quiet quiet = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(says(&quiet, lines[i].line, (int64_t)i + 1), lines[i].moves);
}

/* Seconds until stacks are taken again, if what they tell of has stood for so long. */
static int64_t next_after(int64_t waited)
{
	struct agent_quiet quiet = {0};

	agent_quiet_next(&quiet, true, waited < 0 ? JOB_UNKNOWN : waited * CLOCK_NS_PER_S,
		1000 * CLOCK_NS_PER_S, 40 * CLOCK_NS_PER_S);
	return quiet.due / CLOCK_NS_PER_S - 1000;
}

/* What has nearly stood for as long as was asked for, is looked at when it has. */
static void a_wait_is_looked_at_when_it_is_long_enough(void **state)
{
	(void)state;
	assert_int_equal(next_after(5), 10);
	assert_int_equal(next_after(34), 6);
	assert_int_equal(next_after(39), 3);
	assert_int_equal(next_after(50), 10);
	assert_int_equal(next_after(-1), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_records_are_no_movement),
		cmocka_unit_test(a_later_span_is_movement),
		cmocka_unit_test(a_later_step_in_a_log_is_movement),
		cmocka_unit_test(a_wait_is_looked_at_when_it_is_long_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
