/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stacks tell: of ranks that rings find missing, where they stand; of jobs without any ring,
 * who waits and who is elsewhere. The frames are those of real programs (torch 2.x, gloo).
 */
#include "tests/unit/bystacks.h"

#include "base/clock.h"

static void expect_stall(const char *frames, enum verdict_where where, const char *words)
{
	struct facts *f = foreign(8, 3, frames);
	struct judged j;

	facts_expect_where(f, VERDICT_HOST_STALL, "3", where);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2,4-7");
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	expect_says(&j, words);
	expect_says(&j, "in all_reduce, at train.py:88 in step, still for 2.2 s");
	done(&j, f);
}

/* -- jobs without any ring --------------------------------------------------------------------- */

static void where_the_one_is_that_all_wait_for(void **state)
{
	expect_stall(SLEEPS, VERDICT_IN_USER_CODE, "at train.py:70 in clean, still for 2.2 s");
	expect_stall(LOADER, VERDICT_IN_INPUT, "_try_get_data, by train.py:120 in main");
	expect_stall(DATASET, VERDICT_IN_INPUT, "at data.py:8 in Slow.__getitem__");
	expect_stall(SAVE, VERDICT_IN_CHECKPOINT, "by train.py:50 in save_state");
	expect_stall(LOCKED, VERDICT_IN_LOCK, "at log.py:24 in log");
}

static void a_lock_of_a_file_by_its_syscall(void **state)
{
	struct facts *f = foreign(4, 1, "@libc.so.6 < @libfoo.so" MAIN);
	struct job_stack *stack = &f->extra[1].is.stack.fact;

	stack->syscall = "fcntl";
	stack->args[1] = 7;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	stack->args[1] = 5;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_USER_CODE);
	facts_free(f);
}

static void the_gil_and_who_holds_it(void **state)
{
	struct facts *f = foreign(4, 2, GIL);
	struct job_stack *holder = facts_stack_of(f, 2, "Thread-1", 77, HOLDER);
	struct judged j;

	f->extra[2].is.stack.fact.moved = JOB_YES; /* it asks again every 5 ms */
	holder->holds_gil = JOB_YES;
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_GIL);
	j = judge(f);
	expect_says(&j, "thread Thread-1 (77) holds the GIL, at ext.py:38 in hold");
	assert_int_equal(j.v->at[0].next, VERDICT_NEXT_LOOK_AT_GIL);
	done(&j, f);
}

/*
 * Whoever asks for the GIL every 5 ms may run whenever one looks, and shows its Python code only:
 * that stands, while another thread sleeps with the GIL.
 */
static void the_gil_by_whom_it_lets_starve(void **state)
{
	struct facts *f = foreign(4, 2, "work@/home/me/train.py:41" MAIN);
	struct job_stack *stack = &f->extra[2].is.stack.fact, *holder;

	stack->cut = "it ran";
	stack->moved = JOB_YES;
	stack->cpu_delta = 10 * CLOCK_NS_PER_MS;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	holder = facts_stack_of(f, 2, "Thread-1", 77, HOLDER);
	stack = &f->extra[2].is.stack.fact;
	holder->holds_gil = JOB_YES;
	holder->syscall = "clock_nanosleep";
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_GIL);
	stack->cpu_delta = 2 * CLOCK_NS_PER_S; /* it computes in C, and gave the GIL up */
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	stack->cpu_delta = 10 * CLOCK_NS_PER_MS;
	stack->still = 1; /* another function of Python before: it had the GIL in between */
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	stack->still = 99;
	holder->moved = JOB_YES;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* A call of C that the program makes itself and that keeps the GIL; but a save is a save. */
static void a_call_of_c_that_keeps_the_gil(void **state)
{
	struct facts *f = foreign(4, 2,
		"clock_nanosleep@libc.so.6 < ffi_call@libffi.so.8 < send@/home/me/data.py:53 < "
		"fetch@" TORCH "utils/data/_utils/fetch.py:54" MAIN);
	struct job_stack *stack = &f->extra[2].is.stack.fact;
	struct judged j;

	stack->holds_gil = JOB_YES;
	stack->syscall = "clock_nanosleep";
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_GIL);
	j = judge(f);
	expect_says(&j, "holds the GIL, at data.py:53 in send");
	verdicts_free(j.v);
	job_free(j.job);
	stack->syscall = "futex";
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_INPUT);
	stack->syscall = "open";
	f->extra[2].is.stack.frames = SAVE;
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_CHECKPOINT);
	facts_free(f);
}

