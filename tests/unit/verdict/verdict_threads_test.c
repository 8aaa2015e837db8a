/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of MPI with two threads that call: the main one, and one that serves, which stands in a
 * receive on a communicator of its own (group 1) from 20 on, for as long as the job runs.
 */
#include "tests/unit/unit.h"

#include <signal.h>

#include "tests/unit/judged.h"

#define READS "read@libc.so.6 < readpipe@/me/c.c:23 < main@/me/c.c:140"
#define JOINS                                                                                      \
	"__futex_abstimed_wait_common@libc.so.6 < __pthread_clockjoin_ex@libc.so.6 < "             \
	"main@/me/c.c:140"

static void add_thread(struct facts *f, int rank, enum job_thread_state state, double since)
{
	struct facts_extra *extra = &f->extra[f->nextra++];

	*extra = (struct facts_extra){.kind = EXTRA_THREAD, .rank = rank, .of_ring = true};
	extra->is.thread = (struct job_thread){.tid = 500 + (uint32_t)rank,
		.name = "server",
		.state = state,
		.call = state == JOB_THREAD_OUTSIDE ? "" : "MPI_Recv",
		.detail = "",
		.since = facts_ns(since),
		.cite = "ring:lane1"};
}

/* Its second thread waits for a message of that one. */
static void serve(struct facts *f, int rank, int peer)
{
	f->members[1][rank].tid = 500 + (uint32_t)rank;
	facts_p2p(f, 1, rank, JOB_OP_RECV, peer, 20, true);
	add_thread(f, rank, JOB_THREAD_IN_CALL, 20);
}

/* Ten rounds of the main threads, the last of them at `last`. */
static struct facts *job_of(double last)
{
	struct facts *f = facts_new(4);

	facts_group_of(f, 4, 0, 1, 2, 3);
	f->group_makers[0] = f->group_makers[1] = "mpi";
	f->completion = true;
	facts_rounds(f, 0, 10, last - 9, 1);
	return f;
}

/* The same, each with a thread that waits for a message of the next rank. */
static struct facts *serving(double last)
{
	struct facts *f = job_of(last);

	for (int i = 0; i < 4; i++)
		serve(f, i, (i + 1) % 4);
	return f;
}

static void who_steps_on_beside_a_server_is_well(void **state)
{
	struct facts *f = serving(99.9);

	for (int i = 0; i < 4; i++)
		facts_outside(f, i, 99.9);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/*
 * Beside them threads stand in an operation of their own communicator to which rank 3 does not
 * come: it may be an order that they await, and it may be a hang.
 */
static void who_stands_beside_a_rank_that_goes_on_leaves_a_doubt(void **state)
{
	struct facts *f = job_of(99.9);
	struct judged j;

	for (int i = 0; i < 4; i++) {
		facts_outside(f, i, 99.9);
		if (i == 3)
			continue;
		f->members[1][i].tid = 500 + (uint32_t)i;
		facts_hold(f, 1, i, JOB_OP_ALLREDUCE, 64, 20);
		add_thread(f, i, JOB_THREAD_IN_CALL, 20);
		f->extra[f->nextra - 1].is.thread.call = "MPI_Allreduce";
		facts_outside(f, i, 99.9);
	}
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_HEALTHY);
	assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
	done(&j, f);
}

/* A step takes its time: nobody knows yet that the main threads stand. */
static void a_long_step_beside_a_server_is_no_hang(void **state)
{
	struct facts *f = serving(94);
	struct judged j;

	for (int i = 0; i < 4; i++)
		facts_outside(f, i, 94);
	assert_int_equal(facts_culprits(f), 0);
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_TOO_EARLY);
	done(&j, f);
}

