/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nobody waits in what rings tell, and yet the job stands: all ranks wait for something that is in
 * no ring. That is not well, nor is it known to be anybody's fault.
 */
#include "tests/unit/bystacks.h"

#define FIFO  "read@libc.so.6 < fetch@/me/train.py:33 < main@/me/train.py:9"
#define REMOTE                                                                                     \
	"pthread_cond_wait@libc.so.6 < rpc_sync@/torch/distributed/rpc/api.py:842 < "              \
	"main@/me/train.py:9"
#define FSYNC "fsync@libc.so.6 < save@/me/train.py:50 < main@/me/train.py:9"

/* Six steps, from 20 s on; it is 100 s. */
static struct facts *silent(double gap, const char *frames)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 6, 20, gap);
	f->stack_span = 2.2;
	for (int rank = 0; frames && rank < 4; rank++)
		facts_stack(f, rank, frames);
	return f;
}

static void all_that_stand_in_their_own_code_are_not_well(void **state)
{
	struct facts *f = silent(0.5, FIFO);
	struct judged j = judge(f);

	(void)state;
	assert_int_equal(j.v->at[0].class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.v->at[0].culprits.n, 0);
	expect_says(&j, "at train.py:33 in fetch, still for 2.2 s");
	assert_int_equal(j.v->at[0].next, VERDICT_NEXT_MORE_EVIDENCE);
	done(&j, f);
}

/* One of them used the processor lately, and was at the same line each time: it is there, too. */
static void who_is_at_the_same_line_is_told_with_them(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	(void)state;
	facts_no_group(f);
	f->ngroups = 0;
	for (int rank = 0; rank < 4; rank++) {
		struct job_stack *stack = facts_stack(f, rank, SLEEPS);

		facts_candidate(f, rank);
		stack->moved = JOB_YES;
		stack->still = 2;
		stack->cpu_delta = 0;
		facts_cpu(f, rank, rank == 1 ? 0.1 : 0.001, 2.2, -1);
	}
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.first->evidence[0].kind, FACT_AT);
	assert_int_equal(j.first->evidence[0].ranks.n, 4);
	assert_int_equal(j.first->evidence[0].a, JOB_UNKNOWN);
	done(&j, f);
}

/*
 * Each asks every few seconds whether something has come, as who waits for the workers of a loader
 * does: it runs for a moment, and comes back to the same line.
 */
static void who_asks_again_and_again_stands(void **state)
{
	struct facts *f = silent(0.5, NULL);
	struct judged j;

	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		struct job_stack *stack = facts_stack(f, rank, LOADER);

		stack->moved = JOB_YES;
		stack->still = 1;
		facts_cpu(f, rank, 0.001, 2.2, 0);
	}
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_INCONCLUSIVE);
	expect_says(&j, "by train.py:120 in main");
	done(&j, f);
}

/*
 * All have begun a moment ago, and ask since then for what does not come. What their start took is
 * no work; and where only their main threads tell what they use, that is not the rest unseen.
 */
static void what_the_start_took_is_no_work(void **state)
{
	(void)state;
	for (int counted = 0; counted < 2; counted++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_no_group(f);
		f->ngroups = 0;
		for (int rank = 0; rank < 4; rank++) {
			struct job_stack *stack = facts_stack(f, rank, SLEEPS);

			facts_candidate(f, rank);
			stack->moved = JOB_YES;
			stack->still = 2;
			stack->cpu_delta = counted ? JOB_UNKNOWN : 0;
			if (counted)
				facts_cpu(f, rank, 0.06, 2.2, -1);
			f->ranks[rank].process.born = facts_ns(FACTS_NOW - 2.5);
		}
		j = judge(f);
		assert_int_equal(j.v->at[0].class, VERDICT_INCONCLUSIVE);
		done(&j, f);
	}
}

/* All write to one storage that does not answer: both what they do and that nobody is to blame. */
static void all_that_stand_in_storage_are_told_and_not_blamed(void **state)
{
	struct facts *f = silent(0.5, NULL);
	struct judged j;

	(void)state;
	for (int rank = 0; rank < 4; rank++)
		facts_stack(f, rank, FSYNC)->state = 'D';
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_HOST_STALL);
	assert_int_equal(j.v->at[0].culprits.n, 0);
	assert_int_equal(j.v->at[0].camp_a.n, 4);
	done(&j, f);
}

/*
 * All wait for calls of each other; that a library polls for messages meanwhile is no work. Two
 * looks lie a moment apart where the kernel says since when they sleep.
 */