/* No frame is named: the futex says it. */
static void the_gil_by_its_futex(void **state)
{
	struct facts *f = foreign(4, 2, "@libc.so.6 < @embedded < @embedded" MAIN);
	struct job_stack *holder = facts_stack_of(f, 2, "Thread-1", 77, HOLDER);

	f->extra[2].is.stack.fact.waits_gil = true;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,1,3"); /* who has it may wait for them */
	holder->holds_gil = JOB_YES;
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_GIL);
	facts_free(f);
}

/* The rank waits for its loader, and the loader's worker says why. */
static void where_the_worker_of_a_loader_is(void **state)
{
	struct facts *f = foreign(4, 2, LOADER);
	struct job_process *worker = facts_child(f, 2, "python");
	struct facts_extra *child = &f->extra[f->nextra - 1];
	struct job_stack *stack = facts_stack_of(f, 2, "python", child->pid,
		"clock_nanosleep@libc.so.6 < Slow.__getitem__@/home/me/data.py:9 < "
		"_worker_loop@" TORCH
		"utils/data/_utils/worker.py:349 < main@/home/me/train.py:120");
	struct judged j;

	stack->main = true;
	f->extra[f->nextra - 1].pid = child->pid;
	worker->what = "DataLoader worker";
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_INPUT);
	j = judge(f);
	expect_says(&j, "its DataLoader worker (pid 5005) is at data.py:9 in Slow.__getitem__, "
			"still for 2.2 s");
	done(&j, f);
}

static void a_lock_of_threads_is_no_files(void **state)
{
	struct facts *f = foreign(4, 2, LOCKED);
	struct judged j = judge(f);

	assert_int_equal(j.v->at[0].next, VERDICT_NEXT_LOOK_AT_THREADS);
	assert_int_equal(j.v->stage, VERDICT_STAGE_UNKNOWN);
	done(&j, f);
}

/* A program in C: its own function says more than libc's and the kernel's. */
static void where_a_program_in_c_stands(void **state)
{
	struct facts *f = foreign(4, 2,
		"__lll_lock_wait@libc.so.6 < pthread_mutex_lock@libc.so.6 < add_metrics@trainer "
		"< main@trainer");
	struct job_stack *stack = &f->extra[2].is.stack.fact;
	struct judged j;

	stack->syscall = "futex";
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_LOCK);
	j = judge(f);
	expect_says(&j, "at add_metrics of trainer, still for 2.2 s");
	verdicts_free(j.v);
	job_free(j.job);
	f->extra[2].is.stack.frames = "flock@libc.so.6 < read_cache@trainer < main@trainer";
	stack->syscall = "flock";
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_LOCK);
	j = judge(f);
	expect_says(&j, "at read_cache of trainer, still for 2.2 s");
	verdicts_free(j.v);
	job_free(j.job);
	f->extra[2].is.stack.frames =
		"nfs_file_read@kernel < read@libc.so.6 < load@trainer < main@trainer";
	stack->syscall = "read";
	stack->state = f->ranks[2].process.state = 'D';
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_IO);
	j = judge(f);
	expect_says(&j, "at nfs_file_read, by load of trainer, still for 2.2 s");
	done(&j, f);
	f = foreign(4, 2,
		"clock_nanosleep@libc.so.6 < write_slowly@trainer < save_checkpoint@trainer < "
		"main@trainer");
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_CHECKPOINT);
	j = judge(f);
	expect_says(&j, "at save_checkpoint of trainer, still for 2.2 s");
	done(&j, f);
}

static void uninterruptible_in_a_file_system(void **state)
{
	struct facts *f = foreign(4, 2,
		"folio_wait_bit@kernel < nfs_file_read@kernel < read@libc.so.6 < "
		"load@/home/me/train.py:9" MAIN);
	struct judged j;

	f->extra[2].is.stack.fact.state = 'D';
	f->ranks[2].process.state = 'D';
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_IO);
	j = judge(f);
	expect_says(&j, "in nfs_file_read of the kernel (NFS)");
	assert_int_equal(j.v->at[0].next, VERDICT_NEXT_LOOK_AT_STORAGE);
	done(&j, f);
}

