/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks look for each other, where an environment does not say it (any more). */
#include "tests/unit/unit.h"

#include "tests/unit/facts.h"

/* All were started to meet at node0:29500. */
static struct facts *started(int n)
{
	struct facts *f = facts_new(n);

	for (int rank = 0; rank < n; rank++)
		facts_trait(f, rank, "master", "node0:29500", -1);
	return f;
}

static void at_the_store(struct facts *f, int rank, const char *call, const char *where)
{
	facts_call(f, rank, call, 8);
	f->ranks[rank].thread.detail = where;
}

/* A group of all is made a second time, at another port: who is there is not who looks wrong. */
static void who_meets_again_chooses_another_port(void **state)
{
	struct facts *f = started(3);
	int again;

	facts_rounds(f, 0, 5, 2, 1);
	again = facts_group_of(f, 3, 0, 1, 2);
	facts_unseen(f, again, 0);
	facts_unseen(f, again, 2);
	facts_in_init(f, again, 1, 9);
	at_the_store(f, 0, "c10d_store_serve", "node0:29501");
	facts_outside(f, 2, 8);
	assert_int_equal(facts_culprits(f) & 1, 0);
	facts_free(f);
}

/* The program writes its own port over that of its start: who has not come so far has it yet. */
static void who_is_on_the_way_may_choose_yet(void **state)
{
	struct facts *f = started(5);

	facts_no_group(f);
	for (int rank = 0; rank < 5; rank++)
		facts_candidate(f, rank);
	at_the_store(f, 0, "c10d_store_serve", "node0:29501");
	at_the_store(f, 1, "c10d_store_open", "node0:29501");
	for (int rank = 2; rank < 5; rank++)
		facts_stack(f, rank, "read@libc.so.6 < load@/me/train.py:3");
	facts_expect_cause(f, VERDICT_NOT_STARTED, "", VERDICT_NO_CAUSE);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_meets_again_chooses_another_port),
		cmocka_unit_test(who_is_on_the_way_may_choose_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
