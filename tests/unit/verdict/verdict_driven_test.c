/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend whose operations go on only while their hosts are in its calls, and whose receives say
 * how much they have room for: MPI.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>

#include "tests/unit/judged.h"

/* Ranks of MPI that made five rounds. */
static struct facts *job_of(int n)
{
	struct facts *f = facts_new(n);

	f->group_makers[0] = "mpi";
	f->completion = true;
	facts_rounds(f, 0, 5, 10, 1);
	return f;
}

static const struct verdict_fact *fact_of(const struct verdict *v, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < v->nevidence; i++)
		if (v->evidence[i].kind == kind)
			return &v->evidence[i];
	return NULL;
}

/* An early receive that nobody has met yet keeps nobody. */
static void what_nobody_waits_for_accuses_nobody(void **state)
{
	struct facts *f = job_of(4);
	struct judged j;

	facts_p2p(f, 0, 0, JOB_OP_RECV, 2, 20, false)->completed = JOB_MAYBE;
	for (int i = 0; i < 4; i++)
		facts_outside(f, i, 99.9);
	assert_int_equal(facts_culprits(f), 0);
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_HEALTHY);
	dismiss(j);
	facts_free(f);
}

/* Whoever began it and is elsewhere is whom the others wait for; it did come to it. */
static void who_began_and_left_is_named(void **state)
{
	struct facts *f = job_of(4);
	const struct verdict_fact *fact;
	struct judged j;

	for (int i = 0; i < 4; i++) {
		struct job_op *op = facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 60);

		op->completed = JOB_NO;
		if (i != 2)
			facts_sync(f, i, 60.1);
		else
			facts_outside(f, i, 60);
	}
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	j = judge(f);
	assert_true(j.first->confidence <= VERDICT_SUPPORTED);
	fact = fact_of(j.first, FACT_LEFT_OPEN);
	assert_non_null(fact);
	assert_int_equal(fact->a, 6);
	assert_null(fact_of(j.first, FACT_NEVER_ENTERED));
	done(&j, f);
}

/* A message of MPI that is begun, and stands for that number. */
static void begin(struct facts *f, int rank, uint8_t kind, int peer, uint64_t number)
{
	struct job_op *op = facts_p2p(f, 0, rank, kind, peer, 60, false);

	op->completed = JOB_MAYBE;
	op->stream = number;
}

/*
 * Rank 0 has begun to receive from all the others, and waits for some of those: whom that wait is
 * not for keeps nobody.
 */
static void a_wait_for_several_is_for_those_alone(void **state)
{
	struct facts *f = job_of(4);

	begin(f, 0, JOB_OP_RECV, 2, 0xc10d000000000010);
	begin(f, 0, JOB_OP_RECV, 1, 0xc10d000000000011);
	begin(f, 0, JOB_OP_RECV, 3, 0xc10d000000000060);
	facts_sync(f, 0, 60.1);
	f->ranks[0].thread.call = "MPI_Waitall";
	f->ranks[0].thread.whole_device = false;
	assert_int_equal(facts_culprits(f), 0); /* of three that one waits for nobody is named */
	f->ranks[0].thread.first_op = 0xc10d000000000010;
	f->ranks[0].thread.ops = 1;
	facts_expect(f, VERDICT_HOST_STALL, "2", "0");
	/* The last bit is for all that are so far behind, those that have come included. */
	f->ranks[0].thread.ops = 1ull << 63;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0");
	f->ranks[0].thread.ops = 2;
	f->ranks[0].lost = 1; /* one of those it waits for may have no number */
	facts_expect(f, VERDICT_HOST_STALL, "1", "0");
	f->ranks[0].thread.ops = 4;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0");
	facts_free(f);
}

