/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of a log alone: who is named, and who never is. The texts are as torch 2.15, Slurm
 * 22.05 and Open MPI 4.1 write them.
 */
#include "tests/unit/told_log.h"

#define LOST_PEER                                                                                  \
	"RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:561] Connection "     \
	"closed by peer [127.0.0.1]:59627"

static void who_died_of_an_exception_is_named_and_its_echoes_are_not(void **state)
{
	struct told told = tell("step 811\n" HOOK(2, "ValueError: no rows in shard 2")
		HOOK(1, LOST_PEER) HOOK(3, LOST_PEER) "Failures:\n[1]:\n" REPORT(0, -15)
		REPORT(1, -15) REPORT(3, -15) "Root Cause (first observed failure):\n[0]:\n"
		REPORT(2, 1));

	(void)state;
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(told.first->confidence, VERDICT_SUPPORTED);
	assert_int_equal(told.first->culprits.n, 1);
	assert_true(blames(&told, 2));
	assert_false(blames(&told, 0) || blames(&told, 1) || blames(&told, 3));
	assert_string_equal(told.first->evidence[0].cite, "job.log:5");
	assert_int_equal(told.job->world_size, JOB_NONE);
	forget(&told);
}

/*
 * Ctrl-C interrupts all ranks, and only some come to say so: they may have waited as the others
 * did, and died of nothing of their own.
 */
static void who_was_interrupted_is_not_named(void **state)
{
	struct told told;

	(void)state;
	assert_inconclusive("step 811\n" HOOK(1, "KeyboardInterrupt"));
	assert_inconclusive("step 811\n" HOOK(1, "KeyboardInterrupt") HOOK(3, "KeyboardInterrupt"));
	told = tell(HOOK(2, "ValueError: no rows in shard 2") HOOK(1, "KeyboardInterrupt"));
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_true(blames(&told, 2));
	assert_false(blames(&told, 1));
	forget(&told);
}

#define CLOSED(r) "W1123 api.py:1028] Sending process 471" #r " closing signal SIGTERM\n"
#define FIRST(rank, code) "Root Cause (first observed failure):\n[0]:\n" REPORT(rank, code)

/*
 * A launcher ends the others once it has seen a failure: one whom SIGKILL ended before was killed
 * by somebody else. Of several, or where torchrun names no first one, that is not known.
 */