static void who_waits_while_his_threads_poll_stands(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	(void)state;
	facts_rounds(f, 0, 1, 20, 1);
	f->stack_span = 0.15;
	for (int rank = 0; rank < 4; rank++) {
		facts_outside(f, rank, 21);
		facts_stack(f, rank, REMOTE)->asleep = INT64_C(39000000000);
		facts_cpu(f, rank, 1.1, 2.2, 0);
	}
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.v->at[0].culprits.n, 0);
	assert_int_equal(j.v->at[0].victims.n, 4);
	done(&j, f);
}

static void one_that_works_keeps_the_others(void **state)
{
	struct facts *f = silent(0.5, FIFO);
	struct judged j;

	(void)state;
	facts_cpu(f, 2, 1.9, 2, 0);
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_HEALTHY);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	done(&j, f);
}

/* Steps of 13 s: 15 s since the last are not yet five of them. */
static void a_slow_rhythm_is_one(void **state)
{
	struct facts *f = silent(13, FIFO);
	struct judged j = judge(f);

	(void)state;
	assert_int_equal(j.v->at[0].class, VERDICT_HEALTHY);
	assert_int_equal(j.v->at[0].confidence, VERDICT_ESTABLISHED);
	done(&j, f);
}

/* Without stacks nobody knows: not called a standstill, and not established to be none. */
static void silence_without_stacks_is_no_proof_of_health(void **state)
{
	struct facts *f = silent(0.5, NULL);
	struct judged j = judge(f);

	(void)state;
	assert_int_equal(j.v->at[0].class, VERDICT_HEALTHY);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	assert_int_equal(j.v->not_judged[0].need, NEED_RANKS_STACKS);
	done(&j, f);
}

#define IN_NEW_GROUP(inner)                                                                        \
	"poll@libc.so.6 < c10d::TCPStore::doWait()@libtorch_cpu.so < "                             \
	"c10d::PrefixStore::get()@libtorch_cpu.so < " inner                                        \
	"_new_process_group_helper@" C10D ":2093 < _new_group_with_tag@" C10D                      \
	":5337 < new_group@" C10D ":5214 < split@/home/me/train.py:60" MAIN

/* All but one make a group, which that one, in an operation, may have left out. */
static void who_skips_the_making_of_a_group_is_a_hypothesis(void **state)
{
	static const char *const makers[] = {IN_NEW_GROUP(""),
		IN_NEW_GROUP("gloo::rendezvous::Context::connectFullMesh()@libtorch_cpu.so < ")};

	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		struct facts *f = foreign(4, 2, ALL_REDUCE);
		struct judged j;

		for (int rank = 0; rank < 4; rank++)
			if (rank != 2)
				f->extra[rank].is.stack.frames = makers[i];
		facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", "0,1,3");
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
		done(&j, f);
	}
	(void)state;
}

/*
 * The first group comes before all else: who has it and calls an operation is ahead of the others,
 * one of which may have another idea of how many there are.
 */
static void who_is_ahead_of_the_first_group_is_no_fork(void **state)
{
	struct facts *f = foreign(4, 2, ALL_REDUCE);
	struct judged j;

	(void)state;
	for (int rank = 0; rank < 4; rank++)
		if (rank != 2)
			f->extra[rank].is.stack.frames =
				"poll@libc.so.6 < gloo::rendezvous::Context::connectFullMesh()"
				"@libtorch_cpu.so < _new_process_group_helper@" C10D
				":2093 < init_process_group@" C10D
				":1805 < main@/home/me/train.py:50" MAIN;
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.first->culprits.n, 0);
	assert_int_equal(j.first->victims.n, 4);
	done(&j, f);
}

/* Ranks that spin in that call of MPI, at one line; rank 3 computes. Of it no ring tells. */
static struct facts *spinning(const char *frames)
{
	struct facts *f = silent(0.5, NULL);

	for (int rank = 0; rank < 4; rank++) {
		struct job_stack *stack = facts_stack(f, rank,
			rank == 3 ? "solve@train < main@train" : frames);

		facts_outside(f, rank, 60);
		facts_cpu(f, rank, 2.1, 2.2, -1);
		stack->moved = JOB_YES;
		stack->still = 2;
	}
	return f;
}

