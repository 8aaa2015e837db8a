/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks whose last words are of a peer that is gone: while they tear down, and of whom they are. */
#include "tests/unit/unit.h"

#include "tests/unit/facts.h"
#include "tests/unit/judged.h"

#define CLOSED "RuntimeError: [pair.cc:561] Connection closed by peer [127.0.0.1]:29328"

/*
 * Rank 3 is done and gone; what its peers heard of it they raise, and work on while they tear down.
 * One of them is waited for elsewhere, by a rank that heard nothing.
 */
static void a_peer_that_works_while_it_tears_down_is_a_victim(void **state)
{
	struct facts *f = facts_new(4);
	int pair = facts_group_of(f, 2, 1, 2);

	f->group_makers[0] = f->group_makers[pair] = "gloo";
	facts_rounds(f, 0, 3, 20, 0.1);
	facts_end(f, 3, JOB_EXITED, 0, 85);
	facts_hold(f, pair, 1, JOB_OP_ALLREDUCE, 4096, 84);
	for (int i = 0; i < 3; i += 2) {
		facts_note(f, i, CLOSED, 85.1);
		facts_outside(f, i, 85.1);
		facts_cpu(f, i, 1.5, 2, 0);
	}
	facts_expect(f, VERDICT_EARLY_EXIT, "3", NULL);
	facts_free(f);
}

/*
 * A request to a server outside times out in rank 1, which never comes to the operation in which
 * the others then lose it: what it says of others is of none of them. So many ranks exit by that,
 * before anybody is told to end.
 */
static struct facts *asked_in_vain(double at, int ranks)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < ranks; i++) {
		if (i != 1)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4096, 60)->completed = JOB_NO;
		facts_note(f, i, i == 1 ? "TimeoutError: The read operation timed out" : CLOSED,
			i == 1 ? at : 60.2 + 0.01 * i);
		facts_outside(f, i, 60.2);
		facts_end(f, i, JOB_EXITED, 1, 60.5 + 0.01 * i);
	}
	return f;
}

static void who_fails_ahead_of_what_others_die_in_is_a_guess(void **state)
{
	struct facts *f = asked_in_vain(60.1, 4);
	struct judged j = judge(f);

	assert_int_equal(j.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(j.first->confidence, VERDICT_HYPOTHESIS);
	assert_int_equal(facts_culprits(f), 1 << 1);
	dismiss(j);
	facts_free(f);
	/* Behind the others it may be of them. */
	f = asked_in_vain(60.4, 4);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	/* So it may be where one of them had left in good order. */
	f = asked_in_vain(60.1, 3);
	facts_end(f, 3, JOB_EXITED, 0, 60.05);
	facts_expect(f, VERDICT_EARLY_EXIT, "3", NULL);
	facts_free(f);
	/* Or where it stood in an operation itself. */
	f = asked_in_vain(60.1, 4);
	facts_enter(f, facts_group_of(f, 2, 0, 1), 1, JOB_OP_ALLREDUCE, 4096, 60)->completed =
		JOB_NO;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_that_works_while_it_tears_down_is_a_victim),
		cmocka_unit_test(who_fails_ahead_of_what_others_die_in_is_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
