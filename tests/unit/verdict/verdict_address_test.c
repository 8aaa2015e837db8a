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

/*
 * All took 50 s to come to the store, and have stood there for as long: rank 0 serves it, rank 2
 * looks for it elsewhere. A start of 50 s by itself lets nobody be blamed before 150 s.
 */
static struct facts *met_but_for_rank_2(void)
{
	struct facts *f = started(4);

	facts_no_group(f);
	for (int rank = 0; rank < 4; rank++) {
		facts_candidate(f, rank);
		at_the_store(f, rank, rank ? "c10d_store_open" : "c10d_store_serve", "node0:29500");
		f->ranks[rank].thread.since = facts_ns(50);
	}
	f->ranks[2].thread.detail = "node0:29501";
	return f;
}

static void who_stands_apart_is_told_however_slow_starts_are(void **state)
{
	struct facts *f = met_but_for_rank_2();

	facts_expect_cause(f, VERDICT_NOT_STARTED, "2", VERDICT_BY_ADDRESS);
	f->ranks[2].thread.detail = "node0:29500";
	facts_expect(f, VERDICT_TOO_EARLY, "", NULL);
	facts_free(f);
}

/* It may have come there only now, and go on to the others. */
static void who_looks_elsewhere_for_a_moment_may_come_yet(void **state)
{
	struct facts *f = met_but_for_rank_2();

	f->ranks[2].thread.since = facts_ns(95);
	facts_expect(f, VERDICT_TOO_EARLY, "", NULL);
	facts_free(f);
}

/* Nor is one blamed that still starts, since another one stands apart. */
static void who_still_starts_is_not_who_stands_apart(void **state)
{
	struct facts *f = met_but_for_rank_2();

	facts_outside(f, 3, 5);
	facts_expect(f, VERDICT_TOO_EARLY, "", NULL);
	facts_free(f);
}

/* Of a job that has more ranks than are seen, the others may be at either place. */
static void who_is_not_seen_may_be_there(void **state)
{
	struct facts *f = met_but_for_rank_2();

	f->world_size = 8;
	facts_expect(f, VERDICT_TOO_EARLY, "", NULL);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_meets_again_chooses_another_port),
		cmocka_unit_test(who_is_on_the_way_may_choose_yet),
		cmocka_unit_test(who_stands_apart_is_told_however_slow_starts_are),
		cmocka_unit_test(who_looks_elsewhere_for_a_moment_may_come_yet),
		cmocka_unit_test(who_still_starts_is_not_who_stands_apart),
		cmocka_unit_test(who_is_not_seen_may_be_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
