/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of MPI that ranks began and did not finish, and forks that some have not come to.
 */
#include "tests/unit/unit.h"

#include "tests/unit/judged.h"

static struct facts *job_of(int n)
{
	struct facts *f = facts_new(n);

	f->group_makers[0] = "mpi";
	f->completion = true;
	facts_rounds(f, 0, 5, 10, 1);
	return f;
}

/* Four ranks begin one, and all but rank 2 finish it and go to a barrier. */
static struct facts *begun_by_all(void)
{
	struct facts *f = job_of(4);

	for (int i = 0; i < 4; i++) {
		struct job_op *op = facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 60);

		op->completed = i == 2 ? JOB_NO : JOB_YES;
		f->members[0][i].fact.done_known = true;
		f->members[0][i].fact.done = i == 2 ? 5 : 6;
		f->ranks[i].thread_group = f->group_keys[0];
		if (i == 2)
			continue;
		facts_hold(f, 0, i, JOB_OP_BARRIER, JOB_NO_COUNT, 60.1);
		f->ranks[i].thread.call = "MPI_Barrier";
	}
	return f;
}

/* It is in a receive, of one who waits for it in the barrier: no wait for what it had begun. */
static void a_receive_is_no_wait_for_what_was_begun_before(void **state)
{
	struct facts *f = begun_by_all();
	struct judged j;

	facts_p2p(f, 0, 2, JOB_OP_RECV, 3, 60.1, true);
	f->ranks[2].thread.call = "MPI_Recv";
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_ORDER_INVERSION);
	done(&j, f);
}

/* Where it is done at others, nothing of the network keeps it. */
static void what_others_have_done_is_no_stall_of_the_network(void **state)
{
	struct facts *f = begun_by_all();
	struct judged j;

	facts_sync(f, 2, 60.1);
	f->ranks[2].thread.call = "MPI_Wait";
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.first->next, VERDICT_NEXT_MORE_EVIDENCE);
	done(&j, f);
}

/* Rank 2 calls something else, and rank 3 has not come yet: all wait for that, too. */
static void who_has_not_come_to_a_fork_is_named(void **state)
{
	struct facts *f = job_of(4);

	for (int i = 0; i < 3; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 60)->sig.redop = i == 2 ? 2 : 0;
	facts_outside(f, 3, 15);
	assert_true(facts_culprits(f) & 1 << 3);
	facts_free(f);
}

