/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions that a rank had not left when it began to wait. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/facts.h"

/* Rank 2 of four stands in another operation than all others, since second 30. */
static struct facts *one_elsewhere(void)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == 2 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 4096, 30);
	return f;
}

/* The texts of all facts of that kind in the first verdict, each with a "|"; frees the facts. */
static void expect_told(struct facts *f, enum verdict_fact_kind kind, const char *wanted)
{
	struct job *job = facts_job(f);
	struct verdicts *verdicts = verdicts_of(job);
	char told[256] = "";

	for (size_t i = 0; i < verdicts->at[0].nevidence; i++)
		if (verdicts->at[0].evidence[i].kind == kind) {
			const char *text = verdicts->at[0].evidence[i].text;

			snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s|", text);
		}
	assert_string_equal(told, wanted);
	verdicts_free(verdicts);
	job_free(job);
}

/* In a `finally` it came to another operation, just after the note. */
static void one_in_flight_is_told(void **state)
{
	struct facts *f = one_elsewhere();

	facts_say(f, 2, "handling: ValueError: bad sample", 29.999);
	facts_trait(f, 2, "handling-at", "train.py:12 in f", -1);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", "0,1,3");
	expect_told(f, FACT_HANDLING, "ValueError: bad sample|");
	expect_told(f, FACT_RAISED_AT, "train.py:12 in f|");
	facts_free(f);
}

/* The operation that it handled this one at is over. */
static void one_of_another_operation_is_not(void **state)
{
	struct facts *f = one_elsewhere();

	facts_say(f, 2, "handling: ValueError: bad sample", 20);
	expect_told(f, FACT_HANDLING, "");
	facts_free(f);
}

/* Whoever waits for others has nothing to explain. */
static void a_victims_is_not(void **state)
{
	struct facts *f = one_elsewhere();

	facts_say(f, 1, "handling: ValueError: bad sample", 29.999);
	expect_told(f, FACT_HANDLING, "");
	facts_free(f);
}

/* It is on its way out of the program, and nobody has to die of it. */
static void it_is_no_death(void **state)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 30);
	facts_say(f, 2, "handling: ValueError: bad sample", 29);
	facts_outside(f, 2, 29.5);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_in_flight_is_told),
		cmocka_unit_test(one_of_another_operation_is_not),
		cmocka_unit_test(a_victims_is_not),
		cmocka_unit_test(it_is_no_death),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
