/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several runs in one log, one after the other: who died in an earlier one is not named. And what
 * launchers say of an end without the rank's name, or without all that it was.
 */
#include "tests/unit/told_log.h"

/* What Open MPI 4.1 writes of an end, once all have ended. */
#define KILLED(r)                                                                                  \
	"-----------------\nmpirun noticed that process rank " #r " with PID 4712 on node m1 "     \
	"exited on signal 9 (Killed).\n-----------------\n"
#define EXITED(r)                                                                                  \
	"mpirun detected that one or more processes exited with non-zero status, thus causing\n"   \
	"the job to be terminated. The first process to do so was:\n\n"                            \
	"  Process name: [[5778,1]," #r "]\n  Exit code:    3\n"
#define OUT(r) "[1," #r "]<stdout>:"

/* It hangs, or was ended by something that says nothing: so nothing tells of its end. */
static void who_died_in_a_run_of_mpiruns_before_is_not_named(void **state)
{
	static const char *const logs[] = {
		/* The same first words, of any rank; */
		OUT(0) "begin training\n" OUT(1) "begin training\n" KILLED(1)
			OUT(0) "begin training\n" OUT(0) "step 1\n",
		/* any words of the one that had ended; */
		OUT(0) "start at 10:43\n" OUT(1) "start\n" KILLED(1) OUT(0) "start at 10:51\n"
			OUT(1) "start\n",
		OUT(0) "begin training\n" OUT(1) "begin training\n"
			OUT(1) "malloc(): corrupted top size\n" EXITED(1) OUT(1) "step 1\n",
		/* or lines that do not say whose they are. */
		"begin training\nbegin training\n[rank0]: step\n" KILLED(1) "begin training\n"
			"[rank0]: step\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
		assert_inconclusive(logs[i]);
}

/* What a script writes behind the only run, or another rank that is still read, is no run. */
static void who_died_in_the_only_run_of_mpiruns_is_named(void **state)
{
	static const char *const logs[] = {
		OUT(0) "begin training\n" OUT(1) "begin training\n" KILLED(1) "job ended badly\n",
		OUT(0) "begin training\n" OUT(1) "begin training\n" KILLED(1) OUT(0) "step 7\n",
		/* It died in the second one, too. */
		OUT(0) "begin training\n" OUT(1) "begin training\n" KILLED(0)
			OUT(0) "begin training\n" OUT(1) "begin training\n" KILLED(1),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct told told = tell(logs[i]);

		assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
		assert_true(blames(&told, 1));
		assert_false(blames(&told, 0));
		forget(&told);
	}
}

/* A traceback in lines that a launcher marks. */
#define TRACED(mark)                                                                               \
	mark "Traceback (most recent call last):\n" mark "  File \"/w/data.py\", line 9\n"    \
	mark "ConnectionError: no answer\n"

/* DeepSpeed's launcher: the command is always that of the last rank that it started. */
#define CODE(n)                                                                                    \
	"[2026-12-01 11:45:41,039] [INFO] [launch.py:253:sigkill_handler] Killing subprocess 47\n" \
	"[2026-12-01 11:45:41,219] [ERROR] [launch.py:259:sigkill_handler] ['python', '-u', "      \
	"'train.py', '--local_rank=2'] exits with return code = " #n "\n"
#define LOST "RuntimeError: [pair.cc:561] Connection closed by peer [127.0.0.1]:1717"

static void deepspeeds_launcher_names_nobody(void **state)
{
	struct told told = tell("begin\n" HOOK(0, LOST) HOOK(2, LOST) CODE(-9));
	bool says = false;

	(void)state;
	assert_int_equal(told.first->class, VERDICT_INCONCLUSIVE);
	assert_int_equal(told.first->outlook, VERDICT_OVER);
	for (size_t i = 0; i < told.first->nevidence; i++)
		says |= told.first->evidence[i].kind == FACT_LAUNCHER_SAYS &&
			!strcmp(told.first->evidence[i].text, "return code -9");
	assert_true(says);
	for (int rank = 0; rank < 3; rank++)
		assert_false(blames(&told, rank));
	forget(&told);
	/* Who has said of what it died is named nevertheless, unless in an earlier run. */
	told = tell("begin\n" HOOK(1, "ValueError: no rows") HOOK(2, LOST) CODE(1));
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_true(blames(&told, 1) && !blames(&told, 2));
	forget(&told);
	assert_inconclusive("begin training\n" HOOK(1, "ValueError: no rows") CODE(1)
		"begin training\n[rank0]: step 1\n[rank1]: step 1\n");
}

/* Which of the first four ranks are to blame, as bits. */
static int blamed(const struct told *told)
{
	int named = 0;

	for (int rank = 0; rank < 4; rank++)
		named |= blames(told, rank) << rank;
	return named;
}

#define KILLS(n) "slurmstepd: error: Detected " #n " oom_kill events in StepId=41.0. Some were.\n"
#define STEPS	  "0: step 1\n1: step 1\n2: step 1\n3: step 1\n"

#define OF_BATCH "slurmstepd: error: Detected 1 oom_kill event in StepId=41.batch. Some were.\n"
#define OOM(n)	  "srun: error: " n ": Out Of Memory\n"

/*
 * srun says so of who ran out of memory, before it ends the rest. Of several tasks of a node nobody
 * knows which one the kernel killed: it counts also their children, and steps count twice. Slurm's
 * daemon alone names a step, no rank; and who wrote of its end was not killed.
 */
static void who_ran_out_of_memory_by_srun_is_named(void **state)
{
	static const struct {
		const char *text;
		int blames; /* bits */
		bool memory;
	} logs[] = {
		{STEPS KILLS(1) "srun: error: m1: task 3: Out Of Memory\nsrun: Terminating "
			"StepId=41.0\nsrun: error: m1: tasks 0-2: Out Of Memory\n", 1 << 3, true},
		{STEPS "srun: error: m1: task 3: Out Of Memory\n", 1 << 3, true},
		{STEPS KILLS(1) KILLS(1) OOM("m1: task 1") OOM("m2: task 3"), 10, true},
		{STEPS KILLS(3) OOM("m1: tasks 1,3"), 0, false},
		{STEPS KILLS(1) OF_BATCH OOM("m1: tasks 1,3"), 0, false},
		{STEPS KILLS(3) "0: " HOOK(0, LOST) OOM("m1: task 0"), 0, false},
		{STEPS KILLS(1) "srun: error: m1: tasks 1,3: Out Of Memory\n", 0, false},
		{STEPS KILLS(1) "srun: Terminating StepId=41.0\n"
			"srun: error: m1: tasks 0-3: Killed\n", 0, false},
		{STEPS KILLS(1), 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct told told = tell(logs[i].text);
		int named = blamed(&told);

		if (named != logs[i].blames)
			fail_msg("%zu: %d", i, named);
		assert_int_equal(told.first->cause == VERDICT_BY_OOM_KILL, logs[i].memory);
		assert_true(!named || told.first->confidence == VERDICT_SUPPORTED);
		forget(&told);
	}
}

/* Tasks that start a node's ranks are none: by marks of ranks, or by what launchers say. */
static void who_is_a_task_of_a_node_is_no_rank(void **state)
{
	static const char *const logs[] = {
		"0: [rank0]: step 1\n0: [rank1]: step 1\n1: [rank2]: step 1\n",
		"0: W1201 12:00:00.1 9 torch/distributed/run.py:766] Setting OMP_NUM_THREADS\n"
			"0: step 1\n1: step 1\n",
		"1: [2026-12-01 11:45:41,039] [INFO] [launch.py:256:main] process 47 spawned\n"
			"0: step 1\n1: step 1\n",
		/* None of these says whether a task is a rank. */
		"[rank0]: step 1\n[rank1]: step 1\n[rank2]: step 1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s%s", logs[i], KILLS(1) OOM("n1: task 1"));
		assert_inconclusive(text);
	}
}

/* What Intel MPI 2021.18 writes of each process that a signal ended, in the order of ranks. */
#define HYDRA(r, signal)                                                                           \
	"\n=======================================\n"                                              \
	"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"                               \
	"=   RANK " #r " PID 222" #r " RUNNING AT m1\n=   KILLED BY SIGNAL: " signal "\n"          \
	"=======================================\n"
#define TERM "15 (Terminated)"

/*
 * It ends all by SIGTERM, and by SIGKILL who does not heed that, where one has exited by itself, of
 * which it says nothing.
 */
static void who_died_of_its_own_by_hydra_is_named(void **state)
{
	static const struct {
		const char *text;
		int blames; /* bits */
	} logs[] = {
		{"step 1\n" HYDRA(0, TERM) HYDRA(1, TERM) HYDRA(2, "11 (Segmentation fault)")
				HYDRA(3, TERM), 1 << 2},
		{"step 1\n" HYDRA(0, TERM) HYDRA(1, "7 (Bus error)") HYDRA(2, "9 (Killed)"),
			1 << 1},
		{"step 1\n" HYDRA(0, TERM) HYDRA(1, TERM) HYDRA(3, TERM), 0},
		{"step 1\n" HYDRA(0, TERM) HYDRA(1, TERM) HYDRA(2, "9 (Killed)"), 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct told told = tell(logs[i].text);
		int named = blamed(&told);

		assert_int_equal(named, logs[i].blames);
		assert_int_equal(told.job->nranks, i == 0 ? 4 : 3);
		forget(&told);
	}
}

/* What Open MPI 4.1 writes of MPI_Abort, and of an end without MPI_Finalize; MPICH 4 and 3.1. */
#define ABORTED(r, comm)                                                                           \
	"-----------------\nMPI_ABORT was invoked on rank " #r " in communicator " comm "\n"       \
	"with errorcode 5.\n\nNOTE: invoking MPI_ABORT causes Open MPI to kill all.\n"             \
	"-----------------\n"
#define MORE "[m1:47] 3 more processes have sent help message help-mpi-api.txt / mpi-abort\n"
#define LEFT(r, how)                                                                               \
	"-----------------\nmpirun has exited due to process rank " #r " with PID 0 on\n"          \
	"node m1 " how ". There are three reasons this could occur:\n\n1. this process did\n"      \
	"-----------------\n"
#define WORLD		"MPI_COMM_WORLD"
#define MPICH(node, r)	"Abort(5) on node " #node " (rank " #r " in comm 496): "
#define CALLED(comm, r) "application called MPI_Abort(" comm ", 5) - process " #r "\n"

/*
 * Who ended the job is named by MPI itself: by its number among all, and not in a part of them.
 * Errors of MPI's own may have come from others.
 */
static void who_aborted_by_mpis_word_is_named(void **state)
{
	static const struct {
		const char *text, *says;
		int blames; /* bits */
	} logs[] = {
		{"step 1\n" ABORTED(2, WORLD), "MPI_Abort(5)", 1 << 2},
		{"step 1\nMPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD\n"
			"  Proc: [[5778,1],2]\n  Errorcode: 5\n", "MPI_Abort(5)", 1 << 2},
		{MPICH(2, 2) CALLED(WORLD, 2), "MPI_Abort(5)", 1 << 2},
		{"[2] " MPICH(2, 0) CALLED("comm=0x84000002", 0), "MPI_Abort(5)", 1 << 2},
		{CALLED(WORLD, 2), "MPI_Abort(5)", 1 << 2},
		{MPICH(1, 1) CALLED(WORLD, 1) MPICH(2, 2) CALLED(WORLD, 2), "MPI_Abort(5)", 6},
		/* What it says of itself is more. */
		{TRACED("[1,2]<stderr>:") ABORTED(2, WORLD), "ConnectionError: no answer", 1 << 2},
		/* Others have done so, too; it is a number in a part; MPI has ended it. */
		{OUT(0) "step 1\n" ABORTED(3, WORLD) MORE, NULL, 0},
		{OUT(0) "step 1\n" ABORTED(2, "MPI COMMUNICATOR 3 SPLIT FROM 0"), NULL, 0},
		{OUT(0) "step 1\n" CALLED("comm=0x84000002", 0), NULL, 0},
		{OUT(0) "step 1\n" MPICH(2, 2) "Fatal error in internal_Recv: Lost\n", NULL, 0},
		/* It aborted in a run before. */
		{OUT(0) "begin training\n" OUT(2) "begin training\n" ABORTED(2, WORLD)
			OUT(0) "begin training\n", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct told told = tell(logs[i].text);

		if (blamed(&told) != logs[i].blames)
			fail_msg("%zu: %d", i, blamed(&told));
		if (logs[i].says) {
			assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
			assert_int_equal(told.first->confidence, VERDICT_SUPPORTED);
			assert_int_equal(told.first->outlook, VERDICT_OVER);
			assert_string_equal(told.first->evidence[0].text, logs[i].says);
		}
		forget(&told);
	}
}

/* MPI_Abort tells nothing of why: who tells of others has seen what went wrong with them. */
static void who_aborted_over_others_is_not_named(void **state)
{
	static const char *const logs[] = {
		OUT(2) "Traceback (most recent call last):\n"
		OUT(2) "  File \"/w/x.py\", line 9\n"
		OUT(2) "mpi4py.MPI.Exception: MPI_ERR_PROC_FAILED: Process Failure\n"
			ABORTED(2, WORLD),
		OUT(2) "recv from rank 1 timed out, aborting\n" ABORTED(2, WORLD),
		"[rank2]: recv from rank 1 timed out, aborting\n" MPICH(2, 2) CALLED(WORLD, 2),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
		assert_inconclusive(logs[i]);
}

/* A fault is the rank's own, whatever the others did when they saw it. */
static void who_a_fault_struck_is_named_before_who_aborted(void **state)
{
	static const char fault[] = "mpirun noticed that process rank 1 with PID 47 on node m1 "
				    "exited on signal 11 (Segmentation fault).\n";
	struct str text = {0};

	(void)state;
	for (int first = 0; first < 2; first++) {
		struct told told;

		str_cut(&text, 0);
		str_printf(&text, "%s%s%s", first ? fault : "", ABORTED(0, WORLD),
			first ? "" : fault);
		told = tell(str_text(&text));
		assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
		assert_int_equal(blamed(&told), 1 << 1);
		forget(&told);
	}
	str_release(&text);
}

/* Of several whom Open MPI shows, or who are more than that, nobody knows who was first. */
static void who_may_not_have_aborted_first_is_not_named(void **state)
{
	(void)state;
	assert_inconclusive(OUT(0) "step 1\n" ABORTED(1, WORLD) OUT(0) "step 2\n"
		ABORTED(2, WORLD));
	/* Whoever it was: mpirun has ended the other. */
	assert_inconclusive(OUT(0) "step 1\n" ABORTED(1, WORLD) KILLED(0) MORE);
}

/* Slurm has ended the job: ranks leave it as they do when they are told to. */
static void who_aborted_or_left_when_told_is_not_named(void **state)
{
#define CANCELLED "slurmstepd: error: *** JOB 7 ON m1 CANCELLED AT 2026-12-01T10:00:00 ***\n"
	static const char *const logs[] = {
		CANCELLED OUT(0) "step 1\n" ABORTED(2, WORLD),
		CANCELLED OUT(0) "step 1\n" MPICH(2, 2) CALLED(WORLD, 2),
		CANCELLED OUT(0) "step 1\n" LEFT(2, "exiting improperly"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
		assert_inconclusive(logs[i]);
}

/* mpirun ends all for who has ended without MPI_Finalize, and tells who that was. */
static void who_left_by_mpiruns_word_is_named(void **state)
{
	struct told told = tell(OUT(0) "step 1\n" LEFT(2, "exiting improperly"));

	(void)state;
	assert_int_equal(told.first->class, VERDICT_EARLY_EXIT);
	assert_int_equal(told.first->confidence, VERDICT_SUPPORTED);
	assert_int_equal(told.first->outlook, VERDICT_OVER);
	assert_int_equal(blamed(&told), 1 << 2);
	forget(&told);
	assert_inconclusive(OUT(0) "step 1\n" LEFT(2, "calling \"abort\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_died_in_a_run_of_mpiruns_before_is_not_named),
		cmocka_unit_test(who_died_in_the_only_run_of_mpiruns_is_named),
		cmocka_unit_test(deepspeeds_launcher_names_nobody),
		cmocka_unit_test(who_ran_out_of_memory_by_srun_is_named),
		cmocka_unit_test(who_is_a_task_of_a_node_is_no_rank),
		cmocka_unit_test(who_died_of_its_own_by_hydra_is_named),
		cmocka_unit_test(who_aborted_by_mpis_word_is_named),
		cmocka_unit_test(who_aborted_over_others_is_not_named),
		cmocka_unit_test(who_a_fault_struck_is_named_before_who_aborted),
		cmocka_unit_test(who_may_not_have_aborted_first_is_not_named),
		cmocka_unit_test(who_aborted_or_left_when_told_is_not_named),
		cmocka_unit_test(who_left_by_mpiruns_word_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
