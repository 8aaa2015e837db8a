/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank keeps the others, told by stacks alone: one situation each, as they are met in jobs
 * that nobody prepared. Who is not named must not be accused by any finding.
 */
#include "tests/unit/bystacks.h"
#include "verdict/activities/activities.h"

#include <signal.h>
#include <stdlib.h>

#include "words/headline.h"

/* The first verdict's headline and facts, a line each. */
static char *words_of(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	struct str text = {0};
	char *words;

	headline_sentence(&text, v, &v->at[0]);
	for (size_t i = 0; i < v->at[0].nevidence; i++) {
		str_add(&text, "\n");
		wording_fact(&text, &v->at[0].evidence[i]);
	}
	words = strdup(str_text(&text));
	str_release(&text);
	verdicts_free(v);
	job_free(job);
	return words;
}

static void expect_words(const struct facts *f, const char *expected)
{
	char *words = words_of(f);

	if (!strstr(words, expected))
		fail_msg("nothing says \"%s\":\n%s", expected, words);
	free(words);
}

/* -- locks ------------------------------------------------------------------------------------- */

/* Its thread moves, from a sleep to flock() and back, and stands in the lock all the same. */
static void a_lock_that_is_polled(void **state)
{
	struct facts *f = foreign(4, 1,
		"clock_nanosleep@libc.so.6 < acquire@" SITE "filelock/_api.py:300 < __enter__@" SITE
		"filelock/_api.py:376 < prepare@/home/me/data.py:12" MAIN);
	struct job_stack *stack = &f->extra[1].is.stack.fact;

	stack->moved = JOB_YES;
	stack->still = 3;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	expect_words(f, "at data.py:12 in prepare, still for 2.2 s");
	stack->still = 1; /* at another look it was elsewhere */
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	expect_words(f, "at data.py:12 in prepare, moving");
	facts_free(f);
}

/* Of a program in C its own line is told, not that of libc in which it sleeps. */
static void a_mutex_in_a_program_of_c(void **state)
{
	struct facts *f = foreign(4, 1,
		"__lll_lock_wait@libc.so.6|futex-internal.h:146 < __pthread_mutex_lock@libc.so.6 < "
		"add_to_metrics@train < step@train < main@train");

	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	expect_words(f, "at add_to_metrics of train, still for 2.2 s");
	expect_words(f, "waits for a lock, in a mutex");
	facts_free(f);
}

/* The program's own line where it waits for the others, too. */
static void a_program_of_c_that_waits(void **state)
{
	struct facts *f = facts_new(4);

	facts_no_probe(f);
	for (int i = 0; i < 4; i++)
		facts_stack(f, i,
			i == 2 ? "read@libc.so.6 < read_chunk@train < main@train"
			       : "epoll_wait@libc.so.6 < MPI_Allreduce@libmpi.so.40 < "
				 "step@train < main@train");
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_USER_CODE);
	expect_words(f, "at read_chunk of train, still for 2.2 s");
	expect_words(f, "in MPI_Allreduce, at step of train, still for 2.2 s");
	facts_free(f);
}

/* Ray's loop is mostly C++ that hides its frames, and so are the threads of its gRPC. */
static void the_loop_of_ray_says_nothing_of_its_rank(void **state)
{
	static const char *const cut = "a register was needed";
	struct facts *f = facts_new(4);

	facts_no_probe(f);
	for (int i = 0; i < 4; i++) {
		struct job_stack *stack = facts_stack(f, i,
			"epoll_wait@libc.so.6 < @_raylet.so < Worker.main_loop@" SITE
			"ray/_private/worker.py:1069 < <module>@" SITE
			"ray/_private/workers/default_worker.py:323");

		stack->cut = cut;
		stack->moved = JOB_YES;
		facts_stack_of(f, i, "train", 900, i == 2 ? SLEEPS : ALL_REDUCE);
		facts_stack_of(f, i, "grpc", 901, "epoll_wait@libc.so.6 < @_raylet.so")->cut = cut;
	}
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_USER_CODE);
	expect_words(f, "at train.py:70 in clean");
	/* What has lines of Python may have the program's behind those that are hidden. */
	facts_stack_of(f, 2, "more", 902, "epoll_wait@libc.so.6 < wait@/home/me/more.py:3")->cut =
		cut;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,1,3");
	facts_free(f);
}

