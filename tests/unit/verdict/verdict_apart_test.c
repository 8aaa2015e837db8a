/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs without any ring, in which few or none are seen to wait; which waits are known as such. */
#include "tests/unit/bystacks.h"

#include "base/clock.h"

static void nobody_waits(void **state)
{
	struct facts *f = foreign(4, 3, SLEEPS);

	for (int i = 0; i < 3; i++)
		f->extra[i].is.stack.frames = SLEEPS;
	for (int i = 0; i < 4; i++)
		f->extra[i].is.stack.fact.moved = JOB_YES;
	facts_expect(f, VERDICT_HEALTHY, "", "");
	for (int i = 0; i < 4; i++) { /* of one look nobody can tell that any of them goes on */
		f->extra[i].is.stack.fact.moved = JOB_MAYBE;
		f->extra[i].is.stack.fact.samples = 1;
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	for (int i = 0; i < 4; i++) {
		f->extra[i].is.stack.fact.moved = JOB_YES;
		f->extra[i].is.stack.fact.samples = 3;
	}
	f->extra[1].is.stack.fact.moved = JOB_NO;
	f->extra[1].is.stack.frames = LOCKED; /* but one stands in a lock all the same */
	facts_expect(f, VERDICT_HOST_STALL, "", "");
	facts_free(f);
}

/*
 * The ranks have some way of their own to wait for each other, by files say: no table knows it.
 * That one sleeps all the while then proves nothing, least of all that nothing is wrong.
 */
static void one_sleeps_and_nobody_is_seen_to_wait(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);
	struct judged j;

	for (int i = 0; i < 8; i++) {
		if (i == 3)
			continue;
		f->extra[i].is.stack.frames = "clock_nanosleep@libc.so.6 < "
					      "poll_files@/home/me/sync.py:7" MAIN;
		f->extra[i].is.stack.fact.moved = JOB_YES;
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	j = judge(f);
	expect_says(&j, "at train.py:70 in clean, still for 2.2 s");
	expect_says(&j, "nobody is in a collective");
	done(&j, f);
}

/*
 * Waits for a GPU, and those of MPI, spin: nobody stands at any look. Whoever was all the while in
 * a call of the program in which nobody waits keeps the others, as a guess; and nobody is named
 * where that was not seen of each.
 */
static void who_computes_while_the_others_spin_is_a_guess(void **state)
{
	static const char spins[] =
		"sched_yield@libc.so.6 < ompi_request_default_wait@libmpi.so.40 < "
		"MPI_Allreduce@libmpi.so.40 < main@train";
	struct facts *f = foreign(4, 1, "compute@train < main@train");
	struct judged j;

	for (int i = 0; i < 4; i++) {
		f->extra[i].is.stack.fact.moved = JOB_YES;
		f->extra[i].is.stack.fact.still = 2;
		f->extra[i].is.stack.fact.samples = 3;
		if (i == 1)
			continue;
		f->extra[i].is.stack.frames = spins;
		f->extra[i].is.stack.fact.still = 1;
		f->extra[i].is.stack.fact.state = 'R';
		f->extra[i].is.stack.fact.cpu_delta = CLOCK_NS_PER_S;
	}
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	j = judge(f);
	assert_int_equal(j.first->confidence, VERDICT_HYPOTHESIS);
	dismiss(j);
	f->extra[1].is.stack.fact.still = 1; /* it may have been in the operation, too */
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,2,3");
	f->extra[1].is.stack.fact.still = 2;
	f->extra[2].is.stack.fact.state = 'S'; /* it may have been awakened, and wait anew */
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,2,3");
	f->extra[2].is.stack.fact.state = 'R';
	f->extra[2].is.stack.fact.still = 0; /* it came from elsewhere meanwhile */
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,2,3");
	f->extra[2].is.stack.fact.still = 1;
	f->extra[3].is.stack.frames = "compute@train < main@train"; /* no longer */
	f->extra[3].is.stack.fact.still = 1;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,2");
	f->extra[3].is.stack.fact.still = 2;
	facts_expect(f, VERDICT_HOST_STALL, "", "0,2"); /* half of them stand against the rest */
	f->extra[2].is.stack.frames = ""; /* nothing is known of it: it may be the one */
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0");
	facts_free(f);
}

/* The interpreter's lock, and none of Python's frames: of a queue, an event, or the program's? */
static void a_lock_of_python_whose_frames_are_not_known(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	for (int i = 0; i < 8; i++)
		f->extra[i].is.stack.frames =
			i == 3 ? "sem_clockwait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 "
				 "< lock_PyThread_acquire_lock@python3.11 < Py_RunMain@python3.11"
			       : "sem_clockwait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 "
				 "< Condition.wait@" STDLIB "threading.py:327 < Event.wait@" STDLIB
				 "threading.py:629" MAIN;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	facts_free(f);
}

/* gloo's gradients are waited for by the reducer itself: no Work is on the stack. */
static void ddp_waits_for_gradients(void **state)
{
	struct facts *f = foreign(4, 1, SLEEPS);
	struct judged j;

	for (int i = 0; i < 4; i++)
		if (i != 1)
			f->extra[i].is.stack.frames =
				"pthread_cond_wait@libc.so.6 < "
				"c10d::Reducer::finalize_backward()@libtorch_cpu.so < "
				"torch::autograd::Engine::execute()@libtorch_cpu.so < "
				"_engine_run_backward@" TORCH
				"autograd/graph.py:1113 < step@/home/me/train.py:32" MAIN;
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	j = judge(f);
	expect_says(&j, "in DDP's all_reduce, at train.py:32 in step");
	done(&j, f);
}

/* DDP broadcasts its buffers from C++, where no function of Python tells the call. */
static void ddp_broadcasts_its_buffers(void **state)
{
	struct facts *f = foreign(4, 0,
		"pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < "
		"c10d::broadcast_coalesced()@libtorch_cpu.so < "
		"DistributedDataParallel._sync_buffers@" TORCH
		"nn/parallel/distributed.py:2447 < evaluate@/home/me/train.py:40" MAIN);
	struct judged j;

	for (int i = 1; i < 4; i++)
		f->extra[i].is.stack.frames = BARRIER;
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "0", "1-3");
	j = judge(f);
	expect_says(&j, "in broadcast, at train.py:40 in evaluate");
	done(&j, f);
}

