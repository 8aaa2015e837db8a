/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs that lag behind: in more than one group, or behind what never ends. */
#include "tests/unit/unit.h"

#include "tests/unit/judged.h"

/* All of a group are in its next op; it is done at all but that rank (of which it is not known). */
static void lag(struct facts *f, int group, int n, const int *ranks, int behind)
{
	for (int i = 0; i < n; i++) {
		struct job_op *op =
			facts_enter(f, group, ranks[i], JOB_OP_ALLREDUCE, 64, 40);

		op->completed = ranks[i] == behind ? JOB_NO : JOB_YES;
		if (ranks[i] == behind)
			facts_sync(f, ranks[i], 41);
		else
			f->members[group][ranks[i]].fact.done = op->index;
	}
}

static size_t count(const struct judged *j, int *ret_culprits)
{
	size_t n = 0;

	*ret_culprits = 0;
	for (size_t i = 0; i < j->v->n; i++) {
		if (j->v->at[i].class != VERDICT_GPU_STALL)
			continue;
		n++;
		for (size_t k = 0; k < j->v->at[i].culprits.n; k++)
			*ret_culprits |= 1 << j->v->at[i].culprits.at[k].i;
	}
	return n;
}

/* Two groups of four, in each of which another GPU is behind: what tells of one, tells of one. */
static void two_gpus_of_two_groups_are_two_findings(void **state)
{
	static const int low[] = {0, 1, 2, 3}, high[] = {4, 5, 6, 7};
	struct facts *f = facts_new(8);
	int groups[] = {facts_group(f, 4, low), facts_group(f, 4, high)};
	struct judged j;
	int culprits;

	for (int i = 0; i < 8; i++)
		facts_outside(f, i, 42);
	lag(f, groups[0], 4, low, 1);
	lag(f, groups[1], 4, high, 6);
	j = judge(f);
	assert_int_equal(count(&j, &culprits), 2);
	assert_int_equal(culprits, 1 << 1 | 1 << 6);
	for (size_t i = 0; i < 2; i++) {
		const struct verdict *v = &j.v->at[i];

		assert_int_equal(v->culprits.n, 1);
		assert_int_equal(v->group, groups[v->culprits.at->i / 4]);
		for (size_t k = 0; k < v->nevidence; k++)
			if (v->evidence[k].kind == FACT_NOT_COMPLETED)
				assert_int_equal(v->evidence[k].ranks.at->i, v->culprits.at->i);
	}
	done(&j, f);
}

/* One that is behind in two groups of the same ranks is said once. */
static void one_gpu_of_two_groups_is_one_finding(void **state)
{
	static const int all[] = {0, 1, 2, 3};
	struct facts *f = facts_new(4);
	int groups[] = {facts_group(f, 4, all), facts_group(f, 4, all)};
	struct judged j;
	int culprits;

	for (int i = 0; i < 4; i++)
		facts_outside(f, i, 42);
	lag(f, groups[0], 4, all, 2);
	lag(f, groups[1], 4, all, 2);
	j = judge(f);
	assert_int_equal(count(&j, &culprits), 1);
	assert_int_equal(culprits, 1 << 2);
	done(&j, f);
}

/* The op of that stream that a rank launches there; the rank goes on. */
static void launch(struct facts *f, int group, int rank, uint64_t stream)
{
	struct job_op *op = facts_enter(f, group, rank, JOB_OP_ALLREDUCE, 64, 40);

	op->stream = stream;
	op->completed = JOB_NO;
	facts_outside(f, rank, 40);
}

/*
 * Rank 1 has launched two ops of one group on two streams, and waits for the second stream: it
 * waits for rank 2, which has launched neither, and its GPU is well.
 */
static void a_stream_behind_another_one_of_its_group_waits_as_well(void **state)
{
	static const int pair[] = {1, 2};
	struct facts *f = facts_new(4);
	int group = facts_group(f, 2, pair);

	facts_rounds(f, 0, 5, 10, 1);
	launch(f, group, 1, 7);
	launch(f, group, 1, 4);
	facts_sync(f, 1, 41);
	f->ranks[1].thread.whole_device = false;
	f->ranks[1].thread.stream = 4;
	for (int rank = 0; rank < 4; rank += 3) {
		launch(f, 0, rank, 1);
		facts_sync(f, rank, 41);
	}
	facts_outside(f, 2, 20);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
}

/*
 * Rank 2 has not come, and its board is torn: it may be in a synchronisation with its device, where
 * nobody tells what that has done.
 */
static void a_torn_board_hides_a_wait_for_a_device(void **state)
{
	for (int tracked = 0; tracked < 2; tracked++) {
		struct facts *f = facts_new(4);
		struct judged j;

		f->completion = tracked;
		for (int i = 0; i < 4; i++)
			f->members[0][i].fact.done_known = tracked;
		facts_rounds(f, 0, 5, 10, 1);
		facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 60);
		f->ranks[2].thread.state = JOB_THREAD_UNKNOWN;
		j = judge(f);
		assert_int_equal(j.first->confidence > VERDICT_HYPOTHESIS, tracked);
		done(&j, f);
	}
}