/* All main threads are in a barrier but one, which is in a read: the servers hold nobody. */
static void whom_the_main_threads_wait_for_is_named(void **state)
{
	struct facts *f = serving(19);

	for (int i = 0; i < 4; i++)
		if (i == 2)
			facts_outside(f, i, 19);
		else
			facts_hold(f, 0, i, JOB_OP_BARRIER, 0, 21)->sig.count = JOB_NO_COUNT;
	facts_stack(f, 2, READS);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

/*
 * Rank 2 joins a thread that waits for rank 3, which waits for it. Without a stack of its main
 * thread that may do anything else.
 */
static void who_joins_its_thread_waits_for_what_that_does(void **state)
{
	struct facts *f = job_of(19);
	struct judged j;

	serve(f, 2, 3);
	for (int i = 0; i < 4; i++)
		if (i == 2)
			facts_outside(f, i, 19.9);
		else
			facts_hold(f, 0, i, JOB_OP_BARRIER, 0, 21)->sig.count = JOB_NO_COUNT;
	for (int stacks = 0; stacks < 2; stacks++) {
		if (stacks)
			facts_stack(f, 2, JOINS);
		j = judge(f);
		if (stacks)
			assert_int_equal(j.first->class, VERDICT_ORDER_INVERSION);
		else
			assert_true(j.first->confidence <= VERDICT_HYPOTHESIS);
		dismiss(j);
	}
	facts_free(f);
}

/* Others do not answer for the main thread: they may only tell that the rank lives. */
static void a_second_thread_that_goes_on_frees_no_main_thread(void **state)
{
	struct facts *f = job_of(19);

	facts_p2p(f, 0, 0, JOB_OP_RECV, 3, 20, true);
	f->ranks[0].thread.call = "MPI_Recv";
	add_thread(f, 0, JOB_THREAD_OUTSIDE, 99.9);
	for (int i = 1; i < 4; i++)
		facts_outside(f, i, 19);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0");
	facts_free(f);
}

/* The server spins in its receive: that a processor is used is no progress of who stands. */
static void a_server_that_spins_is_no_sign_of_life(void **state)
{
	for (int spins = 0; spins < 2; spins++) {
		struct facts *f = job_of(79);
		struct job_stack *stack = facts_stack(f, 2, READS);

		if (spins)
			serve(f, 2, 3);
		stack->asleep = facts_ns(20);
		facts_outside(f, 2, 80);
		f->ranks[2].thread.tid = stack->tid;
		facts_cpu(f, 2, 0.9, 2.5, 0);
		facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 80);
		facts_expect(f, spins ? VERDICT_HOST_STALL : VERDICT_SLOW, "2", "0,1,3");
		facts_free(f);
	}
}

/* It was in an operation on a thread that has ended: since then it is outside, and not before. */
static void a_thread_that_has_ended_was_in_a_call(void **state)
{
	struct facts *f = facts_new(4);
	const struct verdict_fact *outside = NULL;
	struct judged j;

	f->group_makers[0] = "gloo";
	f->completion = true;
	facts_rounds(f, 0, 5, 10, 1);
	f->members[0][2].tid = 999;
	facts_round(f, 0, JOB_OP_ALLREDUCE, 1, 50);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 1, 60);
	facts_outside(f, 2, 14);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	j = judge(f);
	for (size_t i = 0; i < j.first->nevidence; i++)
		if (j.first->evidence[i].kind == FACT_OUTSIDE)
			outside = &j.first->evidence[i];
	assert_non_null(outside);
	assert_int_equal(outside->a, 50000000000);
	done(&j, f);
}

/*
 * A thread of rank 2 has group 1 by itself, and waits there for rank 0, which waits for the main
 * thread of rank 2 in group 0. That main thread is in no call.
 */
static struct facts *crossed(const char *maker)
{
	struct facts *f = job_of(19);

	f->group_makers[0] = f->group_makers[1] = maker;
	f->members[1][2].tid = 502;
	facts_round(f, 1, JOB_OP_ALLREDUCE, 64, 19.5);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_hold(f, 0, i, JOB_OP_BARRIER, JOB_NO_COUNT, 21);
	facts_enter(f, 1, 2, JOB_OP_ALLREDUCE, 64, 20)->returned = JOB_NO;
	add_thread(f, 2, JOB_THREAD_IN_CALL, 20);
	facts_outside(f, 2, 19);
	return f;
}

static void who_has_another_thread_that_waits_is_in_no_circle(void **state)
{
	static const char *const makers[] = {"gloo", "mpi", "nccl"};

	for (int i = 0; i < 3; i++) {
		struct facts *f = crossed(makers[i]);
		struct judged j = judge(f);

		for (size_t k = 0; k < j.v->n; k++)
			assert_true(j.v->at[k].confidence <= VERDICT_HYPOTHESIS);
		dismiss(j);
		facts_stack(f, 2, READS);
		facts_expect(f, VERDICT_HOST_STALL, "2", NULL);
		facts_free(f);
		f = crossed(makers[i]);
		facts_stack(f, 2, JOINS);
		facts_expect(f, VERDICT_ORDER_INVERSION, NULL, NULL);
		facts_free(f);
	}
}