/* A receive has room for more than came, and that is well; both are of one message. */
static void room_is_no_amount(void **state)
{
	struct facts *f = job_of(2);

	facts_p2p(f, 0, 0, JOB_OP_RECV, 1, 60, true)->sig.count = 100;
	facts_p2p(f, 0, 1, JOB_OP_SEND, 0, 60, true)->sig.count = 8;
	assert_int_equal(facts_culprits(f), 0);
	f->group_makers[0] = "nccl";
	facts_expect(f, VERDICT_UNEVEN_SHARD, "", NULL);
	facts_free(f);
}

/* Whose messages it took of anybody, nothing counts: a send that seems unmet accuses nobody. */
static void a_receive_from_anybody_may_have_met_it(void **state)
{
	struct facts *f = job_of(3);

	facts_p2p(f, 0, 0, JOB_OP_SEND, 2, 60, true);
	facts_outside(f, 2, 60);
	facts_outside(f, 1, 60);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0");
	f->members[0][2].fact.from_any = true;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* An all-to-all: what each gives the others, and awaits, in bytes. */
static void give(struct facts *f, int rank, const char *parts, bool held)
{
	struct job_op *op = held ? facts_hold(f, 0, rank, JOB_OP_ALLTOALL, JOB_NO_COUNT, 60)
				 : facts_enter(f, 0, rank, JOB_OP_ALLTOALL, JOB_NO_COUNT, 60);

	op->parts = parts;
	op->completed = held ? JOB_NO : JOB_YES;
}

static void a_pair_of_an_all_to_all_that_disagrees_is_named(void **state)
{
	struct facts *f = job_of(3);
	const struct verdict_fact *fact;
	struct judged j;

	give(f, 0, "8:8,8:8,8:8", true);
	give(f, 1, "8:8,8:8,8:8", true);
	give(f, 2, "0:8,8:8,8:8", true);
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_UNEVEN_SHARD);
	assert_int_equal(j.first->culprits.n, 0);
	fact = fact_of(j.first, FACT_UNEVEN_PARTS);
	assert_non_null(fact);
	assert_int_equal(fact->a, 0);
	assert_int_equal(fact->b, 0);
	assert_int_equal(fact->c, 8);
	done(&j, f);
}

/* One rank that sees it otherwise than all others, each of whom disagrees with it alone. */
static void the_odd_one_of_an_all_to_all_is_named(void **state)
{
	struct facts *f = job_of(3);

	give(f, 0, "8:8,8:8,8:8", true);
	give(f, 1, "8:8,8:8,8:8", true);
	give(f, 2, "4:4,4:4,4:4", true);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "2", "0,1");
	facts_free(f);
}

