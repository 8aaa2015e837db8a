/* SPDX-License-Identifier: Apache-2.0 */
/* Who came late to collectives that all entered: how often, by how much, when, what came since. */
#include "viewer/timeline/lates.h"

#include "base/clock.h"
#include "tests/unit/unit.h"
#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

/* All 4 s apart, to all of which rank 2 is the last by a hair; to these numbers `by` later. */
static struct facts *rounds_with(const int *late, size_t nlate, int n, double by)
{
	struct facts *f = facts_new(4);

	for (int i = 1; i <= n; i++) {
		double at = 10 + 4 * i;

		for (size_t k = 0; k < nlate; k++)
			at += late[k] == i ? by : 0;
		facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 10 + 4 * i);
		f->members[0][2].ops[i - 1].entered = facts_ns(at + 0.001);
	}
	return f;
}

static struct late late_of(const struct screen_test *t, int rank)
{
	struct lates *lates = lates_new(t->state->tracks);
	struct late late =
		lates_of(lates, rank_index(rank), t->state->bounds.from, t->state->bounds.to);

	lates_free(lates);
	return late;
}

/* It is last to all twenty, and late to two. */
static void who_is_last_by_a_hair_is_not_late(void **state)
{
	const int at[] = {5, 9};
	struct screen_test t = screen_new(rounds_with(at, 2, 20, 2), 139, 24);
	struct late late = late_of(&t, 2);

	(void)state;
	assert_int_equal(late.times, 2);
	assert_int_equal(late.most / CLOCK_NS_PER_MS, 2001);
	assert_int_equal(late.latest, facts_ns(48.001));
	assert_int_equal(late.since, 11);
	assert_int_equal(late_of(&t, 0).times, 0);
	screen_find(&t, "late 2 times, by 2 s, last 0:48, 11 since");
	state_resize(t.state, 120, 24);
	screen_find(&t, "late 2 times, by 2 s, last 0:48, own");
	screen_lacks(&t, ", 11");
	state_resize(t.state, 300, 40);
	screen_find(&t, "late 2 times, by 2 s, last 0:48, 11 on time since");
	screen_free(&t);
}

/* Of a time that ends before the job does nobody says what came since. */
static void what_is_out_of_sight_is_not_counted(void **state)
{
	const int at[] = {5, 9, 15};
	struct screen_test t = screen_new(rounds_with(at, 3, 20, 2), 139, 24);

	(void)state;
	screen_find(&t, "late 3 times, by 2 s");
	t.state->window.to = facts_ns(60);
	screen_find(&t, "late 2 times, by 2 s");
	screen_lacks(&t, " since");
	screen_free(&t);
}

/* Nothing came since: that is not told as a number. */
static void who_is_late_now_was_not_on_time_since(void **state)
{
	const int at[] = {20};
	struct screen_test t = screen_new(rounds_with(at, 1, 20, 3), 139, 24);

	(void)state;
	assert_int_equal(late_of(&t, 2).since, 0);
	screen_find(&t, "late by 3 s at 1:3");
	screen_lacks(&t, "on time since");
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_last_by_a_hair_is_not_late),
		cmocka_unit_test(what_is_out_of_sight_is_not_counted),
		cmocka_unit_test(who_is_late_now_was_not_on_time_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