/* Not all that is uninterruptible waits for storage. */
static void uninterruptible_elsewhere(void **state)
{
	static const struct {
		const char *frames, *says;
		enum verdict_next next;
	} cases[] = {
		{"down_timeout@kernel < os_acquire_semaphore@kernel < rm_ioctl@kernel < "
		 "ioctl@libc.so.6 < load@/home/me/train.py:9" MAIN,
			"in os_acquire_semaphore of the kernel (NVIDIA driver)",
			VERDICT_NEXT_CHECK_GPU},
		{"kernel_clone@kernel < vfork@libc.so.6 < load@/home/me/train.py:9" MAIN,
			"in kernel_clone of the kernel (vfork)", VERDICT_NEXT_LOOK_AT_CHILD},
		{"folio_wait_bit@kernel < read@libc.so.6 < load@/home/me/train.py:9" MAIN,
			"in folio_wait_bit of the kernel", VERDICT_NEXT_LOOK_AT_STORAGE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct facts *f = foreign(4, 2, cases[i].frames);
		struct judged j;

		f->extra[2].is.stack.fact.state = f->ranks[2].process.state = 'D';
		facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_IO);
		j = judge(f);
		expect_says(&j, cases[i].says);
		assert_int_equal(j.v->at[0].next, cases[i].next);
		done(&j, f);
	}
}

static void stopped_inside_the_collective(void **state)
{
	struct facts *f = foreign(4, 2, ALL_REDUCE);

	f->ranks[2].process.state = 'T';
	f->extra[2].is.stack.fact.state = 'T';
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_FROZEN);
	facts_free(f);
}

static void one_still_compiles(void **state)
{
	struct facts *f = foreign(8, 3, COMPILE);
	struct job_stack *stack = &f->extra[3].is.stack.fact;
	struct judged j;

	stack->moved = JOB_YES;
	stack->still = 4;
	facts_cpu(f, 3, 2.1, 2.2, -1);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2,4-7");
	j = judge(f);
	assert_int_equal(j.v->at[0].outlook, VERDICT_WAIT);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	expect_says(&j, "codegen_and_compile, by train.py:80 in step");
	done(&j, f);
}

static void a_compile_that_does_not_move(void **state)
{
	struct facts *f = foreign(8, 3, COMPILE);

	facts_cpu(f, 3, 0, 6, 30);
	facts_expect(f, VERDICT_COMPILE_STUCK, "3", "0-2,4-7");
	facts_free(f);
}

/* Two looks shortly after each other saw no CPU: that is no word that it used some before. */
static void a_compile_that_is_watched_shortly_is_not_said_to_move(void **state)
{
	struct facts *f = foreign(8, 3, COMPILE);
	struct judged j;

	facts_cpu(f, 3, 0, 0.2, 0.2);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2,4-7");
	j = judge(f);
	assert_int_equal(j.v->at[0].outlook, VERDICT_OUTLOOK_UNKNOWN);
	done(&j, f);
	(void)state;
}

static void a_compile_that_stands_in_a_lock(void **state)
{
	struct facts *f = foreign(8, 3,
		"flock@libc.so.6 < acquire@" TORCH "utils/_filelock.py:40 < load@" TORCH
		"_inductor/async_compile.py:50 < __call__@" TORCH
		"_dynamo/convert_frame.py:2714" MAIN);

	facts_expect_where(f, VERDICT_COMPILE_STUCK, "3", VERDICT_IN_LOCK);
	facts_free(f);
}

/*
 * A lock that is asked for again and again: its thread moves, and stands in the lock. One that took
 * the lock at one look only, does not.
 */
static void a_compile_that_asks_for_a_lock(void **state)
{
	struct facts *f = foreign(8, 3,
		"clock_nanosleep@libc.so.6 < acquire@/env/lib/python3.11/site-packages/filelock/"
		"_api.py:300 < __enter__@/env/lib/python3.11/site-packages/filelock/_api.py:376 < "
		"load@" TORCH "_inductor/async_compile.py:50 < __call__@" TORCH
		"_dynamo/convert_frame.py:2714" MAIN);
	struct job_stack *stack = &f->extra[3].is.stack.fact;
	struct judged j;

	stack->moved = JOB_YES;
	stack->still = 4;
	facts_expect_where(f, VERDICT_COMPILE_STUCK, "3", VERDICT_IN_LOCK);
	j = judge(f);
	expect_says(&j, "async_compile.py:50 in load, by train.py:120 in main, still for 2.2 s");
	verdicts_free(j.v);
	job_free(j.job);
	stack->still = 2;
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2,4-7");
	facts_free(f);
}