/* The thread of rank 3 that has group 1 waits for rank 2: its main thread is no reason. */
static void who_has_another_thread_that_works_is_not_away(void **state)
{
	struct facts *f = job_of(19);
	struct judged j;

	facts_group_of(f, 4, 0, 1, 2, 3);
	f->group_makers[2] = "mpi";
	for (int i = 0; i < 4; i++)
		f->members[1][i].tid = f->members[2][i].tid = 500 + (uint32_t)i;
	facts_round(f, 1, JOB_OP_ALLREDUCE, 64, 19.5);
	for (int i = 0; i < 4; i++)
		facts_outside(f, i, 19);
	facts_enter(f, 1, 0, JOB_OP_ALLREDUCE, 64, 20)->returned = JOB_NO;
	add_thread(f, 0, JOB_THREAD_IN_CALL, 20);
	facts_p2p(f, 2, 3, JOB_OP_RECV, 2, 20, true);
	facts_outside(f, 3, 19);
	add_thread(f, 3, JOB_THREAD_IN_CALL, 20);
	facts_stack(f, 3, READS);
	j = judge(f);
	for (size_t k = 0; k < j.v->n; k++)
		assert_false(j.v->at[k].confidence > VERDICT_HYPOTHESIS &&
			     ranks_have(j.v->at[k].culprits, (struct rank_index){3}));
	done(&j, f);
}

/*
 * The main threads are at work; another one stands in a collective to which nobody else comes, or
 * in a send that nobody receives.
 */
static void a_thread_that_stands_in_vain_is_not_well(void **state)
{
	for (int sends = 0; sends < 2; sends++) {
		struct facts *f = job_of(19);
		struct job_op *op;
		struct judged j;

		for (int i = 0; i < 4; i++) {
			facts_outside(f, i, 19);
			facts_stack(f, i, READS);
		}
		f->members[1][1].tid = 501;
		op = sends ? facts_p2p(f, 1, 1, JOB_OP_SEND, 2, 20, false)
			   : facts_enter(f, 1, 1, JOB_OP_ALLREDUCE, 64, 20);
		op->stream = 77;
		op->completed = JOB_MAYBE;
		add_thread(f, 1, JOB_THREAD_IN_WAIT, 20);
		f->extra[f->nextra - 1].is.thread.stream = 77;
		for (int i = 0; i < 4; i++)
			facts_end(f, i, JOB_SIGNALED, SIGTERM, 99);
		j = judge(f);
		for (size_t i = 0; i < j.v->n; i++)
			assert_false(j.v->at[i].class == VERDICT_HEALTHY &&
				     j.v->at[i].confidence == VERDICT_ESTABLISHED);
		done(&j, f);
	}
}

/*
 * Rank 0 waits for rank 1 in group 0, and rank 1 for rank 0 in group 1, where rank 0 has never
 * called: another thread of it may.
 */
static void any_thread_may_call_where_none_has(void **state)
{
	for (int threads = 0; threads < 2; threads++) {
		struct facts *f = job_of(19);
		struct judged j;

		f->group_makers[0] = f->group_makers[1] = "gloo";
		for (int i = 0; i < 4; i++)
			facts_hold(f, i == 1, i, JOB_OP_BARRIER, JOB_NO_COUNT, 21);
		if (threads)
			add_thread(f, 0, JOB_THREAD_OUTSIDE, 19.6);
		j = judge(f);
		assert_int_equal(j.first->class == VERDICT_ORDER_INVERSION, !threads);
		for (size_t i = 0; threads && i < j.v->n; i++)
			assert_true(j.v->at[i].confidence <= VERDICT_HYPOTHESIS);
		done(&j, f);
	}
}

/*
 * All but rank 1 wait for it in group 0, and rank 1 for rank 0 in another group, where rank 0 has
 * never called. The thread that may call there waits for a message of another thread of rank 1.
 */