/* Its lock may be that of its own thread, which waits for the others: that is a guess, and told. */
static void a_lock_beside_a_thread_in_a_collective_is_a_guess(void **state)
{
	for (int beside = 0; beside < 2; beside++) {
		struct facts *f = foreign(4, 1, LOCKED);
		struct judged j;

		f->stack_span = 2.2;
		if (beside)
			facts_stack_of(f, 1, "metrics", f->ranks[1].pid + 1, ALL_REDUCE);
		facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
		j = judge(f);
		assert_int_equal(j.first->confidence,
			beside ? VERDICT_HYPOTHESIS : VERDICT_SUPPORTED);
		if (beside)
			expect_says(&j, "another thread of it is in all_reduce, at train.py:88");
		done(&j, f);
	}
}

/* Rank 5 is in fewer groups than the others: what those do in theirs is no call of it. */
static void who_is_in_fewer_groups_may_be_in_another_call(void **state)
{
	for (int fewer = 0; fewer < 2; fewer++) {
		struct facts *f = foreign(8, 5, BARRIER);

		for (int i = 0; i < 8; i++)
			for (uint32_t k = 0; k < (fewer && i == 5 ? 2 : 4); k++)
				facts_stack_of(f, i, "pt_gloo_runloop", f->ranks[i].pid + 10 + k,
					"pthread_cond_wait@libc.so.6 < "
					"c10d::ProcessGroupGloo::runLoop(int)@libtorch_cpu.so");
		if (fewer)
			facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-7");
		else
			facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "5", "0-4,6,7");
		facts_free(f);
	}
}

#define SERVES                                                                                     \
	" < _process_worker@" STDLIB "concurrent/futures/process.py:254 < BaseProcess.run@" STDLIB \
	"multiprocessing/process.py:108 < step@/home/me/train.py:14"

/*
 * The rank waits for a pool of processes, all forked from one line of it: the one that works is
 * told, and not one that waits to be told what to do.
 */