/* Who alone never began it on the device has something before it that never ends (S26). */
static void a_gpu_that_never_began(void **state)
{
	static const int all[] = {0, 1, 2, 3};
	struct facts *f = facts_new(4);
	struct judged j;

	facts_rounds(f, 0, 5, 20, 0.5);
	lag(f, 0, 4, all, -1);
	for (int i = 0; i < 4; i++) {
		f->members[0][i].ops[5].completed = JOB_NO;
		f->members[0][i].fact.done = 5;
		f->members[0][i].fact.begun_known = true;
		f->members[0][i].fact.begun = i == 1 ? 5 : 6;
	}
	facts_expect(f, VERDICT_GPU_STALL, "1", NULL);
	f->members[0][2].fact.begun = 5; /* two of four: a guess */
	facts_expect(f, VERDICT_GPU_STALL, "1,2", NULL);
	j = judge(f);
	assert_int_equal(j.first->confidence, VERDICT_HYPOTHESIS);
	dismiss(j);
	f->members[0][2].fact.begun = 6;
	f->members[0][3].fact.begun_known = false; /* one does not tell: nobody */
	facts_expect(f, VERDICT_TRANSPORT_STALL, "", NULL);
	facts_free(f);
}

/*
 * Two ranks have launched ops of two groups in opposite orders, by a thread for each. Rank 2 is in
 * both groups, and was not seen: that it has not come is a better reason than the orders.
 */
static void orders_that_an_unseen_rank_may_explain_are_a_guess(void **state)
{
	for (int unseen = 0; unseen < 2; unseen++) {
		struct facts *f = facts_new(3);
		int group = facts_group_of(f, 3, 0, 1, 2);
		struct judged j;

		f->completion = true;
		for (int rank = 0; rank < 3; rank++)
			for (int i = 0; i < 2; i++) {
				bool first = i == (rank == 1);

				launch(f, first ? 0 : group, rank, first ? 1 : 2);
				f->members[first ? 0 : group][rank].fact.done_known = true;
			}
		for (int rank = 0; rank < 3; rank++)
			facts_outside(f, rank, 42);
		if (unseen)
			facts_never_seen(f, 2);
		j = judge(f);
		assert_int_equal(j.first->class, VERDICT_ORDER_INVERSION);
		assert_int_equal(j.first->confidence > VERDICT_HYPOTHESIS, !unseen);
		done(&j, f);
	}
}

/* A pipeline whose first stage stays away. Of that rank's device no completion is told. */
static struct facts *pipeline(int untracked)
{
	struct facts *f = facts_new(4);

	f->completion = true;
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_outside(f, 0, 60);
	for (int rank = 1; rank < 4; rank++) {
		for (int sends = 0; sends < (rank < 3 ? 2 : 1); sends++) {
			struct job_op *op = facts_p2p(f, 0, rank,
				sends ? JOB_OP_SEND : JOB_OP_RECV, sends ? rank + 1 : rank - 1,
				60 + 0.01 * sends, false);

			op->stream = 1;
			op->completed = rank == untracked ? JOB_MAYBE : JOB_NO;
		}
		facts_sync(f, rank, 60.02);
	}
	return f;
}

/*
 * Its send stands all the same behind its receive on one stream, to which rank 0 did not come. So
 * it does where it was looked at when it had waited for a moment only.
 */
static void a_send_behind_a_receive_is_open_untracked(void **state)
{
	static const double looked[] = {FACTS_NOW, 65, 61};

	for (size_t at = 0; at < sizeof(looked) / sizeof(*looked); at++) {
		struct facts *f = pipeline(1);

		f->ranks[1].process.looked = facts_ns(looked[at]);
		facts_expect(f, VERDICT_HOST_STALL, "0", at < 2 ? "1-3" : "2,3");
		assert_int_equal(facts_culprits(f), 1);
		facts_free(f);
	}
	(void)state;
}

/* Nobody knows whether rank 2 is done with what it received: the network is a guess at most. */
static void a_message_that_one_side_does_not_track_is_a_guess(void **state)
{
	struct facts *f = pipeline(2);
	struct judged j = judge(f);

	assert_int_equal(j.first->class, VERDICT_HOST_STALL);
	assert_int_equal(facts_culprits(f), 1);
	for (size_t i = 0; i < j.v->n; i++)
		if (j.v->at[i].class == VERDICT_TRANSPORT_STALL)
			assert_int_equal(j.v->at[i].confidence, VERDICT_HYPOTHESIS);
	done(&j, f);
	(void)state;
}

/* A GPU that never began it looks like the network where nobody tells which of them did. */
static void the_network_is_a_guess_where_no_gpu_tells_that_it_began(void **state)
{
	for (int begun = 0; begun < 2; begun++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_rounds(f, 0, 5, 20, 0.5);
		for (int i = 0; i < 4; i++) {
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 40)->completed = JOB_NO;
			facts_sync(f, i, 41);
			f->members[0][i].fact.begun_known = begun;
			f->members[0][i].fact.begun = begun ? 6 : 0;
		}
		j = judge(f);
		assert_int_equal(j.first->class, VERDICT_TRANSPORT_STALL);
		assert_int_equal(j.first->confidence,
			begun ? VERDICT_SUPPORTED : VERDICT_HYPOTHESIS);
		assert_int_equal(j.first->next, begun ? VERDICT_NEXT_CHECK_FABRIC
						      : VERDICT_NEXT_PROFILE_COLLECTIVES);
		done(&j, f);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gpu_that_never_began),
		cmocka_unit_test(two_gpus_of_two_groups_are_two_findings),
		cmocka_unit_test(one_gpu_of_two_groups_is_one_finding),
		cmocka_unit_test(a_stream_behind_another_one_of_its_group_waits_as_well),
		cmocka_unit_test(a_torn_board_hides_a_wait_for_a_device),
		cmocka_unit_test(orders_that_an_unseen_rank_may_explain_are_a_guess),
		cmocka_unit_test(a_send_behind_a_receive_is_open_untracked),
		cmocka_unit_test(a_message_that_one_side_does_not_track_is_a_guess),
		cmocka_unit_test(the_network_is_a_guess_where_no_gpu_tells_that_it_began),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