static void a_thread_that_waits_may_call_where_none_has(void **state)
{
	static const char *const makers[] = {"gloo", "mpi"};

	for (int m = 0; m < 2; m++) {
		struct facts *f = job_of(19);
		int pair = facts_group_of(f, 2, 0, 1), messages = facts_group_of(f, 2, 0, 1);
		struct judged j;

		f->group_makers[0] = f->group_makers[1] = makers[m];
		f->group_makers[pair] = f->group_makers[messages] = makers[m];
		for (int i = 0; i < 4; i++)
			facts_hold(f, i == 1 ? pair : 0, i, JOB_OP_BARRIER, JOB_NO_COUNT, 21);
		f->members[messages][0].tid = 500;
		facts_p2p(f, messages, 0, JOB_OP_RECV, 1, 21, false)->completed = JOB_MAYBE;
		f->members[messages][0].ops[0].returned = JOB_NO;
		add_thread(f, 0, JOB_THREAD_IN_CALL, 21);
		add_thread(f, 1, JOB_THREAD_OUTSIDE, 21);
		j = judge(f);
		for (size_t i = 0; i < j.v->n; i++)
			assert_false(j.v->at[i].class == VERDICT_ORDER_INVERSION &&
				     j.v->at[i].confidence > VERDICT_HYPOTHESIS);
		done(&j, f);
	}
}

/*
 * Rank 1 has launched an op that rank 0 has not come to, and rank 0 waits for rank 1 in a group in
 * which rank 1 has never called. What its main thread does was not read: the other may be the one.
 */
static void any_thread_may_call_beside_a_torn_board(void **state)
{
	struct facts *f = job_of(19);
	struct judged j;

	f->group_makers[0] = f->group_makers[1] = "nccl";
	f->completion = false;
	facts_enter(f, 0, 1, JOB_OP_ALLREDUCE, 64, 21);
	f->ranks[1].thread.state = JOB_THREAD_UNKNOWN;
	add_thread(f, 1, JOB_THREAD_OUTSIDE, 21);
	for (int i = 0; i < 4; i++)
		if (i != 1) {
			facts_enter(f, 1, i, JOB_OP_ALLREDUCE, 64, 21)->stream = 2;
			facts_sync(f, i, 21.1);
		}
	j = judge(f);
	for (size_t i = 0; i < j.v->n; i++)
		assert_true(j.v->at[i].confidence <= VERDICT_HYPOTHESIS ||
			    j.v->at[i].class == VERDICT_HOST_STALL);
	done(&j, f);
}

#define SLEEPS	"clock_nanosleep@libc.so.6 < step@/me/train.py:12"
#define OPENS	"open64@libc.so.6 < load@/me/train.py:30"
#define METRICS "clock_nanosleep@libc.so.6 < metrics@/me/train.py:8"

/*
 * Each rank has a second thread for its metrics; rank 2's does not come to their operation, and its
 * main thread goes on. The stacks of rank 2 are taken: of its main thread, and of the other one if
 * that lives. `lane`: the ring still has what that one left.
 */
static struct facts *without_metrics(bool lives, bool lane)
{
	struct facts *f = facts_new(4);

	facts_group_of(f, 4, 0, 1, 2, 3);
	f->group_makers[0] = f->group_makers[1] = "gloo";
	facts_rounds(f, 0, 10, 90, 1);
	for (int i = 0; i < 4; i++)
		f->members[1][i].tid = 500 + (uint32_t)i;
	facts_round(f, 1, JOB_OP_ALLREDUCE, 64, 79);
	for (int i = 0; i < 4; i++) {
		if (i != 2)
			facts_hold(f, 1, i, JOB_OP_ALLREDUCE, 64, 80);
		if (i != 2 || lane)
			add_thread(f, i, i == 2 ? JOB_THREAD_OUTSIDE : JOB_THREAD_IN_CALL, 80);
		facts_outside(f, i, 99.9);
	}
	f->stack_span = 2.2;
	f->stack_threads = 1 + lives;
	facts_stack(f, 2, SLEEPS)->moved = JOB_YES;
	facts_cpu(f, 2, 0.1, 2, 0);
	f->ranks[2].process.write_delta = 100000; /* what gloo sends */
	if (lives)
		facts_stack_of(f, 2, "metrics", 502, METRICS)->moved = JOB_YES;
	return f;
}

/* It is gone: what the main thread does brings nobody to the others. */
static void whose_thread_died_is_not_merely_late(void **state)
{
	for (int lane = 0; lane < 2; lane++) {
		struct facts *f = without_metrics(false, lane);
		struct judged j;

		facts_say(f, 2, "thread exception: KeyError: 'grad_norm'", 79.5);
		facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_EXCEPTION);
		j = judge(f);
		assert_int_equal(j.first->outlook, VERDICT_KILL);
		done(&j, f);
	}
}