/* -- situations -------------------------------------------------------------------------------- */

#define MAX_ROLES 4

/* What some ranks are doing. */
struct role {
	const char *ranks; /* "0-2,5"; NULL: all that no role before has */
	const char *frames;
	const char *cut;
	const char *syscall;
	char state;   /* of the thread; 0: S */
	char process; /* state of the process; 0: S */
	enum job_known moved;
	size_t still;	    /* 0: all frames */
	const char *thread; /* another thread of it, by name, */
	const char *doing;  /* its frames, */
	bool spins;	    /* running, and not unwound; */
	bool has_gil;	    /* and has the GIL */
	const char *child;  /* the main thread of a child */
};

struct situation {
	const char *what;
	int n;
	struct role roles[MAX_ROLES];
	enum verdict_class class;
	enum verdict_where where;
	const char *culprits, *victims;
	const char *says;
};

#define MOVES .moved = JOB_YES
#define RUNS  .moved = JOB_YES, .state = 'R', .cut = "it ran"

static const struct situation situations[] = {
	{"the first operation of NCCL, that blocks its host; one fetches from S3", 8,
		{{"3", S3_GET}, {NULL, NCCL_COLD}}, VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3",
		"0-2,4-7", "at data.py:31 in fetch_shard"},
	{"all wait for their GPUs, one for its loader, with its thread that pins", 8,
		{{"5", LOADER, .thread = "pin_memory", .doing = QUEUE_GET}, {NULL, CUDA_SYNC}},
		VERDICT_HOST_STALL, VERDICT_IN_INPUT, "5", "0-4,6,7", "_try_get_data"},
	{"MPI spins in Python's eyes; only who blocks is seen to wait", 8,
		{{"7", SLEEPS}, {"6", "step@/home/me/train.py:88" MAIN, RUNS}, {NULL, MPI_WAIT}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "7", "0-5", "at train.py:70"},
	{"MPI spins everywhere but in one: who knows", 4,
		{{"3", SLEEPS},
			{NULL, "step@/home/me/train.py:88" MAIN, RUNS, .thread = "python",
				.doing = "epoll_wait@libc.so.6 < @libopen-pal.so.40"}},
		VERDICT_INCONCLUSIVE, 0, "", NULL, NULL},
	{"it runs Python code while others wait in MPI", 4,
		{{"3", "next_word@/home/me/text.py:9 < step@/home/me/train.py:88" MAIN, RUNS,
			 .still = 1},
			{NULL, MPI_WAIT}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at text.py:9 in next_word"},
	{"MPI linked into a program of C", 4,
		{{"1", "read@libc.so.6 < load@solver < main@solver"},
			{NULL, "poll@libc.so.6 < MPI_Allreduce@solver < main@solver"}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0,2,3", "in MPI_Allreduce"},
	{"one receives, the others are in a collective of MPI: no two calls of one collective", 4,
		{{"2", "poll@libc.so.6 < MPIDI_CH3I_Progress@libmpich.so.12 < "
		       "MPI_Recv@libmpich.so.12 < halo@solver < main@solver"},
			{NULL, "poll@libc.so.6 < MPIR_Barrier@libmpich.so.12 < "
			       "MPI_Barrier@libmpich.so.12 < step@solver < main@solver"}},
		VERDICT_INCONCLUSIVE, 0, "", NULL, "in MPI_Recv, at halo of solver"},
	{"MPI's progress loop is in a barrier, below a function that has two names", 4,
		{{"1", "read@libc.so.6 < load@solver < main@solver"},
			{NULL, "opal_progress@libopen-pal.so.40 < ompi_request_wait@libmpi.so.40 < "
			       "PMPI_Barrier@libmpi.so.40 < step@solver < main@solver"}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0,2,3",
		"in PMPI_Barrier, at step of solver"},
	{"MPI_Finalize of Open MPI jumps on, and leaves no frame", 4,
		{{"1", "read@libc.so.6 < load@solver < main@solver"},
			{NULL, "poll@libc.so.6 < opal_progress@libopen-pal.so.40 < "
			       "ompi_mpi_finalize@libmpi.so.40 < main@solver"}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0,2,3",
		"in MPI_Finalize, at main of solver"},
	{"one is in another collective of MPI than the others", 4,
		{{"2", "poll@libc.so.6 < MPI_Bcast@libmpich.so.12 < share@solver < main@solver"},
			{NULL, "poll@libc.so.6 < MPIR_Barrier@libmpich.so.12 < "
			       "MPI_Barrier@libmpich.so.12 < step@solver < main@solver"}},
		VERDICT_COLLECTIVE_MISMATCH, 0, "2", "0,1,3", "in MPI_Bcast, at share of solver"},
	{"JAX waits for what it computes, its own frames without names", 4,
		{{"2", "read@libc.so.6 < __next__@" SITE
		       "grain/_src/python/data_loader.py:400" MAIN},
			{NULL, JAX_WAIT}},
		VERDICT_HOST_STALL, VERDICT_IN_INPUT, "2", "0,1,3", "at train.py:61 in loss_of"},
	{"JAX waits for its peers to come", 4,
		{{"0", SLEEPS},
			{NULL, "poll@libc.so.6 < @xla_extension.so < State.initialize@" SITE
			       "jax/_src/distributed.py:110 < initialize@" SITE
			       "jax/_src/distributed.py:228" MAIN}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "0", "1-3", NULL},
	{"a thread writes a checkpoint while its main thread is where it should be", 4,
		{{"1", SLEEPS},
			{NULL, ALL_REDUCE, .thread = "ckpt-writer",
				.doing = "write@libc.so.6 < save@" TORCH "serialization.py:900 < "
					 "write_loop@/home/me/ckpt.py:9"}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0,2,3", NULL},
	{"it waits for its own checkpoint's thread", 4,
		{{"1",
			 "sem_wait@libc.so.6 < Condition.wait@" STDLIB
			 "threading.py:327 < Future.result@" STDLIB
			 "concurrent/futures/_base.py:451 < finish@/home/me/ckpt.py:33" MAIN,
			 .thread = "writer",
			 .doing = "fsync@libc.so.6 < save@" TORCH "serialization.py:900 < "
				  "write_loop@/home/me/ckpt.py:9"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0,2,3", "at ckpt.py:33 in finish"},
	{"threads of tqdm and wandb say nothing", 4,
		{{"2", QUEUE_GET, .thread = "tqdm",
			 .doing = "sem_clockwait@libc.so.6 < TMonitor.run@" SITE
				  "tqdm/_monitor.py:60"},
			{NULL, ALL_REDUCE, .thread = "wandb",
				.doing = "poll@libc.so.6 < loop@" SITE "wandb/io.py:9"}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "2", "0,1,3", "at pipe.py:14 in drain"},
	{"a cell of a notebook", 4,
		{{"2", "clock_nanosleep@libc.so.6 < <module>@<ipython-input-3-1f>:2 < "
		       "run_code@" SITE "IPython/core/interactiveshell.py:3508"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "2", "0,1,3", "<ipython-input-3-1f>:2"},
	{"somebody sits in the debugger", 4,
		{{"0", "read@libc.so.6 < Cmd.cmdloop@" STDLIB "cmd.py:126 < Pdb.interaction@" STDLIB
		       "pdb.py:356 < step@/home/me/train.py:93" MAIN},
			{NULL, BARRIER}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "0", "1-3", "at train.py:93 in step"},
	{"it asks on the terminal", 4,
		{{"0", "read@libc.so.6 < builtin_input@python3.11 < "
		       "confirm@/home/me/train.py:11" MAIN},
			{NULL, BARRIER}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "0", "1-3", "at train.py:11 in confirm"},
	{"it waits for a program that it started", 4,
		{{"0", "wait4@libc.so.6 < Popen._wait@" STDLIB "subprocess.py:2011 < run@" STDLIB
		       "subprocess.py:550 < encode@/home/me/train.py:15" MAIN,
			 .syscall = "wait4", .child = "read@libc.so.6 < main@ffmpeg"},
			{NULL, BARRIER}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "0", "1-3", "at train.py:15 in encode"},
	{"its child does the work, and waits like the others", 4,
		{{"3", SLEEPS},
			{"1", "wait4@libc.so.6 < launch@/home/me/train.py:130" MAIN,
				.syscall = "wait4", .child = ALL_REDUCE},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", NULL},
	{"signal.pause()", 4,
		{{"3", "pause@libc.so.6 < hold@/home/me/train.py:5" MAIN, .syscall = "pause"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at train.py:5 in hold"},
	{"one is in a barrier, the others train", 8,
		{{"3", BARRIER}, {NULL, "step@/home/me/train.py:88" MAIN, RUNS, .still = 1}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "", NULL, NULL},
	{"all wait in the store for one that compiles", 8,
		{{"6", COMPILE, MOVES, .still = 4},
			{NULL, "poll@libc.so.6 < c10d::TCPStore::wait()@libtorch_cpu.so < "
			       "sync@/home/me/train.py:41" MAIN}},
		VERDICT_COMPILE_SKEW, 0, "6", "0-5,7", "by train.py:80 in step"},
	{"one compiles a kernel of Triton, called by hand", 8,
		{{"4", "mlir::PassManager::run()@libtriton.so < make_ttgir@" SITE
		       "triton/backends/nvidia/compiler.py:240 < compile@" SITE
		       "triton/compiler/compiler.py:300 < JITFunction.run@" SITE
		       "triton/runtime/jit.py:600 < attention@/home/me/kernels.py:33" MAIN,
			 MOVES, .still = 4},
			{NULL, ALL_REDUCE}},
		VERDICT_COMPILE_SKEW, 0, "4", "0-3,5-7", "by kernels.py:33 in attention"},
	{"one compiles for XLA while the others wait for an array of JAX", 4,
		{{"2", "@xla_extension.so < @xla_extension.so < backend_compile@" SITE
		       "jax/_src/compiler.py:330 < _compile_and_write_cache@" SITE
		       "jax/_src/compiler.py:700 < MeshComputation.compile@" SITE
		       "jax/_src/interpreters/pxla.py:2400 < cache_miss@" SITE
		       "jax/_src/pjit.py:340 < update@/home/me/train.py:77" MAIN,
			 MOVES, .still = 3},
			{NULL, JAX_WAIT}},
		VERDICT_COMPILE_SKEW, 0, "2", "0,1,3", "by train.py:77 in update"},
	{"all are at the same input", 8, {{NULL, LOADER}}, VERDICT_INCONCLUSIVE, 0, "", "",
		"_try_get_data"},
	{"stopped by a debugger from outside", 4,
		{{"2", ALL_REDUCE, .process = 't', .state = 't'}, {NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_FROZEN, "2", "0,1,3", NULL},
	{"two for two reasons", 8,
		{{"1", LOADER}, {"6", SAVE}, {NULL, ALL_REDUCE}}, VERDICT_HOST_STALL,
		VERDICT_IN_INPUT, "1+6", NULL, NULL},
	{"half against half", 8, {{"0-3", SLEEPS}, {NULL, ALL_REDUCE}}, VERDICT_HOST_STALL,
		VERDICT_IN_USER_CODE, "", NULL, NULL},
	{"who has the GIL waits for the others", 4,
		{{"2", GIL, MOVES, .thread = "comm", .has_gil = true,
			 .doing = "@libnccl.so.2 < ncclAllReduce@libnccl.so.2 < "
				  "reduce@/home/me/comm.py:8"},
			{NULL, ALL_REDUCE}},
		VERDICT_INCONCLUSIVE, 0, "", "0-3", NULL},
	{"who has the GIL waits for the others, of whom one stays away", 4,
		{{"0", SLEEPS},
			{"2", GIL, MOVES, .thread = "comm", .has_gil = true,
				.doing = "@libnccl.so.2 < ncclAllReduce@libnccl.so.2 < "
					 "reduce@/home/me/comm.py:8"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "0", "1-3", NULL},
	{"threads that take turns at the GIL", 4,
		{{"2", GIL, MOVES, .still = 1}, {NULL, ALL_REDUCE}}, VERDICT_HOST_STALL,
		VERDICT_IN_USER_CODE, "2", "0,1,3", "at train.py:41 in work, moving"},
	{"remote procedure calls wait for others", 4, {{"3", SLEEPS}, {NULL, RPC_WAIT}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", NULL},
	{"futures of operations, one of them by a call of procedure", 8,
		{{"3", SLEEPS}, {"4", RPC_WAIT}, {NULL, FUTURE_WAIT}}, VERDICT_HOST_STALL,
		VERDICT_IN_USER_CODE, "3", "0-2,4-7", "at train.py:87 in step"},
	{"autograd's thread runs, who knows in what", 8,
		{{"3", SLEEPS},
			{"4", BACKWARD, .thread = "pt_autograd_0",
				.doing = "hook@/home/me/train.py:17", .spins = true},
			{NULL, CUDA_SYNC}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2,5-7", NULL},
	{"autograd's threads idle beside a queue", 4,
		{{"1", QUEUE_GET, .thread = "pt_autograd_0", .doing = AUTOGRAD_IDLE},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0,2,3", "at pipe.py:14 in drain"},
	{"a barrier of a loader's own between ranks", 4,
		{{"1", "read@libc.so.6 < load@/home/me/data.py:3" MAIN},
			{NULL, "clock_nanosleep@libc.so.6 < SharedBarrier.__call__@" SITE
			       "streaming/base/shared/barrier.py:119 < "
			       "StreamingDataset.__iter__@" SITE
			       "streaming/base/dataset.py:1500" MAIN}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0,2,3", NULL},
	{"workers wait for what the first tells them, which waits for one that compiles", 8,
		{{"0", ALL_REDUCE}, {"1", COMPILE},
			{NULL, "sched_yield@libc.so.6 < acquire_read@" SITE
			       "vllm/distributed/device_communicators/shm_broadcast.py:447 < "
			       "worker_busy_loop@" SITE "vllm/executor/multiproc.py:9" MAIN}},
		VERDICT_COMPILE_SKEW, 0, "1", "0,2-7", NULL},
	{"the main thread is Ray's, and waits for the GIL that the program works with", 4,
		{{"3", RAY_GIL, MOVES, .thread = "train", .has_gil = true, .doing = SLEEPS},
			{NULL, RAY_MAIN, .thread = "train", .doing = ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at train.py:70 in clean"},
	{"the same, while the program waits for others", 4,
		{{"3", RAY_MAIN, .thread = "train", .doing = SLEEPS},
			{NULL, RAY_GIL, MOVES, .thread = "train", .has_gil = true,
				.doing = ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at train.py:70 in clean"},
	{"the main thread is Ray's, the program another", 4,
		{{"3", RAY_MAIN, .thread = "train", .doing = SLEEPS},
			{NULL, RAY_MAIN, .thread = "train", .doing = ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at train.py:70 in clean"},
	{"nothing of its code is the program's own", 4,
		{{"3", "clock_nanosleep@libc.so.6 < tune@" SITE "axolotl/cli/train.py:8"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2",
		"at axolotl/cli/train.py:8 in tune"},
	{"one prepares a dataset, and another waits for its lock", 8,
		{{"0", DATASETS("read@libc.so.6 < ", "700"), MOVES, .still = 3},
			{"1", DATASETS(FILE_LOCKED, "690")}, {NULL, BARRIER}},
		VERDICT_HOST_STALL, VERDICT_IN_INPUT, "0", "2-7", NULL},
	{"a lock of a file, and somebody else who stays away: may be he has it", 8,
		{{"0", SLEEPS}, {"1", FILE_LOCKED "prepare@/home/me/data.py:12" MAIN},
			{NULL, BARRIER}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "0", "2-7", "waits for a lock, in flock"},
	{"a stack that ends at a wait, whatever it is for", 4,
		{{"2", "step@/home/me/train.py:87" MAIN, .cut = "rbp is not known",
			 .syscall = "futex"},
			{NULL, ALL_REDUCE}},
		VERDICT_INCONCLUSIVE, 0, "", "0,1,3", NULL},
	{"a stack that ends beneath Python's own library", 4,
		{{"2", "Condition.wait@" STDLIB "threading.py:327 < Queue.get@" STDLIB
		       "queue.py:171 < drain@/home/me/pipe.py:14" MAIN,
			 .cut = "rbp is not known", .syscall = "futex"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "2", "0,1,3", "at pipe.py:14 in drain"},
	{"no names of PyTorch's libraries", 4,
		{{"2", "@libc.so.6 < @libtorch_cpu.so < @libtorch_python.so < "
		       "step@/home/me/train.py:87" MAIN},
			{NULL, ALL_REDUCE}},
		VERDICT_INCONCLUSIVE, 0, "", "0,1,3", NULL},
	{"the same operation at two lines", 8,
		{{"5", "pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < "
		       "all_reduce@" C10D ":4181 < step@/home/me/train.py:91" MAIN},
			{NULL, ALL_REDUCE}},
		VERDICT_INCONCLUSIVE, 0, "", "0-7", "at train.py:91 in step"},
	{"who waits was elsewhere a moment before", 8,
		{{"3", SLEEPS}, {NULL, ALL_REDUCE, MOVES, .still = 1}}, VERDICT_INCONCLUSIVE, 0, "",
		"0-2,4-7", NULL},
	{"PyTorch lies in a checkout", 4,
		{{"3", SLEEPS},
			{NULL, "pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < "
			       "all_reduce@/work/pytorch/torch/distributed/distributed_c10d.py:9 < "
			       "Module._call_impl@/work/pytorch/torch/nn/modules/module.py:1500"
			       " < step@/home/me/train.py:88" MAIN}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2",
		"in all_reduce, at train.py:88 in step"},
	{"code that inductor made is not the program", 4,
		{{"3", "clock_nanosleep@libc.so.6 < call@/tmp/torchinductor_me/ab/cab.py:70 < "
		       "compile_wrapper@" TORCH "_dynamo/eval_frame.py:1265 < "
		       "step@/home/me/train.py:80" MAIN},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at train.py:80 in step"},
	{"a folder named like Python", 4,
		{{"3", "clock_nanosleep@libc.so.6 < clean@/home/me/python3/train.py:70"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at train.py:70 in clean"},
	{"it is at its end, and waits for its threads", 4,
		{{"3", "sem_wait@libc.so.6 < _shutdown@" STDLIB "threading.py:1590"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2",
		"at threading.py:1590 in _shutdown"},
	{"a function that saves at its end is no checkpoint", 4,
		{{"3", "clock_nanosleep@libc.so.6 < step@/home/me/train.py:70 < "
		       "train_and_save_checkpoints@/home/me/train.py:120"},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2", "at train.py:70 in step"},
	{"Ascend's and XLA's ways to wait", 8,
		{{"3", SLEEPS},
			{"4-7", "ioctl@libc.so.6 < aclrtSynchronizeStream@libascendcl.so" TRAIN},
			{NULL, "futex_wait@libc.so.6 < @_XLAC.so < mark_step@" SITE
			       "torch_xla/core/xla_model.py:1050" TRAIN}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "3", "0-2,4-7", NULL},
	{"nobody knows what most do", 8,
		{{"0", ALL_REDUCE}, {"1", SLEEPS}, {NULL, "", .cut = "no permission"}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "", NULL, NULL},
	{"two ranks, of which one sleeps", 2, {{"1", SLEEPS}, {NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_USER_CODE, "1", "0", "at train.py:70 in clean"},
	{"sixteen, of which one waits for a disk", 16,
		{{"13", "folio_wait_bit@kernel < nfs_file_write@kernel < write@libc.so.6 < "
			"log@/home/me/train.py:9" MAIN,
			 .state = 'D', .process = 'D'},
			{NULL, ALL_REDUCE}},
		VERDICT_HOST_STALL, VERDICT_IN_IO, "13", "0-12,14,15", "(NFS)"},
};

/* The ranks of "0-2,5" or "1+6", as bits. */
static uint64_t bits_of(const char *list)
{
	uint64_t bits = 0;

	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to; from++)
			bits |= UINT64_C(1) << from;
		list = *end ? end + 1 : end;
	}
	return bits;
}

static void play(struct facts *f, const struct role *role, int rank)
{
	struct job_stack *stack = facts_stack(f, rank, role->frames);

	stack->cut = role->cut ? role->cut : "";
	stack->syscall = role->syscall ? role->syscall : "";
	stack->state = role->state ? role->state : 'S';
	stack->moved = role->moved ? role->moved : JOB_NO;
	stack->still = role->still ? role->still : SIZE_MAX;
	f->ranks[rank].process.state = role->process ? role->process : 'S';
	if (role->thread) {
		stack = facts_stack_of(f, rank, role->thread, 900, role->doing);
		stack->holds_gil = role->has_gil ? JOB_YES : JOB_NO;
		if (role->spins) {
			stack->cut = "it ran";
			stack->state = 'R';
			stack->moved = JOB_YES;
		}
	}
	if (role->child) {
		uint32_t pid;

		facts_child(f, rank, "python");
		pid = f->extra[f->nextra - 1].pid;
		stack = facts_stack_of(f, rank, "python", pid, role->child);
		stack->main = true;
		f->extra[f->nextra - 1].pid = pid;
	}
}

static struct facts *stage(const struct situation *s)
{
	struct facts *f = facts_new(s->n);
	uint64_t left = (UINT64_C(1) << s->n) - 1;

	facts_no_probe(f);
	for (size_t i = 0; i < MAX_ROLES && s->roles[i].frames; i++) {
		uint64_t mine = s->roles[i].ranks ? bits_of(s->roles[i].ranks) : left;

		for (int rank = 0; rank < s->n; rank++)
			if (mine >> rank & 1)
				play(f, &s->roles[i], rank);
		left &= ~mine;
	}
	return f;
}

static void situations_as_they_are_met(void **state)
{
	size_t n = sizeof(situations) / sizeof(situations[0]);
	const char *only = getenv("SITUATION");

	for (size_t i = 0; i < n; i++) {
		const struct situation *s = &situations[i];
		bool several = strchr(s->culprits, '+');
		struct facts *f;

		if (only && strtoul(only, NULL, 10) != i)
			continue;
		print_message("# %zu: %s\n", i, s->what);
		f = stage(s);
		facts_expect_where(f, s->class, several ? NULL : s->culprits, s->where);
		facts_expect(f, s->class, NULL, s->victims);
		assert_int_equal(facts_culprits(f), bits_of(s->culprits));
		if (s->says)
			expect_words(f, s->says);
		facts_free(f);
	}
}

/* -- beside rings ------------------------------------------------------------------------------ */

/* By its ring it is outside of all that is recorded; these stacks tell what it may be inside of. */
static void beside_rings_a_wait_is_a_hypothesis(void **state)
{
	static const char *const waits[] = {RPC_WAIT, FUTURE_WAIT, MPI_WAIT, JAX_WAIT, CUDA_SYNC};

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_rounds(f, 0, 10, 20, 0.5);
		facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
		facts_outside(f, 3, 40);
		facts_stack(f, 3, waits[i]);
		facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_WHERE_UNKNOWN);
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
		done(&j, f);
	}
}

/* Somebody else of its host, who does not wait for a file's lock, may have it. */
static void beside_rings_a_lock_may_be_another_ranks(void **state)
{
	struct facts *f = facts_new(6);
	struct judged j;

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	facts_outside(f, 4, 40);
	facts_outside(f, 5, 40);
	for (int i = 0; i < 6; i++)
		f->ranks[i].process.locks_read = true;
	facts_stack(f, 4, FILE_LOCKED "prepare@/home/me/data.py:12" MAIN);
	j = judge(f);
	assert_int_equal(j.v->at[0].where, VERDICT_IN_LOCK);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	verdicts_free(j.v);
	job_free(j.job);
	facts_stack(f, 5, LOADER);
	j = judge(f);
	assert_int_equal(j.v->n, 2);
	assert_int_equal(j.v->at[0].where, VERDICT_IN_INPUT);
	assert_int_equal(j.v->at[1].where, VERDICT_IN_LOCK);
	assert_int_equal(j.v->at[1].confidence, VERDICT_HYPOTHESIS);
	done(&j, f);
}

/* A place that a stack may hide is not said to be the program's own code. */
static void beside_rings_what_is_hidden_is_not_told(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 3, 40);
	facts_stack(f, 3, "@libc.so.6 < @libtorch_cpu.so < step@/home/me/train.py:87" MAIN);
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_WHERE_UNKNOWN);
	f->extra[f->nextra - 1].is.stack.frames = SLEEPS;
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	facts_free(f);
}

/* -- headlines --------------------------------------------------------------------------------- */

static void expect_headline(const struct facts *f, size_t width, const char *expected)
{
	struct judged j = {.job = facts_job(f)};
	struct str text = {0};

	j.v = verdicts_of(j.job);
	headline_shout(&text, j.v, &j.v->at[0], width, false);
	assert_string_equal(str_text(&text), expected);
	str_release(&text);
	verdicts_free(j.v);
	job_free(j.job);
}

/* Its delay stays the finding; but nobody is told that a dead rank still does something. */
static void a_culprit_that_was_killed_since_is_said_to_be_dead(void **state)
{
	struct facts *f = facts_missing(8, 4, 40);

	facts_span(f, 4, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 35, FACTS_OPEN);
	facts_expect(f, VERDICT_COMPILE_SKEW, "4", "0-3,5-7");
	expect_headline(f, 50, "RANK 4 STILL COMPILES; 7 ranks wait");
	facts_end(f, 4, JOB_SIGNALED, SIGKILL, 80);
	facts_expect(f, VERDICT_COMPILE_SKEW, "4", "0-3,5-7");
	expect_headline(f, 60, "RANK 4 WAS STILL COMPILING, NOW DEAD; 7 ranks wait");
	facts_free(f);
}

/* The line of the program is what one looks at first: it is there as long as it fits. */
static void a_headline_has_the_line_of_the_program(void **state)
{
	struct facts *f = foreign(8, 3, SLEEPS);

	expect_headline(f, 90,
		"RANK 3 IS IN ITS OWN CODE (at train.py:70 in clean, still for 2.2 s); "
		"7 ranks wait");
	expect_headline(f, 70, "RANK 3 IS IN ITS OWN CODE (train.py:70 in clean); 7 ranks wait");
	expect_headline(f, 57, "RANK 3 IS IN ITS OWN CODE (train.py:70); 7 ranks wait");
	expect_headline(f, 45, "RANK 3 IS IN ITS OWN CODE; 7 ranks wait");
	facts_free(f);
	f = foreign(8, 3, COMPILE);
	f->extra[3].is.stack.fact.moved = JOB_YES;
	expect_headline(f, 64, "RANK 3 STILL COMPILES (train.py:80 in step); 7 ranks wait");
	expect_headline(f, 52, "RANK 3 STILL COMPILES (train.py:80); 7 ranks wait");
	facts_free(f);
	f = foreign(4, 2, GIL);
	facts_stack_of(f, 2, "Thread-1", 77, HOLDER)->holds_gil = JOB_YES;
	expect_headline(f, 62, "RANK 2 IS STUCK AT THE GIL (ext.py:38 in hold); 3 ranks wait");
	facts_free(f);
}

/*
 * Threads of several interpreters have a GIL each: one that has one may ask for another's, which
 * another thread of its process keeps.
 */
static void who_has_a_gil_may_wait_for_one(void **state)
{
	struct facts *f = foreign(4, 2, GIL);

	f->extra[2].is.stack.fact.holds_gil = JOB_YES;
	facts_stack_of(f, 2, "Thread-1", 77, HOLDER)->holds_gil = JOB_YES;
	expect_headline(f, 62, "RANK 2 IS STUCK AT THE GIL (ext.py:38 in hold); 3 ranks wait");
	facts_free(f);
}

/*
 * A loop that writes now and then, and sleeps: it uses no CPU to speak of, and each of three
 * samples finds it asleep; but its first thread was put on a processor in between.
 */
static void who_ran_in_between_was_not_still(void **state)
{
	for (int ran = 0; ran < 2; ran++) {
		struct facts *f = foreign(4, 3, SLEEPS);
		struct judged j;

		f->stack_span = 2.2;
		facts_cpu(f, 3, 0, 6, 17.5);
		f->ranks[3].process.runs -= ran;
		j = judge(f);
		assert_int_equal(j.v->postures[3].stands,
			ran ? INT64_C(2200000000) : INT64_C(17500000000));
		done(&j, f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_that_is_polled),
		cmocka_unit_test(a_mutex_in_a_program_of_c),
		cmocka_unit_test(the_loop_of_ray_says_nothing_of_its_rank),
		cmocka_unit_test(a_program_of_c_that_waits),
		cmocka_unit_test(situations_as_they_are_met),
		cmocka_unit_test(beside_rings_a_lock_may_be_another_ranks),
		cmocka_unit_test(beside_rings_a_wait_is_a_hypothesis),
		cmocka_unit_test(a_culprit_that_was_killed_since_is_said_to_be_dead),
		cmocka_unit_test(a_headline_has_the_line_of_the_program),
		cmocka_unit_test(who_has_a_gil_may_wait_for_one),
		cmocka_unit_test(beside_rings_what_is_hidden_is_not_told),
		cmocka_unit_test(who_ran_in_between_was_not_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