static void where_the_worker_of_a_pool_is(void **state)
{
	static const char *const works[] = {
		"read@libc.so.6 < Queue.get@" STDLIB "multiprocessing/queues.py:103" SERVES,
		"open64@libc.so.6 < crop@/home/me/data.py:5" SERVES};
	struct facts *f = foreign(4, 2,
		"sem_wait@libc.so.6 < Condition.wait@" STDLIB "threading.py:320 < "
		"Future.result@" STDLIB "concurrent/futures/_base.py:451 < "
		"step@/home/me/train.py:14");
	struct judged j;

	f->stack_span = 2.2;
	for (int i = 0; i < 2; i++) {
		uint32_t pid;

		(void)facts_child(f, 2, "python");
		pid = f->extra[f->nextra - 1].pid;
		facts_stack_of(f, 2, "python", pid, works[i])->main = true;
		f->extra[f->nextra - 1].pid = pid;
	}
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_USER_CODE);
	j = judge(f);
	expect_says(&j, "is at data.py:5 in crop, still for 2.2 s");
	done(&j, f);
}

/* A thread that runs was not unwound; with a GPU in the process it may spin for that. */
static void a_cut_stack_with_a_gpu_tells_nothing(void **state)
{
	struct facts *f = foreign(4, 3, "step@/home/me/train.py:88" MAIN);
	struct job_stack *stack = &f->extra[3].is.stack.fact;

	stack->cut = "it ran";
	stack->state = 'R';
	stack->moved = JOB_YES;
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	facts_stack_of(f, 3, "cuda-EvtHandlr", 78, "poll@libc.so.6 < @libcuda.so.1");
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

static void a_wait_for_the_gpu_is_a_wait(void **state)
{
	struct facts *f = foreign(4, 3, SLEEPS);

	f->extra[0].is.stack.frames = "@libcuda.so.1 < cudaStreamSynchronize@libcudart.so.12 < "
				      "step@/home/me/train.py:90" MAIN;
	f->extra[1].is.stack.frames =
		"@libcuda.so.1 < @libnccl.so.2 < ncclAllReduce@libnccl.so.2 < "
		"c10d::ProcessGroupNCCL::allreduce()@libtorch_cuda.so < "
		"all_reduce@" C10D ":4181 < step@/home/me/train.py:88" MAIN;
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

/* It came to the barrier with one; no ring is there to say so, but the thread's own state does. */
static void an_exception_in_flight_is_told_without_a_ring(void **state)
{
	struct facts *f = foreign(4, 3, BARRIER);
	struct judged j;

	f->extra[3].is.stack.fact.handling = "ValueError: token 999 of 128";
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "3", "0-2");
	j = judge(f);
	expect_says(&j, "with an exception in flight: ValueError: token 999 of 128");
	done(&j, f);
	(void)state;
}

/* All main threads go on, and a thread of each but one stands in a collective of another group. */
static void a_thread_that_stands_aside_is_not_well(void **state)
{
	struct facts *f = foreign(4, 0, SLEEPS);
	struct judged j;

	f->stack_span = 2.2;
	for (int i = 0; i < 4; i++) {
		f->extra[i].is.stack.frames = SLEEPS;
		f->extra[i].is.stack.fact.moved = JOB_YES;
	}
	for (int i = 0; i < 3; i++)
		facts_stack_of(f, i, "python", f->ranks[i].pid + 1,
			"pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < "
			"all_reduce@" C10D ":4181 < second@/home/me/train.py:12")
			->asleep = 14 * CLOCK_NS_PER_S;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2");
	j = judge(f);
	expect_says(&j, "in all_reduce, at train.py:12 in second, still for 14 s");
	dismiss(j);
	/* For less than what a thread that serves may take: it is well, and yet somebody waits. */
	for (size_t i = 4; i < f->nextra; i++)
		f->extra[i].is.stack.fact.asleep = 8 * CLOCK_NS_PER_S;
	facts_expect(f, VERDICT_HEALTHY, "", "");
	j = judge(f);
	expect_says(&j, "in all_reduce, at train.py:12 in second, still for 8 s");
	assert_false(says(j.v, "nobody waits"));
	dismiss(j);
	/* They move, too. */
	for (size_t i = 4; i < f->nextra; i++)
		f->extra[i].is.stack.fact.moved = JOB_YES;
	for (size_t i = 0; i < f->nextra; i++)
		f->extra[i].is.stack.fact.asleep = 0;
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
	(void)state;
}

#define ASKS "clock_nanosleep@libc.so.6 < join_slowly@/home/me/train.py:70" MAIN
/* An operation that the program has given to a thread. */
#define IN_THREAD                                                                                  \
	"pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < all_reduce@" C10D      \
	":4181 < step@/home/me/train.py:88 < Thread.run@" STDLIB "threading.py:975"

/* Rank 0's main thread asks from time to time whether its other thread, in all_reduce, is done. */
static void ask_for_thread(struct facts *f)
{
	f->stack_span = 2.2;
	f->extra[0].is.stack.frames = ASKS;
	f->extra[0].is.stack.fact.moved = JOB_YES;
	facts_stack_of(f, 0, "python", f->ranks[0].pid + 1, IN_THREAD);
}

/* By a call that no table knows. It waits, and does not keep anybody; whoever else does. */
static void who_asks_for_a_thread_in_the_operation_waits(void **state)
{
	struct facts *f = foreign(5, 1, SLEEPS);

	ask_for_thread(f);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2-4");
	f->extra[1].is.stack.frames = "@/usr/bin/helper";
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,2-4");
	facts_free(f);
}

/* It works beside it, or the operation may be another one: it may be late, and may wait. */
static void who_works_beside_a_thread_in_an_operation_may_wait(void **state)
{
	static const char *const beside[] = {IN_THREAD,
		"pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < "
		"broadcast@" C10D ":3000 < serve@/home/me/serve.py:9"};

	for (int k = 0; k < 2; k++) {
		struct facts *f = foreign(5, 1, "@/usr/bin/helper");
		struct job_stack *stack = &f->extra[0].is.stack.fact;

		ask_for_thread(f);
		f->extra[f->nextra - 1].is.stack.frames = beside[k];
		stack->cpu_delta = k == 0 ? CLOCK_NS_PER_S : 0;
		facts_expect(f, VERDICT_INCONCLUSIVE, "", "2-4");
		/* Nobody asks so seldom. */
		stack->moved = JOB_NO;
		stack->asleep = 40 * CLOCK_NS_PER_S;
		facts_expect(f, VERDICT_HOST_STALL, "0", "2-4");
		facts_free(f);
	}
}

/*
 * It asks at its line, asleep in between: a GPU's stream perhaps, beneath which the others wait. It
 * may be the one that they wait for, but so may be one of which nothing is known.
 */
static void who_asks_is_not_blamed_beside_one_that_is_dark(void **state)
{
	struct facts *f = foreign(5, 0, ASKS);
	struct job_stack *stack = &f->extra[0].is.stack.fact;

	struct judged j;

	f->stack_span = 2.2;
	stack->moved = JOB_YES;
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-4");
	j = judge(f);
	assert_int_equal(j.first->confidence, VERDICT_HYPOTHESIS); /* all may be in one operation */
	dismiss(j);
	f->extra[1].is.stack.frames = "@/usr/bin/helper";
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "2-4");
	stack->cpu_delta = CLOCK_NS_PER_S; /* it works */
	facts_expect(f, VERDICT_HOST_STALL, "0", "2-4");
	stack->cpu_delta = 0;
	stack->moved = JOB_NO; /* it asks nothing */
	facts_expect(f, VERDICT_HOST_STALL, "0", "2-4");
	j = judge(f);
	assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
	done(&j, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exception_in_flight_is_told_without_a_ring),
		cmocka_unit_test(nobody_waits),
		cmocka_unit_test(a_thread_that_stands_aside_is_not_well),
		cmocka_unit_test(one_sleeps_and_nobody_is_seen_to_wait),
		cmocka_unit_test(who_computes_while_the_others_spin_is_a_guess),
		cmocka_unit_test(a_lock_of_python_whose_frames_are_not_known),
		cmocka_unit_test(ddp_waits_for_gradients),
		cmocka_unit_test(ddp_broadcasts_its_buffers),
		cmocka_unit_test(where_the_worker_of_a_pool_is),
		cmocka_unit_test(who_is_in_fewer_groups_may_be_in_another_call),
		cmocka_unit_test(a_lock_beside_a_thread_in_a_collective_is_a_guess),
		cmocka_unit_test(who_asks_for_a_thread_in_the_operation_waits),
		cmocka_unit_test(who_works_beside_a_thread_in_an_operation_may_wait),
		cmocka_unit_test(who_asks_is_not_blamed_beside_one_that_is_dark),
		cmocka_unit_test(a_cut_stack_with_a_gpu_tells_nothing),
		cmocka_unit_test(a_wait_for_the_gpu_is_a_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