/* It lives: another thread may have failed. */
static void whose_thread_lives_has_not_died(void **state)
{
	struct facts *f = without_metrics(true, true);
	struct judged j;

	facts_say(f, 2, "thread exception: KeyError: 'grad_norm'", 79.5);
	j = judge(f);
	assert_int_not_equal(j.first->class, VERDICT_RANK_DEATH);
	done(&j, f);
}

/*
 * The main thread sleeps in a call that nothing in its process ends, and another thread computes
 * and writes beside it: that brings the rank no further, and it is not to be waited for.
 */
static void what_others_do_beside_a_sleeper_is_no_progress(void **state)
{
	static const char *const calls[] = {"openat", "futex"};

	for (int i = 0; i < 4; i++) {
		struct facts *f = facts_missing(4, 3, 80);
		struct job_stack *stack;
		struct judged j;

		if (i & 1)
			facts_no_probe(f);
		for (int rank = 0; (i & 1) && rank < 3; rank++)
			facts_stack(f, rank, "epoll_wait@libc.so.6 < all_reduce@torch/distributed/"
					     "distributed_c10d.py:3058 < step@/me/train.py:14");
		f->stack_span = 2.2;
		stack = facts_stack(f, 3, OPENS);
		stack->moved = JOB_NO;
		stack->samples = 3;
		stack->syscall = calls[i / 2];
		facts_stack_of(f, 3, "metrics", 503, METRICS)->moved = JOB_YES;
		facts_cpu(f, 3, 1.9, 2, 0);
		f->ranks[3].process.write_delta = 100000;
		j = judge(f);
		assert_int_equal(j.first->culprits.n, 1);
		assert_int_equal(j.first->culprits.at[0].i, 3);
		if (i / 2) /* whom it waits for may be that thread */
			assert_int_equal(j.first->outlook, VERDICT_WAIT);
		else
			assert_int_equal(j.first->outlook, VERDICT_OUTLOOK_UNKNOWN);
		done(&j, f);
	}
}

/*
 * Each rank saves by a thread of its own, in the group of its main thread. On rank 3 that thread
 * came first: no rank did anything else than the others. A thread of autograd is no such thread: it
 * calls while the main thread waits for it.
 */
static void whose_threads_race_in_one_group_is_not_to_blame(void **state)
{
	static const char *const names[] = {"pt_autograd_0", "saver", "server"};

	for (int name = 0; name < 3; name++) {
		bool races = name > 0;
		struct facts *f = facts_new(4);
		struct judged j;

		f->group_makers[0] = "gloo";
		facts_rounds(f, 0, 10, 50, 1);
		f->members[0][3].last_tid = 503;
		facts_hold(f, 0, 3, JOB_OP_GATHER, 1121, 61);
		add_thread(f, 3, JOB_THREAD_IN_CALL, 61);
		f->extra[f->nextra - 1].is.thread.name = names[name];
		for (int i = 0; i < 3; i++)
			facts_hold(f, 0, i, JOB_OP_BROADCAST, 1, 61);
		facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, races ? "" : "3", NULL);
		j = judge(f);
		assert_int_equal(j.first->next == VERDICT_NEXT_GROUP_PER_THREAD, races);
		done(&j, f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_has_ended_was_in_a_call),
		cmocka_unit_test(who_steps_on_beside_a_server_is_well),
		cmocka_unit_test(who_stands_beside_a_rank_that_goes_on_leaves_a_doubt),
		cmocka_unit_test(a_long_step_beside_a_server_is_no_hang),
		cmocka_unit_test(whom_the_main_threads_wait_for_is_named),
		cmocka_unit_test(who_joins_its_thread_waits_for_what_that_does),
		cmocka_unit_test(a_second_thread_that_goes_on_frees_no_main_thread),
		cmocka_unit_test(a_server_that_spins_is_no_sign_of_life),
		cmocka_unit_test(who_has_another_thread_that_waits_is_in_no_circle),
		cmocka_unit_test(who_has_another_thread_that_works_is_not_away),
		cmocka_unit_test(a_thread_that_stands_in_vain_is_not_well),
		cmocka_unit_test(any_thread_may_call_where_none_has),
		cmocka_unit_test(a_thread_that_waits_may_call_where_none_has),
		cmocka_unit_test(any_thread_may_call_beside_a_torn_board),
		cmocka_unit_test(whose_thread_died_is_not_merely_late),
		cmocka_unit_test(whose_thread_lives_has_not_died),
		cmocka_unit_test(what_others_do_beside_a_sleeper_is_no_progress),
		cmocka_unit_test(whose_threads_race_in_one_group_is_not_to_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