/* The library ends who gets more than it has room for: nobody knows who was wrong. */
static void an_end_inside_an_operation_is_nobodys_own(void **state)
{
	struct facts *f = job_of(3);

	for (int i = 0; i < 3; i++) {
		facts_hold(f, 0, i, JOB_OP_ALLTOALL, JOB_NO_COUNT, 60);
		f->ranks[i].thread_group = f->group_keys[0];
	}
	facts_end(f, 1, JOB_EXITED, 15, 60.1);
	for (int i = 0; i < 3; i += 2) {
		facts_signal(f, i, SIGTERM, 900, "", 60.5);
		facts_end(f, i, JOB_SIGNALED, SIGTERM, 60.6);
	}
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Who exits without finalizing ends the others: their launcher kills them at once. */
static void who_left_without_finalizing_is_named(void **state)
{
	struct facts *f = job_of(3);
	struct judged j;

	facts_end(f, 2, JOB_EXITED, 0, 60);
	for (int i = 0; i < 2; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 60.2);
	facts_expect(f, VERDICT_EARLY_EXIT, "2", NULL);
	j = judge(f);
	assert_non_null(fact_of(j.first, FACT_UNFINALIZED));
	dismiss(j);
	for (int i = 0; i < 3; i++)
		f->members[0][i].fact.state = JOB_MEMBER_CLOSING;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/*
 * Two wait in a barrier for rank 3, which is elsewhere, and for rank 2: that waits for rank 3, too,
 * in a call that no ring has, and spins there.
 */
static void who_spins_in_a_call_without_records_is_not_late(void **state)
{
	struct facts *f = job_of(4);
	struct job_stack *stack;

	for (int i = 0; i < 2; i++) {
		facts_hold(f, 0, i, JOB_OP_BARRIER, 1, 90);
		f->ranks[i].thread.call = "MPI_Barrier";
	}
	for (int i = 2; i < 4; i++)
		facts_outside(f, i, 90);
	facts_cpu(f, 2, 2.2, 2.2, -1);
	stack = facts_stack(f, 2,
		"poll@libmpi.so.40 < MPI_Comm_join@libmpi.so.40 < step@train < main@train");
	stack->moved = JOB_YES;
	stack->still = 1;
	facts_stack(f, 3, "pause@libc.so.6 < step@train < main@train");
	assert_int_equal(facts_culprits(f), 1 << 3);
	facts_free(f);
}

/* Nobody waits by their rings, and some do in what these never have: they may wait for long. */
static void calls_without_records_leave_a_doubt(void **state)
{
	struct facts *f = job_of(4);
	struct judged j;

	for (int i = 0; i < 4; i++)
		facts_outside(f, i, 99.5);
	for (int i = 0; i < 3; i++)
		facts_stack(f, i, "poll@libmpi.so.40 < MPI_Comm_join@libmpi.so.40 < main@train")
			->moved = JOB_YES;
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_HEALTHY);
	assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
	done(&j, f);
}

/* Each waits for its neighbours only: of two who have not come, one may be nobody's. */
static void of_neighbours_that_are_missing_one_may_be_nobodys(void **state)
{
	struct facts *f = job_of(5);
	struct judged j;

	for (int i = 0; i < 5; i++)
		if (i < 3)
			facts_hold(f, 0, i, JOB_OP_NEIGHBORS, 1, 60);
		else
			facts_outside(f, i, 60);
	j = judge(f);
	assert_true(j.first->confidence <= VERDICT_HYPOTHESIS);
	dismiss(j);
	/* One alone is the one. */
	facts_hold(f, 0, 3, JOB_OP_NEIGHBORS, 1, 60);
	facts_expect(f, VERDICT_HOST_STALL, "4", "0-3");
	j = judge(f);
	assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
	done(&j, f);
}

/* Python ends MPI in good order for an exception: that is why the others wait there in vain. */
static void who_finalizes_for_an_exception_died_of_it(void **state)
{
	struct facts *f = job_of(4);
	struct judged j;

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == 2 ? JOB_OP_FINALIZE : JOB_OP_BARRIER, 1, 60);
	facts_note(f, 2, "exception: ValueError: bad shard", 59.9);
	facts_expect(f, VERDICT_RANK_DEATH, "2", "0,1,3");
	j = judge(f);
	assert_int_equal(j.v->n, 1);
	done(&j, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_waits_for_accuses_nobody),
		cmocka_unit_test(who_began_and_left_is_named),
		cmocka_unit_test(a_wait_for_several_is_for_those_alone),
		cmocka_unit_test(room_is_no_amount),
		cmocka_unit_test(a_receive_from_anybody_may_have_met_it),
		cmocka_unit_test(a_pair_of_an_all_to_all_that_disagrees_is_named),
		cmocka_unit_test(the_odd_one_of_an_all_to_all_is_named),
		cmocka_unit_test(an_end_inside_an_operation_is_nobodys_own),
		cmocka_unit_test(who_left_without_finalizing_is_named),
		cmocka_unit_test(who_finalizes_for_an_exception_died_of_it),
		cmocka_unit_test(who_spins_in_a_call_without_records_is_not_late),
		cmocka_unit_test(calls_without_records_leave_a_doubt),
		cmocka_unit_test(of_neighbours_that_are_missing_one_may_be_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