/* Nobody says when it was read: that the one in MPI_Wait has not waited for long is not known. */
static void a_wait_of_unknown_age_is_not_well(void **state)
{
	struct facts *f = job_of(4);

	for (int i = 0; i < 4; i++) {
		facts_enter(f, 0, i, JOB_OP_BARRIER, JOB_NO_COUNT, 60)->completed = JOB_MAYBE;
		facts_outside(f, i, 60);
		f->hosts[i].gathered = facts_ns(58);
	}
	facts_sync(f, 0, 60.1);
	f->ranks[0].thread.call = "MPI_Wait";
	for (int i = 0; i < 4; i++)
		f->hosts[i].guessed = true;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_outside(f, 0, 60);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	f->ranks[0].thread.state = JOB_THREAD_UNKNOWN;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* MPI ends who gets more than it has room for: a status without a ring is no word about why. */
static void who_failed_in_a_call_that_nobody_saw_is_a_guess(void **state)
{
	static const char *const makers[] = {"mpi", "nccl"};

	for (int i = 0; i < 2; i++) {
		struct facts *f = job_of(3);
		struct judged j;

		f->group_makers[0] = makers[i];
		facts_lose_ring(f, 0);
		facts_end(f, 0, JOB_EXITED, 15, 60.2);
		facts_hold(f, 0, 1, JOB_OP_ALLTOALL, JOB_NO_COUNT, 60);
		facts_hold(f, 0, 2, JOB_OP_ALLTOALL, JOB_NO_COUNT, 60);
		j = judge(f);
		assert_int_equal(j.first->class, VERDICT_RANK_DEATH);
		assert_int_equal(j.first->confidence,
			i ? VERDICT_SUPPORTED : VERDICT_HYPOTHESIS);
		done(&j, f);
	}
}

/* All are gone at once, one in the middle of an operation, and nobody told them to end. */
static void who_vanished_in_an_operation_was_not_well(void **state)
{
	struct facts *f = job_of(3);

	facts_hold(f, 0, 0, JOB_OP_ALLTOALL, JOB_NO_COUNT, 60);
	for (int i = 0; i < 3; i++)
		facts_end(f, i, JOB_GONE, 0, 60.03);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* Of rank 1 ends were lost: nobody knows that it left open what rank 2 is known to have left. */
static void what_may_be_done_was_not_left_open(void **state)
{
	struct facts *f = job_of(3);

	for (int i = 0; i < 3; i++) {
		facts_enter(f, 0, i, JOB_OP_BARRIER, JOB_NO_COUNT, 60)->completed =
			i == 1 ? JOB_MAYBE : JOB_NO;
		f->members[0][i].fact.done_known = i != 1;
		facts_outside(f, i, 60.1);
	}
	facts_sync(f, 0, 60.1);
	f->ranks[0].thread.call = "MPI_Wait";
	facts_expect(f, VERDICT_HOST_STALL, "2", "0");
	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
}

/* It waits for the later one of two that it began, of which rank 2 has begun but the first. */
static void a_wait_for_a_later_one_is_for_who_lacks_it(void **state)
{
	struct facts *f = job_of(3);

	for (int rank = 0; rank < 3; rank++) {
		facts_enter(f, 0, rank, JOB_OP_BARRIER, JOB_NO_COUNT, 60)->completed = JOB_NO;
		facts_outside(f, rank, 60);
	}
	for (int rank = 0; rank < 2; rank++) {
		struct job_op *op = facts_enter(f, 0, rank, JOB_OP_ALLREDUCE, 64, 60.1);

		op->stream = 0xc10d000000000010 + (uint64_t)rank;
		op->completed = JOB_NO;
		facts_sync(f, rank, 60.2);
		f->ranks[rank].thread.whole_device = false;
		f->ranks[rank].thread.call = "MPI_Wait";
		f->ranks[rank].thread.stream = op->stream;
	}
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1");
	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
}

/*
 * All have begun a barrier and go on; all but rank 2 are in the operation behind it, and wait for
 * rank 2: not for who began the barrier and is elsewhere with another thread.
 */
static void who_is_in_a_call_waits_in_that(void **state)
{
	struct facts *f = job_of(4);
	struct judged j;

	for (int rank = 0; rank < 4; rank++) {
		facts_enter(f, 0, rank, JOB_OP_BARRIER, JOB_NO_COUNT, 60)->completed = JOB_NO;
		facts_outside(f, rank, 60);
		f->members[0][rank].fact.done_known = true;
		f->members[0][rank].fact.done = 5;
		if (rank == 2)
			continue;
		facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 64, 60.1);
		f->ranks[rank].thread.call = "MPI_Allreduce";
	}
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_HOST_STALL);
	assert_int_equal(j.first->op_index, 7);
	assert_int_equal(facts_culprits(f), 1 << 2);
	done(&j, f);
}

/*
 * Rank 0 waits for all of several: a barrier that all have begun, and a message that rank 2 does
 * not send. Who began the barrier and is elsewhere keeps it no more than that.
 */
static void of_several_those_that_lack_nobody_are_no_reason(void **state)
{
	for (int far = 0; far < 2; far++) {
		struct facts *f = job_of(4);
		struct job_thread *thread = &f->ranks[0].thread;
		struct job_op *lacking;

		for (int rank = 0; rank < 4; rank++) {
			struct job_op *op =
				facts_enter(f, 0, rank, JOB_OP_BARRIER, JOB_NO_COUNT, 60);

			op->completed = JOB_NO;
			op->stream = 0xc10d000000000010;
			f->members[0][rank].fact.done_known = true;
			f->members[0][rank].fact.done = 5;
			facts_outside(f, rank, 60);
		}
		lacking = facts_p2p(f, 0, 0, JOB_OP_RECV, 2, 60.1, false);
		lacking->completed = JOB_MAYBE;
		lacking->stream = 0xc10d000000000011 + (far ? 100 : 0);
		facts_sync(f, 0, 60.2);
		thread->call = "MPI_Waitall";
		thread->whole_device = false;
		thread->first_op = 0xc10d000000000010;
		thread->ops = 1 | 1ull << (far ? 63 : 1);
		assert_int_equal(facts_culprits(f), far ? 0 : 1 << 2);
		facts_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_receive_is_no_wait_for_what_was_begun_before),
		cmocka_unit_test(what_others_have_done_is_no_stall_of_the_network),
		cmocka_unit_test(who_has_not_come_to_a_fork_is_named),
		cmocka_unit_test(a_wait_of_unknown_age_is_not_well),
		cmocka_unit_test(who_failed_in_a_call_that_nobody_saw_is_a_guess),
		cmocka_unit_test(who_vanished_in_an_operation_was_not_well),
		cmocka_unit_test(what_may_be_done_was_not_left_open),
		cmocka_unit_test(a_wait_for_a_later_one_is_for_who_lacks_it),
		cmocka_unit_test(who_is_in_a_call_waits_in_that),
		cmocka_unit_test(of_several_those_that_lack_nobody_are_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