/* A compiled function runs beneath its wrapper for ever: that is no compile. */
static void what_was_compiled_is_no_compile(void **state)
{
	struct facts *f = foreign(4, 3,
		"call@/tmp/torchinductor_me/ab/cab.py:70 < forward@" TORCH
		"_functorch/aot_autograd.py:1300 < "
		"AOTDispatchAutograd.post_compile.<locals>.CompiledFunction.forward@" TORCH
		"_functorch/_aot_autograd/runtime_wrappers.py:1800 < compile_wrapper@" TORCH
		"_dynamo/eval_frame.py:1265" MAIN);

	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	facts_free(f);
}

/* What decides is innermost: a collective of a checkpoint is a collective. */
static void a_collective_of_a_checkpoint(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	for (int i = 0; i < 8; i++)
		if (i != 3)
			f->extra[i].is.stack.frames =
				"c10d::Work::wait()@libtorch_cpu.so < all_gather_object@" C10D
				":4473 < save@" TORCH
				"distributed/checkpoint/state_dict_saver.py:9" MAIN;
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2,4-7");
	facts_free(f);
}

/* What pickling asks of the program is the program's, though a collective began it. */
static void an_object_is_made_bytes_before_a_collective(void **state)
{
	expect_stall("open64@libc.so.6 < Meta.__reduce__@/home/me/meta.py:9 < save@python3.11 < "
		     "_pickle_Pickler_dump@python3.11 < _object_to_tensor@" C10D
		     ":4349 < all_gather_object@" C10D
		     ":4462 < _exception_logger.<locals>.wrapper@" TORCH
		     "distributed/c10d_logger.py:83" MAIN,
		VERDICT_IN_USER_CODE, "at meta.py:9 in Meta.__reduce__, still for 2.2 s");
}

static void waits_for_the_unique_id_of_rank_0(void **state)
{
	struct facts *f = foreign(4, 0, SLEEPS);
	struct judged j;

	for (int i = 1; i < 4; i++)
		f->extra[i].is.stack.frames = STORE_ID;
	f->extra[2].is.stack.frames = SLEEPS; /* elsewhere, too, but nobody waits for it yet */
	facts_expect(f, VERDICT_HOST_STALL, "0", "1,3");
	j = judge(f);
	expect_says(&j, "in the store for the unique id, at train.py:88 in step");
	done(&j, f);
}

static void waits_for_the_store_of_rank_0(void **state)
{
	struct facts *f = foreign(4, 0, SLEEPS);

	for (int i = 1; i < 4; i++)
		f->extra[i].is.stack.frames = CONNECT;
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
	facts_free(f);
}

static void another_call_site_is_a_hypothesis(void **state)
{
	struct facts *f = foreign(8, 5, BARRIER);
	struct judged j;

	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "5", "0-4,6,7");
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
	done(&j, f);
	f = foreign(4, 3, BARRIER);
	f->extra[2].is.stack.frames = BARRIER;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL); /* two and two */
	facts_free(f);
}

static void all_at_one_place_is_nobodys_fault(void **state)
{
	struct facts *f = foreign(8, 5, ALL_REDUCE);

	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-7");
	facts_free(f);
}

/* Absence accuses only with a census: who was not found is named, not blamed. */
static void a_rank_that_was_not_found(void **state)
{
	struct facts *f = foreign(8, 5, ALL_REDUCE);
	struct judged j;

	f->hidden = 5;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-4,6,7");
	j = judge(f);
	expect_says(&j, "no process of this rank was found");
	done(&j, f);
}