static void who_was_killed_before_the_rest_was_ended_is_named(void **state)
{
	static const struct {
		const char *text;
		bool named;
	} logs[] = {
		{FIRST(2, -9), true},
		{CLOSED(0) CLOSED(1) "Failures:\n[1]:\n" REPORT(0, -15) REPORT(1, -9)
			FIRST(2, -9), true},
		{"Failures:\n[1]:\n" REPORT(0, -9) REPORT(1, -9) FIRST(2, -9), false},
		{"Failures:\n[1]:\n" REPORT(2, -9) FIRST(0, -6), false},
		{REPORT(2, -9), false},
		{"mpirun noticed that process rank 2 with PID 4712 on node m1 exited on signal 9 "
		 "(Killed).\n", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct told told = tell(logs[i].text);

		assert_int_equal(told.first->class == VERDICT_RANK_DEATH, logs[i].named);
		assert_int_equal(blames(&told, 2), logs[i].named);
		assert_false(blames(&told, 0) || blames(&told, 1));
		if (logs[i].named)
			assert_int_equal(told.first->confidence, VERDICT_SUPPORTED);
		forget(&told);
	}
}

/* torchrun --tee 3 and srun -l put marks of their own before those of PyTorch's hook. */
static void a_launchers_mark_before_the_hooks_changes_nothing(void **state)
{
	static const char *const marks[] = {"[default1]:", "1: ", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct str text = {0};
		struct told told;

		str_printf(&text,
			"%s[rank1]: Traceback (most recent call last):\n"
			"%s[rank1]:   File \"x\", line 1\n%s[rank1]: ValueError: no rows\n%s",
			marks[i], marks[i], marks[i],
			i == 1 ? "0: srun\n" : REPORT(0, -15) REPORT(1, 1));
		told = tell(str_text(&text));
		assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
		assert_true(blames(&told, 1));
		forget(&told);
		str_release(&text);
	}
}

/* A launcher's mark says which rank of its node, and the hook's which of the job. */
static void the_hook_knows_the_rank_of_the_job(void **state)
{
	struct told told = tell("[default1]:[rank5]: Traceback (most recent call last):\n"
				"[default1]:[rank5]:   File \"x\", line 1\n"
				"[default1]:[rank5]: ValueError: no rows\n");

	(void)state;
	assert_int_equal(told.job->nranks, 1);
	assert_true(blames(&told, 5));
	forget(&told);
}

/* Of a line that is cut nobody knows what it would have told: of a lost peer, maybe. */
static void an_error_that_is_cut_is_no_end(void **state)
{
	static const char text[] = "7\t[rank0]: Traceback (most recent call last):\n"
				   "8\t[rank0]:   File \"x\", line 1\n"
				   "9\t[rank0]: RuntimeError: [/w/gloo/transport/tcp/pair.cc:5";
	const struct exhibit about = {
		.kind = EXHIBIT_JOB_LOG, .rank = -1, .label = (char *)"cut.log", .when = 1};
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	evidence_add(&evidence, &about, (uint8_t *)strdup(text), strlen(text));
	told.job = decode_job(&evidence);
	told.verdicts = verdicts_of(told.job);
	assert_false(blames(&told, 0));
	forget(&told);
	evidence_release(&evidence);
}

/* Of ranks that wrote elsewhere torchrun's report alone has the tracebacks. */
static void what_torchruns_report_has_of_each_is_read(void **state)
{
	static const char trace[] = "  traceback : Traceback (most recent call last):\n"
				    "    File \"/w/train.py\", line 10, in <module>\n"
				    "      loss.backward()\n";
	struct str text = {0};
	struct told told;

	(void)state;
	str_printf(&text, "%s%s  RuntimeError: [x] Connection closed by peer [::1]:1\n  \n",
		REPORT(0, 1), trace);
	str_printf(&text, "%s%s  ValueError: no rows in shard 1\n  \n====\n", REPORT(1, 1), trace);
	told = tell(str_text(&text));
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_true(blames(&told, 1));
	assert_false(blames(&told, 0));
	assert_string_equal(told.first->evidence[0].text, "ValueError: no rows in shard 1");
	forget(&told);
	str_release(&text);
}

/* Behind lines that were sieved out another line is none of the traceback's. */
static void what_follows_a_gap_is_no_end(void **state)
{
	static const char text[] = "7\t[rank0]: Traceback (most recent call last):\n"
				   "8\t[rank0]:   File \"x\", line 1\n"
				   "900\t[rank0]: ValueError: of another one\n";
	const struct exhibit about = {
		.kind = EXHIBIT_JOB_LOG, .rank = -1, .label = (char *)"cut.log", .when = 1};
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	evidence_add(&evidence, &about, (uint8_t *)strdup(text), strlen(text));
	told.job = decode_job(&evidence);
	told.verdicts = verdicts_of(told.job);
	assert_false(blames(&told, 0));
	forget(&told);
	evidence_release(&evidence);
}

static void who_died_of_a_fault_is_named(void **state)
{
	struct told told = tell(HOOK(1, LOST_PEER) REPORT(1, -15) REPORT(2, -11));

	(void)state;
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_true(blames(&told, 2));
	assert_false(blames(&told, 1));
	assert_true(told.first->confidence <= VERDICT_SUPPORTED);
	forget(&told);
}

/* An agent says so at the end of each attempt. */
#define FAILED(r)                                                                                  \
	"E1126 07:45:31.029000 15584 torch/distributed/elastic/multiprocessing/api.py:1002] "      \
	"failed (exitcode: 1) local_rank: " #r " (pid: 471" #r ") of binary: python\n"

/* Who failed in an attempt that torchrun began again has nothing to do with the last one. */
static void of_an_earlier_attempt_nobody_is_named(void **state)
{
	struct told told = tell(HOOK(1, "RuntimeError: CUDA error: an illegal memory access")
		HOOK(0, LOST_PEER) FAILED(1) HOOK(0, "KeyError: 'optimizer'") HOOK(1, LOST_PEER)
			FAILED(0) "Root Cause (first observed failure):\n" REPORT(0, 1)
				REPORT(1, -15));

	(void)state;
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_true(blames(&told, 0));
	assert_false(blames(&told, 1));
	assert_int_equal(told.job->attempt, 2);
	forget(&told);
}

/* Without a report, what stands behind is of an attempt that goes on. */
static void what_torchrun_began_again_is_no_death(void **state)
{
	struct told told;

	(void)state;
	assert_inconclusive(HOOK(1, "ValueError: no rows") FAILED(1) "step 0\n[rank0]: step 1\n");
	/* A log that ends there, does not tell that. */
	told = tell(HOOK(1, "ValueError: no rows") FAILED(1));
	assert_true(blames(&told, 1));
	assert_int_equal(told.job->attempt, 1);
	forget(&told);
	/* Of two nodes each agent says it once of one attempt. */
	told = tell(HOOK(1, "ValueError: no rows") FAILED(1)
			"E1126 07:45:31.1 99 api.py:1002] failed (exitcode: -15) local_rank: 0 "
			"(pid: 12) of binary: python\nChildFailedError:\n");
	assert_true(blames(&told, 1));
	forget(&told);
}

/* What a launcher's own signals did is no death; of all killed alike nobody was first. */
static void whom_the_launcher_killed_is_not_accused(void **state)
{
	(void)state;
	assert_inconclusive(
		"W1123 23:38:52.2 4 api.py:1028] Sending process 4711 closing signal SIGTERM\n"
		"W1123 23:38:52.2 4 api.py:1028] Sending process 4712 closing signal SIGTERM\n"
		"W1123 23:39:22.2 4 api.py:1042] Unable to shutdown process 4712 via "
		"Signals.SIGTERM, forcefully exiting via Signals.SIGKILL\n" HOOK(1, LOST_PEER)
			REPORT(1, -15) REPORT(2, -9));
	assert_inconclusive("srun: error: m3: tasks 0-3: Killed\n");
	assert_inconclusive("srun: error: m3: tasks 0-3: Terminated\n");
}

/* A program prints what it has caught as well, and goes on. */
static void a_traceback_that_the_program_printed_is_no_end(void **state)
{
	(void)state;
	assert_inconclusive("Traceback (most recent call last):\n"
			    "  File \"/w/train.py\", line 9, in load\n"
			    "ValueError: bad sample, skipped\n" HOOK(1, LOST_PEER));
	assert_inconclusive("3: Traceback (most recent call last):\n3:   File \"x\", line 1\n"
			    "3: ValueError: bad sample, skipped\n2: step 9\n");
}

/* A traceback that nobody has marked, in lines that are known to be all of rank 1. */
#define TRACE(mark)                                                                                \
	mark "Traceback (most recent call last):\n" mark                                          \
	     "  File \"/w/data.py\", line 9, in get\n" mark "ConnectionError: no answer\n"

/* Who printed a traceback last and then was ended by others had gone on. */
static void who_was_ended_after_a_traceback_is_not_accused(void **state)
{
	static const char *const ends[] = {REPORT(1, -15), REPORT(1, -9), REPORT(1, -6),
		"W1123 23:38:52.2 4 api.py:1028] Sending process 4711 closing signal SIGTERM\n"
		REPORT(1, -15), "srun: error: m1: task 1: Terminated\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct evidence evidence = {0};
		struct told told = {0};

		add_log(&evidence, ends[i]);
		add_file(&evidence, "none_x1/attempt_0/1/stderr.log", TRACE(""));
		told.job = decode_job(&evidence);
		told.verdicts = verdicts_of(told.job);
		assert_false(blames(&told, 1));
		forget(&told);
		evidence_release(&evidence);
	}
	assert_inconclusive(TRACE("1: ") "0: step 9\nsrun: error: m1: task 1: Terminated\n");
	assert_inconclusive(TRACE("1: ") "1: step 9\nsrun: error: m1: task 1: Exited with exit "
		"code 1\n");
}

/* Where a launcher marks all lines of a rank, no mark of PyTorch's is needed: before it begins. */
static void who_ended_with_a_traceback_in_marked_lines_is_named(void **state)
{
	static const char *const texts[] = {
		"0: \n0: \r 10%|#  | 1/9\r 20%|## | 2/9\n" TRACE("1: ")
		"0: step 9\nsrun: error: m1: task 1: Exited with exit code 1\n",
		TRACE("[default1]:") REPORT(1, 1),
		TRACE("[1,1]<stderr>:") "The first process to do so was:\n\n"
		"  Process name: [[51234,1],1]\n  Exit code:    1\n",
		TRACE("[1,1]<stderr>:") "  Process name: [prterun-m1-812@1,1]\n"
		"  Exit code:    1\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct told told = tell(texts[i]);

		assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
		assert_int_equal(told.first->confidence, VERDICT_SUPPORTED);
		assert_true(blames(&told, 1));
		forget(&told);
	}
}

static void who_only_timed_out_is_not_accused(void **state)
{
	static const char timed_out[] =
		"[rank%d]:[E1122 03:41:52.118 ProcessGroupNCCL.cpp:632] [Rank %d] Watchdog caught "
		"collective operation timeout: WorkNCCL(SeqNum=9745, OpType=ALLREDUCE, "
		"Timeout(ms)=600000) ran for 600029 milliseconds before timing out.\n";
	struct str text = {0};

	(void)state;
	for (int rank = 0; rank < 3; rank++) {
		str_printf(&text, "[rank%d]:[E1122 03:41:52.118 ProcessGroupNCCL.cpp:632] [Rank ",
			rank);
		str_printf(&text, "%d] %s", rank, strstr(timed_out, "Watchdog"));
	}
	assert_inconclusive(str_text(&text));
	str_release(&text);
}

/* A log does not say that the kill was first; that the others were told to end, it does. */
static void whom_the_launcher_told_to_end_is_never_named(void **state)
{
	struct told told = tell(
		"W1123 23:38:52.2 4 api.py:1028] Sending process 4710 closing signal SIGTERM\n"
		"W1123 23:38:52.2 4 api.py:1028] Sending process 4711 closing signal SIGTERM\n"
		HOOK(1, LOST_PEER) REPORT(0, -15) REPORT(1, -15) REPORT(2, -9));

	(void)state;
	assert_true(told.first->confidence <= VERDICT_SUPPORTED);
	assert_false(blames(&told, 0) || blames(&told, 1));
	assert_int_equal(told.job->nsignals, 2);
	forget(&told);
}

/*
 * The launcher tells all others to end, and their words tell of a peer that was gone: the one that
 * SIGKILL ended was gone before.
 */
static void who_was_killed_before_the_launcher_ended_the_others_is_named(void **state)
{
	struct told told = tell(HOOK(1, LOST_PEER)
		"W1123 23:38:52.2 4 api.py:1028] Sending process 4710 closing signal SIGTERM\n"
		"W1123 23:38:52.2 4 api.py:1028] Sending process 4711 closing signal SIGTERM\n"
		REPORT(0, -15) REPORT(1, -15) REPORT(2, -9));

	(void)state;
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(told.first->confidence, VERDICT_SUPPORTED);
	assert_int_equal(told.first->culprits.n, 1);
	assert_true(blames(&told, 2));
	forget(&told);
	told = tell("2: step 3\n0: step 3\n1: step 3\nsrun: error: m2: task 2: Killed\n"
		    "srun: launch/slurm: _step_signal: Terminating StepId=3.0\n"
		    "slurmstepd-m1: error: *** STEP 3.0 ON m1 CANCELLED AT 2026-11-26T07:55 ***\n"
		    "srun: error: m1: tasks 0-1: Terminated\n");
	assert_int_equal(told.first->culprits.n, 1);
	assert_true(blames(&told, 2));
	forget(&told);
}

/* Whom Slurm ended because it ends the whole step, died of nothing else. */
static void whom_slurm_ended_with_all_is_not_accused(void **state)
{
	(void)state;
	assert_inconclusive("srun: Job step aborted: Waiting up to 4 seconds for job step\n"
			    "slurmstepd-m1: error: *** JOB 7 ON m1 CANCELLED AT 2026-11-26 ***\n"
			    "srun: error: m2: task 3: Terminated\n"
			    "srun: error: m1: task 0: Killed\n");
}

/* The one that was there says who was not: told, and no proof of why. */
static void a_monitored_barrier_says_who_did_not_come(void **state)
{
	struct told told = tell("[rank0]:[E1126 07:44:48.4 ProcessGroupGloo.cpp:69] [Rank 0]: "
				"Ranks 2, 5 failed to pass monitoredBarrier in 6000 ms\n"
				"[rank1]: step 4\n");
	bool is_told = false;

	(void)state;
	for (size_t i = 0; i < told.first->nevidence; i++)
		is_told |= told.first->evidence[i].kind == FACT_BARRIER_MISSED &&
			   !strcmp(told.first->evidence[i].text, "2, 5");
	assert_true(is_told);
	assert_int_equal(told.first->class, VERDICT_INCONCLUSIVE);
	forget(&told);
}

#define SPAWN "torch.multiprocessing.spawn.Process"
#define SPAWN_SAYS                                                                                 \
	"rank 0: step 4\nrank 1: step 4\n"                                                         \
	"W1201 04:27:51 18349 torch/multiprocessing/spawn.py:174] Terminating process 18376 via "  \
	"signal SIGTERM\nTraceback (most recent call last):\n  File \"/w/t.py\", line 9\n"

/* True if the page has that end of a process, and nobody is blamed. */
static bool tells_of_spawned(const char *text, int64_t number, const char *how)
{
	struct told told = tell(text);
	const struct verdict *v = told.first;
	bool is_told = false;

	for (size_t i = 0; i < v->nevidence; i++)
		is_told |= v->evidence[i].kind == FACT_SPAWN_SAYS && v->evidence[i].a == number &&
			   !strcmp(v->evidence[i].text, how);
	is_told &= v->class == VERDICT_INCONCLUSIVE && v->outlook == VERDICT_OVER;
	forget(&told);
	return is_told;
}

/* mp.spawn counts its processes on each node from 0: which rank one of them is, is not said. */
static void spawn_says_which_of_its_processes_ended(void **state)
{
	static const char killed[] = SPAWN_SAYS SPAWN
		"ExitedException: process 1 terminated with signal SIGKILL\n";
	static const char raised[] = SPAWN_SAYS SPAWN
		"RaisedException: \n\n-- Process 0 terminated with the following error:\n"
		"Traceback (most recent call last):\n  File \"/w/t.py\", line 9, in step\n"
		"ValueError: Caught ValueError in DataLoader worker process 0.\n"
		"Original Traceback (most recent call last):\n  File \"/w/d.py\", line 3\n"
		"ValueError: cannot decode sample\n\nfinished\n";
	static const char again[] = SPAWN_SAYS SPAWN
		"ExitedException: process 1 terminated with exit code 3\nrank 0: step 1\n";

	(void)state;
	assert_true(tells_of_spawned(killed, 1, "terminated with signal SIGKILL"));
	assert_true(tells_of_spawned(raised, 0, "ValueError: cannot decode sample"));
	assert_false(tells_of_spawned(again, 1, "terminated with exit code 3"));
}

static void slurm_says_how_tasks_ended(void **state)
{
	struct told told = tell("5: RuntimeError: CUDA error: an illegal memory access\n"
				"0: step 811\n"
				"srun: error: m3: task 5: Exited with exit code 1\n"
				"srun: error: m3: tasks 0,2-3: Segmentation fault\n");

	(void)state;
	assert_int_equal(told.job->nranks, 4);
	for (int i = 0; i < 4; i++) {
		const struct job_process *process =
			&told.job->processes[told.job->ranks[i].process];
		bool is_five = told.job->ranks[i].world_rank.n == 5;

		assert_int_equal(process->end, is_five ? JOB_EXITED : JOB_SIGNALED);
		assert_int_equal(process->status, is_five ? 1 : 11);
	}
	forget(&told);
}

static void lines_of_strangers_make_nobody(void **state)
{
	static const char *const all[] = {"", "\n\n\n", "[rank99999999999]: x\n",
		"[ranks]: Traceback (most recent call last):\n[ranks]: X\n",
		"srun: error: m3: task 99999999: Killed\n", "srun: error: m3: task : Killed\n",
		"srun: error: m3: tasks 9-2: Killed\n", "  rank : 5 (local_rank\n",
		"  exitcode : 5 (pid: 1)\n", "process rank 3 exited\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct told told = tell(all[i]);

		if (told.job->nranks)
			fail_msg("somebody is made of: %s", all[i]);
		forget(&told);
	}
}

/* Where a census tells who there is, a log adds words, and no rank. */
static void beside_other_evidence_a_log_makes_no_rank(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	(void)state;
	forge_gather(&evidence);
	forge_text(&evidence, EXHIBIT_IDENTITY, FORGE_PID(0),
		"{\"role\": \"rank\", \"rank\": 0, \"world_size\": 2, \"source\": \"RANK\"}");
	add_log(&evidence, HOOK(0, "ValueError: x") HOOK(7, "ValueError: y"));
	job = decode_job(&evidence);
	assert_int_equal(job->nnotes, 1);
	for (size_t i = 0; i < job->nranks; i++)
		assert_true(job->ranks[i].world_rank.n < 2);
	job_free(job);
	evidence_release(&evidence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_died_of_an_exception_is_named_and_its_echoes_are_not),
		cmocka_unit_test(who_was_interrupted_is_not_named),
		cmocka_unit_test(who_was_killed_before_the_rest_was_ended_is_named),
		cmocka_unit_test(a_launchers_mark_before_the_hooks_changes_nothing),
		cmocka_unit_test(the_hook_knows_the_rank_of_the_job),
		cmocka_unit_test(an_error_that_is_cut_is_no_end),
		cmocka_unit_test(what_follows_a_gap_is_no_end),
		cmocka_unit_test(what_torchruns_report_has_of_each_is_read),
		cmocka_unit_test(who_died_of_a_fault_is_named),
		cmocka_unit_test(whom_the_launcher_killed_is_not_accused),
		cmocka_unit_test(a_traceback_that_the_program_printed_is_no_end),
		cmocka_unit_test(who_was_ended_after_a_traceback_is_not_accused),
		cmocka_unit_test(who_ended_with_a_traceback_in_marked_lines_is_named),
		cmocka_unit_test(who_only_timed_out_is_not_accused),
		cmocka_unit_test(whom_the_launcher_told_to_end_is_never_named),
		cmocka_unit_test(
			who_was_killed_before_the_launcher_ended_the_others_is_named),
		cmocka_unit_test(whom_slurm_ended_with_all_is_not_accused),
		cmocka_unit_test(a_monitored_barrier_says_who_did_not_come),
		cmocka_unit_test(spawn_says_which_of_its_processes_ended),
		cmocka_unit_test(of_an_earlier_attempt_nobody_is_named),
		cmocka_unit_test(what_torchrun_began_again_is_no_death),
		cmocka_unit_test(slurm_says_how_tasks_ended),
		cmocka_unit_test(lines_of_strangers_make_nobody),
		cmocka_unit_test(beside_other_evidence_a_log_makes_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