static void who_spins_in_a_call_that_is_not_recorded_waits(void **state)
{
	struct facts *f = spinning("opal_progress@libopen-pal.so.40 < "
				   "MPI_Comm_join@libmpi.so.40 < step@train < main@train");
	struct judged j = judge(f);

	(void)state;
	assert_int_equal(j.first->class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.first->victims.n, 3);
	assert_int_equal(j.first->culprits.n, 0);
	expect_says(&j, "in MPI_Comm_join");
	done(&j, f);
}

/* A communicator that was made in a way that nobody records: the call is seen, its group is not. */
static void a_call_whose_group_nobody_knows_is_a_wait(void **state)
{
	struct facts *f = silent(0.5, NULL);
	struct judged j;

	(void)state;
	for (int rank = 0; rank < 3; rank++)
		facts_call(f, rank, "MPI_Barrier", 60);
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.first->victims.n, 3);
	done(&j, f);
}

/* It waits for others itself, spinning; it is not late, and does not move. */
static void who_spins_in_a_probe_is_not_late(void **state)
{
	struct facts *f = silent(0.5, NULL);
	struct judged j;

	(void)state;
	facts_enter_but(f, 0, 0, JOB_OP_ALLREDUCE, 32, 90);
	facts_call(f, 0, "MPI_Probe", 90);
	facts_cpu(f, 0, 2.1, 2.2, -1);
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.first->culprits.n, 0);
	done(&j, f);
}

/* Replays are in no ring: who alone stands elsewhere, while all others wait, is a guess. */
static void who_is_elsewhere_while_others_wait_for_a_replay_is_a_guess(void **state)
{
	for (int moves = 0; moves < 2; moves++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_rounds(f, 0, 3, 10, 0.5);
		f->stack_span = 2.2;
		for (int rank = 0; rank < 4; rank++) {
			f->members[0][rank].fact.saw_capture = true;
			facts_sync(f, rank, 20);
		}
		facts_outside(f, 2, 20);
		facts_stack(f, 2, FIFO)->moved = moves ? JOB_YES : JOB_NO;
		j = judge(f);
		assert_int_equal(j.first->class,
			moves ? VERDICT_INCONCLUSIVE : VERDICT_HOST_STALL);
		assert_int_equal(j.first->culprits.n, !moves);
		if (!moves)
			assert_int_equal(j.first->confidence, VERDICT_HYPOTHESIS);
		done(&j, f);
	}
	(void)state;
}

/* Somebody has suspended them between two operations: nobody waits, and nothing goes on. */
static void who_is_stopped_while_nobody_waits_is_not_well(void **state)
{
	struct facts *f = silent(0.5, SLEEPS);
	struct judged j;

	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		facts_outside(f, rank, FACTS_NOW - 7);
		f->ranks[rank].process.state = 'T';
	}
	facts_expect_where(f, VERDICT_HOST_STALL, "0-3", VERDICT_IN_FROZEN);
	j = judge(f);
	assert_int_equal(j.first->next, VERDICT_NEXT_CONTINUE_PROCESS);
	dismiss(j);
	for (int rank = 1; rank < 4; rank++)
		f->ranks[rank].process.state = 'S';
	facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_FROZEN);
	/* Just now: somebody looks at it, who stops it for that. */
	f->stack_span = 0.1;
	facts_outside(f, 0, FACTS_NOW - 1);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_stopped_while_nobody_waits_is_not_well),
		cmocka_unit_test(who_spins_in_a_call_that_is_not_recorded_waits),
		cmocka_unit_test(a_call_whose_group_nobody_knows_is_a_wait),
		cmocka_unit_test(who_spins_in_a_probe_is_not_late),
		cmocka_unit_test(who_skips_the_making_of_a_group_is_a_hypothesis),
		cmocka_unit_test(who_is_ahead_of_the_first_group_is_no_fork),
		cmocka_unit_test(all_that_stand_in_their_own_code_are_not_well),
		cmocka_unit_test(who_is_at_the_same_line_is_told_with_them),
		cmocka_unit_test(who_asks_again_and_again_stands),
		cmocka_unit_test(what_the_start_took_is_no_work),
		cmocka_unit_test(all_that_stand_in_storage_are_told_and_not_blamed),
		cmocka_unit_test(who_waits_while_his_threads_poll_stands),
		cmocka_unit_test(one_that_works_keeps_the_others),
		cmocka_unit_test(a_slow_rhythm_is_one),
		cmocka_unit_test(silence_without_stacks_is_no_proof_of_health),
		cmocka_unit_test(who_is_elsewhere_while_others_wait_for_a_replay_is_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
