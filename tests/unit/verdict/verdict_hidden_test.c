/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks first differed is overwritten: what is left proves that they did, and no more. */
#include "tests/unit/unit.h"

#include "base/str.h"
#include "tests/unit/judged.h"
#include "words/tense.h"

#define LONG_AGO 500 /* operations that nobody has any more */

/* Four ranks that came through LONG_AGO operations, and enter the next one. */
static struct facts *came_far(void)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.head = LONG_AGO;
		f->members[0][i].fact.done_known = false;
	}
	return f;
}

/* Of these, `odd` brought nothing once, or did something else once. */
static struct facts *differed(int odd, bool zero)
{
	struct facts *f = came_far();

	if (zero)
		f->members[0][odd].fact.zeros = 1;
	for (int i = 0; i < 4; i++)
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 20)->hash =
			zero ? 0 : i == odd ? 5 : 4;
	return f;
}

static void hold_all_but(struct facts *f, int rank)
{
	for (int i = 0; i < 4; i++)
		if (i != rank)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 30);
}

/* All that agreed with rank 3 wait for it, and say so: it is why, whatever rank 1 did before. */
static void an_old_difference_is_not_why_they_wait_for_another(void **state)
{
	(void)state;
	for (int zero = 0; zero < 2; zero++) {
		struct facts *f = differed(1, zero);
		struct judged j;

		hold_all_but(f, 3);
		facts_outside(f, 3, 21);
		facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
		j = judge(f);
		assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
		assert_int_equal(j.v->nnot_judged, 1);
		assert_int_equal(j.v->not_judged[0].need, NEED_OLDER_CALLS);
		done(&j, f);
	}
}

/* Who differed is the one that lacks: the difference may be why. */
static void who_differed_and_lacks_is_held_by_the_difference(void **state)
{
	(void)state;
	for (int zero = 0; zero < 2; zero++) {
		struct facts *f = differed(1, zero);
		struct judged j;

		hold_all_but(f, 1);
		facts_expect(f, zero ? VERDICT_EMPTY_SHARD : VERDICT_COLLECTIVE_MISMATCH, "1",
			"0,2,3");
		j = judge(f);
		assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
		done(&j, f);
	}
}

/* What all passed holds nobody, and no later look tells more of it. */
static void of_what_all_passed_nobody_asks_whether_it_resolves(void **state)
{
	struct facts *f = facts_new(4);
	struct str words = {0};
	struct judged j;

	(void)state;
	facts_rounds(f, 0, 8, 92, 1);
	f->members[0][2].ops[2].sig.dtype = 6;
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_COLLECTIVE_MISMATCH);
	tense_add_prospect(&words, j.v, j.first, JOB_UNKNOWN, true);
	assert_string_equal(
		str_text(&words), "the job goes on; whether its data is right nobody recorded");
	str_release(&words);
	done(&j, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_difference_is_not_why_they_wait_for_another),
		cmocka_unit_test(who_differed_and_lacks_is_held_by_the_difference),
		cmocka_unit_test(of_what_all_passed_nobody_asks_whether_it_resolves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