/* In a healthy job some rank always waits a little: without proof nobody is blamed. */
static void one_look_proves_nothing(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	for (int i = 0; i < 8; i++)
		f->extra[i].is.stack.fact.moved = JOB_YES;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2,4-7");
	for (int i = 0; i < 8; i++) {
		f->extra[i].is.stack.fact.moved = JOB_MAYBE;
		f->extra[i].is.stack.fact.samples = 1;
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
	f = foreign(8, 3, SLEEPS);
	f->stack_span = 0.08;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/*
 * A job that goes its slow way: one rank sleeps in each step and the others wait for it. That none
 * of them uses any CPU to speak of does not make one wait of their many.
 */
static void who_was_seen_to_run_does_not_stand_for_being_idle(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	for (int i = 0; i < 8; i++) {
		f->extra[i].is.stack.fact.moved = JOB_YES;
		facts_cpu(f, i, 0, 2.8, 2.8);
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2,4-7");
	facts_free(f);
}

/* A job that is well and slow: all are in collectives, and each came there while we looked. */
static void who_all_go_on_are_well(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);
	struct judged j;

	for (int i = 0; i < 8; i++) {
		f->extra[i].is.stack.fact.moved = JOB_YES;
		f->extra[i].is.stack.fact.still = 1; /* in main(): the step has moved on */
	}
	facts_expect(f, VERDICT_HEALTHY, "", NULL);
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	expect_says(&j, "all were seen to go on");
	done(&j, f);
}

/* One who was not, or asks a store again and again, keeps it from being called well. */
static void one_who_was_not_seen_to_go_on_leaves_it_open(void **state)
{
	struct facts *f = foreign(8, 3, STORE_ID);

	for (int i = 0; i < 8; i++) {
		f->extra[i].is.stack.fact.moved = JOB_YES;
		f->extra[i].is.stack.fact.still = 1;
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	f->extra[3].is.stack.frames = SLEEPS;
	facts_expect(f, VERDICT_HEALTHY, "", NULL);
	f->extra[3].is.stack.fact.moved = JOB_MAYBE;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	f->extra[3].is.stack.fact.moved = JOB_YES;
	f->extra[5].is.stack.fact.still = SIZE_MAX; /* it may spin in there */
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* Who stands elsewhere for two seconds cannot have been passed by those who wait. */
static void one_that_stands_proves_it_for_all(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	for (int i = 0; i < 8; i++)
		if (i != 3)
			f->extra[i].is.stack.fact.moved = JOB_YES;
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2,4-7");
	facts_free(f);
}

static void unknown_ranks_are_not_blamed(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	for (int i = 4; i < 8; i++) {
		f->extra[i].is.stack.frames = "";
		f->extra[i].is.stack.fact.how = JOB_STACK_NONE;
		f->extra[i].is.stack.fact.cut = "no permission";
	}
	facts_expect(f, VERDICT_HOST_STALL, "", NULL); /* 1 and 4 unknown against 3 */
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

static void a_majority_elsewhere_is_not_late(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	for (int i = 4; i < 8; i++)
		f->extra[i].is.stack.frames = SLEEPS;
	facts_expect(f, VERDICT_HOST_STALL, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* The main thread of a backward pass waits for autograd's, which says what it is in. */
static void the_thread_of_autograd_speaks(void **state)
{
	struct facts *f = foreign(4, 3, SLEEPS);

	f->extra[1].is.stack.frames =
		"futex_wait@libc.so.6 < torch::autograd::Engine::execute()@libtorch_cpu.so < "
		"_engine_run_backward@" TORCH
		"autograd/graph.py:800 < step@/home/me/train.py:90" MAIN;
	facts_stack_of(f, 1, "pt_autograd_0", 71,
		"@libnccl.so.2 < ncclAllReduce@libnccl.so.2 < "
		"c10d::Reducer::all_reduce_bucket()@libtorch_cpu.so");
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

/* -- beside rings ------------------------------------------------------------------------------ */

static void a_ring_finds_it_and_its_stack_says_where(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);
	struct judged j;

	facts_stack(f, 3, SLEEPS)->samples = 1;
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	j = judge(f);
	assert_int_equal(j.v->at[0].headline.kind, FACT_AT);
	expect_says(&j, "train.py:70 in clean");
	assert_int_equal(j.v->at[0].victims.n, 3);
	done(&j, f);
	f = facts_missing(4, 3, 40);
	facts_stack(f, 3, COMPILE)->moved = JOB_YES;
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

/* What a rank says of itself holds; its stack only says where. */
static void a_span_is_stronger_than_a_stack(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);

	facts_stack(f, 3, LOCKED);
	facts_span(f, 3, JOB_SPAN_INPUT, "next batch", "", 55, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_INPUT);
	facts_free(f);
}

/*
 * But a span of the loader is open because a thread that sleeps has the GIL. One that moves may
 * give it back at any time, and is no such reason.
 */
static void a_gil_that_is_kept_is_stronger_than_a_span(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);
	struct job_stack *holder;

	facts_span(f, 3, JOB_SPAN_INPUT, "Records", "", 55, FACTS_OPEN);
	facts_stack(f, 3, GIL)->moved = JOB_YES;
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_INPUT);
	holder = facts_stack_of(f, 3, "Thread-1", 77, HOLDER);
	holder->holds_gil = JOB_YES;
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_GIL);
	holder->moved = JOB_YES;
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_INPUT);
	facts_free(f);
}

/* By its ring it is outside of all that is recorded: its stack may name what is not. */
static void a_stack_in_a_collective_weakens_a_stall(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);
	struct judged j;

	facts_stack(f, 3, BARRIER);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
	expect_says(&j, "in barrier, at train.py:99 in save");
	done(&j, f);
}

/*
 * Nobody knows whether it entered: its ring might say that it did, and went on. So its stack is
 * told, and blames it for nothing.
 */
static void a_stack_in_place_of_a_ring_is_told(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);
	struct judged j;

	facts_lose_ring(f, 3);
	facts_stack(f, 3, SLEEPS);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2");
	j = judge(f);
	expect_says(&j, "at train.py:70 in clean");
	done(&j, f);
}

/* It has entered the operation by its ring: wherever its stack was found, it is no sink. */
static void a_stack_does_not_contradict_an_operation(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	facts_stack(f, 2, SLEEPS);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_the_one_is_that_all_wait_for),
		cmocka_unit_test(a_lock_of_a_file_by_its_syscall),
		cmocka_unit_test(the_gil_and_who_holds_it),
		cmocka_unit_test(the_gil_by_whom_it_lets_starve),
		cmocka_unit_test(a_call_of_c_that_keeps_the_gil),
		cmocka_unit_test(the_gil_by_its_futex),
		cmocka_unit_test(where_the_worker_of_a_loader_is),
		cmocka_unit_test(a_lock_of_threads_is_no_files),
		cmocka_unit_test(where_a_program_in_c_stands),
		cmocka_unit_test(uninterruptible_in_a_file_system),
		cmocka_unit_test(uninterruptible_elsewhere),
		cmocka_unit_test(stopped_inside_the_collective),
		cmocka_unit_test(one_still_compiles),
		cmocka_unit_test(a_compile_that_does_not_move),
		cmocka_unit_test(a_compile_that_is_watched_shortly_is_not_said_to_move),
		cmocka_unit_test(a_compile_that_stands_in_a_lock),
		cmocka_unit_test(a_compile_that_asks_for_a_lock),
		cmocka_unit_test(what_was_compiled_is_no_compile),
		cmocka_unit_test(a_collective_of_a_checkpoint),
		cmocka_unit_test(an_object_is_made_bytes_before_a_collective),
		cmocka_unit_test(waits_for_the_unique_id_of_rank_0),
		cmocka_unit_test(waits_for_the_store_of_rank_0),
		cmocka_unit_test(another_call_site_is_a_hypothesis),
		cmocka_unit_test(all_at_one_place_is_nobodys_fault),
		cmocka_unit_test(a_rank_that_was_not_found),
		cmocka_unit_test(one_look_proves_nothing),
		cmocka_unit_test(who_was_seen_to_run_does_not_stand_for_being_idle),
		cmocka_unit_test(who_all_go_on_are_well),
		cmocka_unit_test(one_who_was_not_seen_to_go_on_leaves_it_open),
		cmocka_unit_test(one_that_stands_proves_it_for_all),
		cmocka_unit_test(unknown_ranks_are_not_blamed),
		cmocka_unit_test(a_majority_elsewhere_is_not_late),
		cmocka_unit_test(the_thread_of_autograd_speaks),
		cmocka_unit_test(a_ring_finds_it_and_its_stack_says_where),
		cmocka_unit_test(a_span_is_stronger_than_a_stack),
		cmocka_unit_test(a_gil_that_is_kept_is_stronger_than_a_span),
		cmocka_unit_test(a_stack_in_a_collective_weakens_a_stall),
		cmocka_unit_test(a_stack_in_place_of_a_ring_is_told),
		cmocka_unit_test(a_stack_does_not_contradict_an_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
