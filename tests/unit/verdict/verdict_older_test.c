/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node was looked at long before the others. What its ranks did then may be over since: what
 * was open there is no word against them, and that nobody waited there does not tell that nobody
 * does. The same holds where it is one node, of which two agents took their ranks' evidence at two
 * times: each test is played in both ways.
 */
#include "tests/unit/unit.h"

#include "tests/unit/judged.h"

/* Where the ranks are that were looked at before. */
static bool on_one_node = true, on_two_nodes = false;

/* Four ranks in ten rounds; 2 and 3 were last looked at at that moment. */
static struct facts *two_looks(void **state, double looked)
{
	struct facts *f = facts_new(4);

	f->completion = true;
	facts_rounds(f, 0, 10, 20, 0.5);
	for (int rank = 2; rank < 4; rank++)
		if (*(const bool *)*state)
			f->ranks[rank].process.looked = facts_ns(looked);
		else
			facts_move(f, rank, 1);
	if (!*(const bool *)*state)
		f->hosts[1].gathered = facts_ns(looked);
	return f;
}

/* The rank comes to its next n ops, a second apart, and completes them. */
static void complete(struct facts *f, int rank, int n, double at)
{
	for (int i = 0; i < n; i++) {
		struct job_op *op = facts_enter(f, 0, rank, JOB_OP_ALLREDUCE, 64, at + i);

		op->completed = JOB_YES;
		f->members[0][rank].fact.done = op->index;
	}
	facts_outside(f, rank, at + n - 0.9);
}

/* It is in its next op, and the device does not get on. */
static void leave_open(struct facts *f, int rank, double at)
{
	facts_enter(f, 0, rank, JOB_OP_ALLREDUCE, 64, at)->completed = JOB_NO;
	facts_sync(f, rank, at + 0.1);
}

/* True if the page asks for another look at that rank. */
static bool wants_look(const struct judged *j, int rank)
{
	for (size_t i = 0; i < j->v->nnot_judged; i++)
		for (size_t k = 0; k < j->v->not_judged[i].ranks.n; k++)
			if (j->v->not_judged[i].need == NEED_LOOK &&
				j->v->not_judged[i].ranks.at[k].i == rank)
				return true;
	return false;
}

/* Nothing is said of anybody but that it is to be looked at again. */
static void expect_look(struct facts *f, const char *victims, int rank)
{
	struct judged j = judge(f);

	facts_expect(f, VERDICT_INCONCLUSIVE, "", victims);
	assert_int_equal(j.first->next, VERDICT_NEXT_LOOK_AGAIN);
	assert_true(wants_look(&j, rank));
	dismiss(j);
}

/* The others completed five ops more, each of which needs all: no GPU is behind. */
static void what_was_open_there_is_done_since(void **state)
{
	struct facts *f = two_looks(state, 65);

	for (int rank = 0; rank < 4; rank++)
		rank < 2 ? complete(f, rank, 6, 60) : leave_open(f, rank, 60);
	expect_look(f, "2,3", 2);
	facts_free(f);
}

/* The others completed that op, and none behind it: their look came too late to compare. */
static void what_was_open_there_may_be_done_since(void **state)
{
	static const struct {
		double looked;
		enum verdict_confidence confidence;
	} looks[] = {{65, VERDICT_HYPOTHESIS}, {99.5, VERDICT_SUPPORTED}};

	for (size_t i = 0; i < 2; i++) {
		struct facts *f = two_looks(state, looks[i].looked);
		struct judged j;

		for (int rank = 0; rank < 4; rank++)
			rank != 3 ? complete(f, rank, 1, 60) : leave_open(f, rank, 60);
		facts_expect(f, VERDICT_GPU_STALL, "3", NULL);
		j = judge(f);
		assert_int_equal(j.first->confidence, looks[i].confidence);
		assert_int_equal(wants_look(&j, 3), i == 0);
		done(&j, f);
	}
}

/* Who was late there came since: others completed what cannot be complete without it. */
static void who_was_late_there_came_since(void **state)
{
	struct facts *f = two_looks(state, 70);

	complete(f, 0, 6, 60);
	complete(f, 1, 6, 60);
	facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 64, 60);
	facts_outside(f, 3, 59);
	expect_look(f, "2", 3);
	/* An op to which it brings nothing is complete for a rank alone. */
	for (int rank = 0; rank < 2; rank++)
		for (int i = 0; i < 6; i++)
			f->members[0][rank].ops[10 + i].sig.count = 0;
	facts_expect(f, VERDICT_EMPTY_SHARD, "", "2");
	facts_free(f);
}

/*
 * Two compute for 40 s since all had met; the others were looked at just after that, and may have
 * waited ever since. A look 20 s later, in which they do not wait, is enough.
 */
static void who_waited_for_nobody_may_wait_since(void **state)
{
	static const double looked[] = {60, 80, 100};

	for (size_t i = 0; i < 3; i++) {
		struct facts *f = two_looks(state, looked[i]);

		for (int rank = 0; rank < 4; rank++) {
			complete(f, rank, 1, 59);
			facts_cpu(f, rank, 1, 1, 0);
		}
		if (i)
			facts_expect(f, VERDICT_HEALTHY, "", "");
		else
			expect_look(f, "", 2);
		facts_free(f);
	}
}

/*
 * Of a pair one waits for the other, which loads; the whole group waits for two on the node that
 * was looked at before: that these live and do not compile is not known.
 */
static void what_became_of_them_since_rules_nothing_out(void **state)
{
	for (int old = 0; old < 2; old++) {
		struct facts *f = two_looks(state, old ? 60 : 100);
		int pair = facts_group_of(f, 2, 0, 1);
		struct judged j;

		facts_rounds(f, pair, 5, 30, 0.5);
		facts_hold(f, pair, 0, JOB_OP_ALLREDUCE, 64, 70);
		facts_span(f, 1, JOB_SPAN_INPUT, "next", "", 69, FACTS_OPEN);
		facts_outside(f, 1, 69);
		facts_outside(f, 2, 59);
		facts_outside(f, 3, 59);
		facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 64, 70);
		j = judge(f);
		for (size_t i = 0; i < j.first->nruled_out; i++)
			assert_true(!old || (j.first->ruled_out[i].class != VERDICT_RANK_DEATH &&
						    j.first->ruled_out[i].class !=
							    VERDICT_COMPILE_SKEW));
		assert_true(old || j.first->nruled_out > 1);
		done(&j, f);
	}
}

/* Both ways of one test. */
#define PLAYED(test)                                                                               \
	{#test " on one node", test, NULL, NULL, &on_one_node},                                   \
	{                                                                                          \
		#test " on two nodes", test, NULL, NULL, &on_two_nodes                             \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(what_was_open_there_is_done_since),
		PLAYED(what_was_open_there_may_be_done_since),
		PLAYED(who_was_late_there_came_since),
		PLAYED(who_waited_for_nobody_may_wait_since),
		PLAYED(what_became_of_them_since_rules_nothing_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
