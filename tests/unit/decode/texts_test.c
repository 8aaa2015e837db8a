/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of texts that others leave: error files, Slurm's records, the kernel's log, printed
 * stacks, NCCL's own look, compile logs. Their forms are those of torch 2.15, Slurm 22.05, Linux 6,
 * py-spy 0.4, CPython 3.13 and NCCL 2.28.
 */
#include "decode/decode.h"

#include <stdlib.h>

#include "base/str.h"
#include "decode/exhibits/texts.h"
#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"
#include "verdict/verdict.h"

/* An entry of torchrun's report. */
#define REPORT(r, code)                                                                            \
	"  time      : 2026-11-23_23:38:52\n  host      : m1\n"                                    \
	"  rank      : " #r " (local_rank: " #r ")\n"                                              \
	"  exitcode  : " #code " (pid: 471" #r ")\n  error_file: <N/A>\n"

#define CLOSED(pid)                                                                                \
	"W1123 23:38:52.2 4 api.py:1028] Sending process " #pid " closing signal SIGTERM\n"

#define OOM(pid)                                                                                   \
	"[ 811.204211] Memory cgroup out of memory: Killed process " #pid                          \
	" (python) total-vm:90211340kB, anon-rss:67108864kB\n"

#define ERROR_FILE                                                                                 \
	"{\"message\": {\"message\": \"ValueError: no rows\", \"extraInfo\": "                     \
	"{\"py_callstack\": \"Traceback ...\", \"timestamp\": \"1795235031\"}}}"

struct told {
	struct job *job;
	struct verdicts *verdicts;
	const struct verdict *first;
};

static void add(
	struct evidence *evidence, enum exhibit_kind kind, const char *label, const char *text)
{
	const struct exhibit about = {
		.kind = kind, .rank = -1, .label = (char *)label, .when = FORGE_T0_REAL};

	evidence_add(evidence, &about, (uint8_t *)strdup(text), strlen(text));
}

static struct told tell(struct evidence *evidence)
{
	struct told told = {.job = decode_job(evidence)};

	told.verdicts = verdicts_of(told.job);
	told.first = &told.verdicts->at[0];
	evidence_release(evidence);
	return told;
}

static void forget(struct told *told)
{
	verdicts_free(told->verdicts);
	job_free(told->job);
}

static size_t blamed(const struct told *told)
{
	size_t n = 0;

	for (size_t v = 0; v < told->verdicts->n; v++)
		n += told->verdicts->at[v].culprits.n;
	return n;
}

static bool blames(const struct told *told, int rank)
{
	for (size_t v = 0; v < told->verdicts->n; v++)
		for (size_t i = 0; i < told->verdicts->at[v].culprits.n; i++)
			if (told->job->ranks[told->verdicts->at[v].culprits.at[i].i].world_rank.n ==
				rank)
				return true;
	return false;
}

/* The fact of that kind in the first verdict; NULL: it has none. */
static const struct verdict_fact *fact_of(const struct told *told, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < told->first->nevidence; i++)
		if (told->first->evidence[i].kind == kind)
			return &told->first->evidence[i];
	return NULL;
}

/* -- the kernel's log -------------------------------------------------------------------------- */

static void whom_the_kernel_killed_for_memory_is_named_where_its_launcher_says_so_too(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out", CLOSED(4710) REPORT(0, -15) REPORT(1, -9));
	add(&evidence, EXHIBIT_KERNEL_LOG, "dmesg", OOM(4711));
	told = tell(&evidence);
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(told.first->cause, VERDICT_BY_OOM_KILL);
	assert_int_equal(told.first->confidence, VERDICT_SUPPORTED);
	assert_true(blames(&told, 1));
	assert_false(blames(&told, 0));
	assert_non_null(fact_of(&told, FACT_KERNEL_SAYS));
	assert_string_equal(fact_of(&told, FACT_KERNEL_SAYS)->cite, "dmesg:1");
	forget(&told);
}

/* A pid of the host's log may be another process' in the container. */
static void a_pid_alone_accuses_nobody(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out", CLOSED(4710) REPORT(0, -15) REPORT(1, -15));
	add(&evidence, EXHIBIT_KERNEL_LOG, "dmesg", OOM(4711) OOM(99));
	told = tell(&evidence);
	assert_int_equal(blamed(&told), 0);
	assert_non_null(fact_of(&told, FACT_KERNEL_SAYS));
	assert_int_equal(fact_of(&told, FACT_KERNEL_SAYS)->ranks.n, 0);
	forget(&told);
}

static void an_error_of_a_gpu_is_told_of_its_rank(void **state)
{
	struct evidence evidence = {0};
	const struct verdict_fact *xid;
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out",
		"[rank1]: Traceback (most recent call last):\n[rank1]:   File \"x\", line 1\n"
		"[rank1]: RuntimeError: CUDA error: unspecified launch failure\n" CLOSED(4710)
			REPORT(0, -15) REPORT(1, 1));
	add(&evidence, EXHIBIT_KERNEL_LOG, "dmesg",
		"Nov 24 03:11:52 m1 kernel: NVRM: Xid (PCI:0000:4b:00): 79, pid=4711, name=python, "
		"GPU has fallen off the bus.\n"
		"Nov 24 03:11:53 m1 kernel: NVRM: Xid (PCI:0000:0a:00): 31, Ch 00000008\n");
	told = tell(&evidence);
	xid = fact_of(&told, FACT_XID);
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(told.first->cause, VERDICT_BY_CUDA_ERROR);
	assert_true(blames(&told, 1));
	assert_non_null(xid);
	assert_int_equal(xid->a, 79);
	assert_string_equal(xid->text, "GPU has fallen off the bus.");
	assert_string_equal(xid->text2, "0000:4b:00");
	assert_int_equal(xid->ranks.n, 1);
	assert_int_equal(told.job->nsayings, 2);
	forget(&told);
}

/* What dmesg prints names no host: a pid in it is that of a rank where there is one host only. */
static void an_error_of_no_host_is_of_the_only_one(void **state)
{
	static const char report[] = CLOSED(4710) REPORT(0, -15) REPORT(1, 1);
	static const struct {
		const char *log;
		size_t ranks;
	} cases[] = {
		{"", 1},
		{"srun: error: m1: task 1: Exited with exit code 1\n", 1},
		{"m1.cluster:4711:4790 [0] NCCL INFO Bootstrap\n"
		 "m1:4710:4790 [0] NCCL INFO Bootstrap\n", 1},
		{"m1:4711:4790 [0] NCCL INFO Bootstrap\nm2:4711:4790 [0] NCCL INFO Bootstrap\n",
			0},
		{"srun: error: m1: task 1: Exited with exit code 1\n"
		 "srun: error: m2: task 3: Exited with exit code 1\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evidence evidence = {0};
		struct told told;
		char log[2048];

		snprintf(log, sizeof(log), "%s%s", cases[i].log, report);
		add(&evidence, EXHIBIT_JOB_LOG, "slurm.out", log);
		add(&evidence, EXHIBIT_KERNEL_LOG, "dmesg",
			"[ 8110.2] NVRM: Xid (PCI:0000:4b:00): 79, pid=4711, name=python, x\n");
		told = tell(&evidence);
		assert_int_equal(told.job->nsayings, 1);
		assert_int_equal(is_rank(told.job->sayings[0].rank), cases[i].ranks);
		forget(&told);
	}
}

#define XID(number, pid)                                                                           \
	"Nov 24 03:11:52 m1 kernel: NVRM: Xid (PCI:0000:4b:00): " #number ", pid=" #pid            \
	", name=python, it failed.\n"

/* Its line is one with another rank's, and four others stand before them. */
static void what_is_said_of_who_is_blamed_is_told_first(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out",
		"[rank5]: Traceback (most recent call last):\n[rank5]:   File \"x\", line 1\n"
		"[rank5]: RuntimeError: CUDA error: unspecified launch failure\n" CLOSED(4710)
			REPORT(0, -15) REPORT(1, -15) REPORT(2, -15) REPORT(3, -15) REPORT(4, -15)
				REPORT(5, 1));
	add(&evidence, EXHIBIT_KERNEL_LOG, "dmesg",
		XID(13, 4710) XID(31, 4711) XID(43, 4712) XID(45, 4713) XID(79, 4714)
			XID(79, 4715));
	told = tell(&evidence);
	assert_true(blames(&told, 5));
	assert_int_equal(fact_of(&told, FACT_XID)->a, 79);
	assert_int_equal(fact_of(&told, FACT_XID)->ranks.n, 2);
	forget(&told);
}

/* -- Slurm --------------------------------------------------------------------------------------
 */

static void slurms_word_of_memory_is_of_the_one_that_was_killed(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out", CLOSED(4710) REPORT(0, -15) REPORT(1, -9));
	add(&evidence, EXHIBIT_SLURM_RECORD, "sacct.txt",
		"JobID|JobName|State|ExitCode|NTasks\n8841|sft|OUT_OF_MEMORY|0:125|\n"
		"8841.batch|batch|OUT_OF_MEMORY|0:125|1\n8841.extern|extern|COMPLETED|0:0|1\n");
	told = tell(&evidence);
	assert_int_equal(told.first->cause, VERDICT_BY_OOM_KILL);
	assert_true(blames(&told, 1));
	assert_int_equal(told.job->world_size, JOB_NONE);
	assert_string_equal(fact_of(&told, FACT_SLURM_SAYS)->text, "job 8841 is OUT_OF_MEMORY");
	assert_string_equal(fact_of(&told, FACT_SLURM_SAYS)->text2, "0:125");
	forget(&told);
}

/* "scontrol show job" and sacct tell of all jobs of a user: that is meant which the log names. */
static void of_several_jobs_of_slurm_the_logs_own_is_meant(void **state)
{
	static const char fields[] = "JobId=6 JobName=sft\n   JobState=FAILED\n   ExitCode=1:0\n\n"
				     "JobId=7 JobName=sft\n   JobState=TIMEOUT\n"
				     "   ExitCode=0:15\n\n";
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out",
		"0: step 3\n1: step 3\n"
		"slurmstepd-m1: error: *** STEP 7.0 ON m1 CANCELLED AT 2026-11-26T07:57:54 ***\n");
	add(&evidence, EXHIBIT_SLURM_RECORD, "scontrol.txt", fields);
	add(&evidence, EXHIBIT_SLURM_RECORD, "sacct.txt",
		"JobID|State\n6|FAILED\n7|TIMEOUT\n7.0|CANCELLED\n8|COMPLETED\n");
	told = tell(&evidence);
	assert_int_equal(told.job->ended, JOB_YES);
	for (size_t i = 0; i < told.job->nsayings; i++)
		assert_null(strstr(told.job->sayings[i].text, "job 6"));
	assert_int_equal(told.job->nsayings, 4);
	forget(&told);
	/* Which of them it was, nobody says. */
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out", "[rank0]: step 3\n[rank1]: step 3\n");
	add(&evidence, EXHIBIT_SLURM_RECORD, "scontrol.txt", fields);
	told = tell(&evidence);
	assert_int_not_equal(told.job->ended, JOB_YES);
	assert_int_equal(told.job->nsayings, 0);
	forget(&told);
}

static void a_time_limit_is_told_and_nobodys_fault(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out",
		"slurmstepd: error: *** STEP 8841.0 ON m1 CANCELLED AT 2026-11-24T03:11:52 DUE TO "
		"TIME LIMIT ***\nsrun: error: m1: tasks 0-3: Terminated\n");
	add(&evidence, EXHIBIT_SLURM_RECORD, "job.txt",
		"JobId=8841 JobName=sft\n   JobState=TIMEOUT Reason=TimeLimit Dependency=(null)\n"
		"   ExitCode=0:15 NumNodes=1\n");
	told = tell(&evidence);
	assert_int_equal(blamed(&told), 0);
	assert_non_null(fact_of(&told, FACT_SLURM_SAYS));
	assert_int_equal(told.job->ended, JOB_YES);
	forget(&told);
}

/* Two kinds agree, and the size is said: that is more than one text. */
static void two_kinds_that_agree_establish(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "slurm.out",
		"srun: error: m1: task 1: Out Of Memory\nsrun: error: m1: task 0: Exited with "
		"exit code 1\n0: RuntimeError: Connection closed by peer\n");
	add(&evidence, EXHIBIT_SLURM_RECORD, "sacct.txt",
		"JobID|State|ExitCode|NTasks\n8841|OUT_OF_MEMORY|0:125|\n"
		"8841.0|OUT_OF_MEMORY|0:125|2\n");
	told = tell(&evidence);
	assert_int_equal(told.job->world_size, 2);
	assert_int_equal(told.first->cause, VERDICT_BY_OOM_KILL);
	assert_true(blames(&told, 1));
	assert_false(blames(&told, 0));
	assert_int_equal(told.first->confidence, VERDICT_ESTABLISHED);
	forget(&told);
}

/* -- error files --------------------------------------------------------------------------------
 */

static void an_error_file_is_of_the_rank_of_its_folder(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "torchrun.log", CLOSED(4710) REPORT(0, -15) REPORT(1, 1));
	add(&evidence, EXHIBIT_ERROR_FILE, "none_x1/attempt_0/1/error.json", ERROR_FILE);
	told = tell(&evidence);
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(told.first->cause, VERDICT_BY_EXCEPTION);
	assert_true(blames(&told, 1));
	assert_string_equal(fact_of(&told, FACT_EXCEPTION)->cite, "none_x1/attempt_0/1/error.json");
	forget(&told);
}

static void of_a_folder_that_nobody_knows_it_makes_no_rank(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_ERROR_FILE, "none_x1/attempt_0/1/error.json", ERROR_FILE);
	add(&evidence, EXHIBIT_ERROR_FILE, "elsewhere/error.json", ERROR_FILE);
	told = tell(&evidence);
	assert_int_equal(told.job->nranks, 0);
	forget(&told);
}

/* What a worker wrote itself is its own, with no mark on its lines. */
static void a_workers_file_is_of_the_rank_that_its_marks_name(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "x/attempt_0/0/stderr.log", "step 7\n");
	add(&evidence, EXHIBIT_JOB_LOG, "x/attempt_0/1/stderr.log",
		"Traceback (most recent call last):\n  File \"/w/train.py\", line 3\n"
		"ValueError: bad\n");
	add(&evidence, EXHIBIT_JOB_LOG, "out.txt", CLOSED(4710) REPORT(0, -15) REPORT(1, 1));
	told = tell(&evidence);
	assert_true(blames(&told, 1));
	assert_string_equal(fact_of(&told, FACT_EXCEPTION)->cite, "x/attempt_0/1/stderr.log:3");
	forget(&told);
	/* With something behind it, it was caught. */
	add(&evidence, EXHIBIT_JOB_LOG, "x/attempt_0/1/stderr.log",
		"Traceback (most recent call last):\n  File \"/w/train.py\", line 3\n"
		"ValueError: bad\nskipped it\n");
	add(&evidence, EXHIBIT_JOB_LOG, "out.txt", CLOSED(4710) REPORT(0, -15) REPORT(1, -15));
	told = tell(&evidence);
	assert_int_equal(blamed(&told), 0);
	forget(&told);
}

/* -- watchdogs, inits ---------------------------------------------------------------------------
 */

#define WATCHDOG(r, seq)                                                                           \
	"[rank" #r "]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank " #r "] Watchdog "  \
	"caught collective operation timeout: WorkNCCL(SeqNum=" #seq ", OpType=ALLREDUCE, "        \
	"NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 60006" #r                              \
	" milliseconds before timing out.\n"

static void what_watchdogs_say_is_told_together_and_accuses_nobody(void **state)
{
	struct evidence evidence = {0};
	const struct verdict_fact *fact;
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "job.log",
		WATCHDOG(0, 1580) WATCHDOG(1, 1580) WATCHDOG(0, 1581));
	told = tell(&evidence);
	fact = fact_of(&told, FACT_WATCHDOG);
	assert_int_equal(blamed(&told), 0);
	assert_non_null(fact);
	assert_int_equal(fact->ranks.n, 2);
	assert_string_equal(fact->text, "AllReduce");
	assert_int_equal(fact->a, 1580);
	assert_int_equal(fact->b, INT64_C(600061) * 1000000);
	forget(&told);
}

static void an_init_of_nccl_without_end_is_told(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "nccl.log",
		"m1:500:500 [0] NCCL INFO ncclCommInitRank comm 0x7f1 rank 0 nranks 2 cudaDev 0 - "
		"Init START\n"
		"m1:501:501 [1] NCCL INFO ncclCommInitRank comm 0x7f2 rank 1 nranks 2 cudaDev 1 - "
		"Init START\n"
		"m1:501:501 [1] NCCL INFO ncclCommInitRank comm 0x7f2 rank 1 nranks 2 cudaDev 1 - "
		"Init COMPLETE\n");
	told = tell(&evidence);
	assert_int_equal(blamed(&told), 0);
	assert_non_null(fact_of(&told, FACT_INIT_OPEN));
	assert_int_equal(fact_of(&told, FACT_INIT_OPEN)->a, 2);
	forget(&told);
}

/* -- stacks -------------------------------------------------------------------------------------
 */

#define SPIED(pid, frames)                                                                         \
	"Process " #pid ": python train.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n"              \
	"Thread " #pid " (idle): \"MainThread\"\n" frames "\n"

#define IN_ALL_REDUCE                                                                              \
	"    all_reduce (torch/distributed/distributed_c10d.py:2501)\n"                            \
	"    step (train.py:88)\n    <module> (train.py:120)\n"

static void printed_stacks_tell_where_each_stood(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_STACK_TEXT, "spy.txt",
		SPIED(500, IN_ALL_REDUCE) SPIED(501, IN_ALL_REDUCE)
			SPIED(502, "    load (data.py:7)\n    <module> (train.py:80)\n"));
	told = tell(&evidence);
	assert_int_equal(told.job->nranks, 3);
	assert_int_equal(told.job->nstacks, 3);
	assert_int_equal(told.job->stacks[0].nframes, 3);
	assert_true(told.job->stacks[0].main);
	assert_string_equal(told.job->stacks[0].cite, "spy.txt:4");
	assert_true(told.first->confidence <= VERDICT_HYPOTHESIS);
	forget(&told);
}

static void faulthandlers_are_of_the_rank_that_the_file_is_called_by(void **state)
{
	struct evidence evidence = {0};
	const struct job_frame *frame;
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_STACK_TEXT, "stacks-rank3.txt",
		"Thread 0x00007f3c04ff9700 (most recent call first):\n"
		"  File \"/usr/lib/python3.11/threading.py\", line 324 in wait\n\n"
		"Current thread 0x00007f3c1f7fe740 (most recent call first):\n"
		"  File \"/w/train.py\", line 88 in step\n  File \"/w/train.py\", line 120 in "
		"<module>\n");
	told = tell(&evidence);
	assert_int_equal(told.job->nranks, 1);
	assert_int_equal(told.job->ranks[0].world_rank.n, 3);
	assert_int_equal(told.job->nstacks, 2);
	assert_true(told.job->stacks[0].main);
	frame = &told.job->frames[told.job->stacks[0].frames[0]];
	assert_string_equal(frame->function, "step");
	assert_int_equal(frame->line, 88);
	forget(&told);
}

/* -- NCCL's own look ----------------------------------------------------------------------------
 */

static void ras_names_who_differs_and_accuses_nobody(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_RAS, "ras.txt",
		"Job summary\n===========\n\n  Nodes  Processes         GPUs  Processes     GPUs\n"
		"(total)   per node  per process    (total)  (total)\n"
		"      4          8            1         32       32\n\n"
		"Communicators... (0.00s)\n=============\n\n"
		"Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
		"    #  in group  per comm  per node  per comm  in group\n"
		"    0         1         4         8        32        32   RUNNING  MISMATCH\n\n"
		"Warnings\n========\n\n#0-0 (fa93daea854b060b) MISMATCH\n"
		"  Communicator ranks have different AllGather operation counts\n"
		"  30 ranks have launched up to operation 640\n"
		"  2 ranks have launched up to operation 641\n"
		"  Rank 12 -- GPU 4 managed by process 323032 on node 10.1.0.4\n"
		"  Rank 13 -- GPU 5 managed by process 323033 on node 10.1.0.4\n");
	add(&evidence, EXHIBIT_STACK_TEXT, "spy.txt",
		SPIED(323032, IN_ALL_REDUCE) SPIED(323033, IN_ALL_REDUCE));
	told = tell(&evidence);
	assert_int_equal(blamed(&told), 0);
	assert_int_equal(told.job->nranks, 32);
	assert_int_equal(told.job->nsayings, 4);
	for (size_t i = 0; i < told.job->nsayings; i++)
		if (is_rank(told.job->sayings[i].rank))
			assert_string_equal(told.job->sayings[i].text,
				"2 ranks have launched up to operation 641");
	forget(&told);
}

/* Up to 2.28.9 a comma lacks where a rank is missing. */
static void ras_as_json_is_read_with_its_flaw(void **state)
{
	struct evidence evidence = {0};
	struct told told;
	size_t of_ranks = 0;

	(void)state;
	add(&evidence, EXHIBIT_RAS, "ras.json",
		"{\"nccl_version\": \"2.28.9\", \"communicators\": [{\"hash\": \"0x1\", \"size\": "
		"3, "
		"\"ranks\": [{\"rank\": 0, \"pid\": 500, \"collective_counts\": {\"AllReduce\": "
		"7}}, "
		"{\"rank\": 1, \"pid\": 501, \"collective_counts\": {\"AllReduce\": 6}}], "
		"\"missing_ranks\": [{\"rank\": 2, \"pid\": 502, \"nvml_dev\": 2\n  \"status\": "
		"{\"unresponsive\": true, \"considered_dead\": true}}]}]}");
	add(&evidence, EXHIBIT_STACK_TEXT, "spy.txt",
		SPIED(500, IN_ALL_REDUCE) SPIED(501, IN_ALL_REDUCE));
	told = tell(&evidence);
	assert_int_equal(blamed(&told), 0);
	for (size_t i = 0; i < told.job->nsayings; i++)
		of_ranks += is_rank(told.job->sayings[i].rank);
	assert_int_equal(told.job->nsayings, 3);
	assert_true(of_ranks >= 2);
	forget(&told);
}

/* -- compile logs -------------------------------------------------------------------------------
 */

static void a_compile_without_end_is_told(void **state)
{
	static const char start[] =
		"V1121 10:43:51.191000 2998 torch/_dynamo/convert_frame.py:1002] "
		"{\"dynamo_start\": "
		"{\"stack\": []}, \"rank\": 0, \"frame_id\": 0, \"frame_compile_id\": 0, "
		"\"attempt\": 0}\n";
	static const char end[] =
		"V1121 10:43:59.191000 2998 torch/_dynamo/utils.py:1000] {\"compilation_metrics\": "
		"{}, \"rank\": 0, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}\n";
	struct evidence evidence = {0};
	char both[1024];
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_COMPILE_LOG, "trace.log", start);
	told = tell(&evidence);
	assert_string_equal(fact_of(&told, FACT_COMPILE_OPEN)->text, "0/0");
	assert_int_equal(blamed(&told), 0);
	forget(&told);
	/* As torch 2.15 writes it where no process group is there: the file's name has the rank. */
	add(&evidence, EXHIBIT_COMPILE_LOG, "dedicated_log_torch_trace_rank_3_jkujx7vi.log",
		"V1126 01:44:31.447000 27284 torch/_dynamo/convert_frame.py:309] {\"dynamo_start\""
		": {\"stack\": []}, \"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0}\n");
	told = tell(&evidence);
	assert_int_equal(told.job->ranks[0].world_rank.n, 3);
	assert_string_equal(fact_of(&told, FACT_COMPILE_OPEN)->text, "0/1");
	forget(&told);
	snprintf(both, sizeof(both), "%s%s", start, end);
	add(&evidence, EXHIBIT_COMPILE_LOG, "trace.log", both);
	told = tell(&evidence);
	assert_int_equal(told.job->nsayings, 0);
	forget(&told);
}

/* -- strangers' ---------------------------------------------------------------------------------
 */

static void note_line(void *with, const char *line, int64_t number)
{
	str_printf(with, "%lld:%s|", (long long)number, line);
}

/* A number is that of its own line, and what is blank is not looked through for the next one. */
static void a_blank_line_is_one_line(void **state)
{
	struct str lines = {0};

	(void)state;
	texts_each_line("one\n\n7\ttwo\n \n5\n9999999999999999999\tx\nend", note_line, &lines);
	assert_string_equal(str_text(&lines),
		"1:one|2:|7:two|8: |9:5|10:9999999999999999999\tx|11:end|");
	str_release(&lines);
}

/* An event of so many parts that a tree of them is larger than all else is passed over. */
static void a_heavy_event_is_not_read(void **state)
{
	struct evidence evidence = {0};
	struct str event = {0};
	struct told told;

	(void)state;
	str_add(&event, "V1121 x] {\"rank\": 0, \"frame_id\": 0, \"dynamo_start\": [{}");
	for (int i = 0; i < 10000; i++)
		str_add(&event, ",{}");
	str_add(&event, "]}\n");
	add(&evidence, EXHIBIT_COMPILE_LOG, "trace.log", event.text);
	told = tell(&evidence);
	assert_int_equal(told.job->nsayings, 0);
	forget(&told);
	str_release(&event);
}

/* Whatever is flipped in any of them, they are read, and nothing breaks. */
static void flipped_bytes_break_nothing(void **state)
{
	static const struct {
		enum exhibit_kind kind;
		const char *text;
	} all[] = {
		{EXHIBIT_JOB_LOG, CLOSED(4710) REPORT(0, -15) REPORT(1, -9) WATCHDOG(0, 1)},
		{EXHIBIT_KERNEL_LOG, OOM(4711) "NVRM: Xid (PCI:0000:4b:00): 79, pid=4711, x\n"},
		{EXHIBIT_SLURM_RECORD, "JobID|State|ExitCode|NTasks\n8841.0|FAILED|1:0|2\n"},
		{EXHIBIT_STACK_TEXT, SPIED(500, IN_ALL_REDUCE)},
		{EXHIBIT_RAS, "{\"communicators\": [{\"size\": 3, \"ranks\": [{\"rank\": 0}], "
			      "\"missing_ranks\": [{\"rank\": 2}]}]}"},
		{EXHIBIT_RAS, "Job summary\n#0-0 (1) MISMATCH\n  Words of it\n  Rank 1 -- GPU 0 "
			      "managed by process 5 on node x\n"},
		{EXHIBIT_ERROR_FILE, ERROR_FILE},
		{EXHIBIT_COMPILE_LOG,
			"V1 x] {\"dynamo_start\": {}, \"rank\": 0, \"frame_id\": 0}\n"},
	};

	(void)state;
	srand(16);
	for (int round = 0; round < 300; round++) {
		struct evidence evidence = {0};
		struct told told;

		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
			char *text = strdup(all[i].text);
			size_t len = strlen(text);

			for (int flips = 0; flips < 3; flips++)
				text[(size_t)rand() % len] = (char)(1 + rand() % 255);
			if (round % 3 == 0)
				text[(size_t)rand() % len] = '\0';
			add(&evidence, all[i].kind, "a/attempt_0/1/x", text);
			free(text);
		}
		told = tell(&evidence);
		forget(&told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			whom_the_kernel_killed_for_memory_is_named_where_its_launcher_says_so_too),
		cmocka_unit_test(a_pid_alone_accuses_nobody),
		cmocka_unit_test(an_error_of_a_gpu_is_told_of_its_rank),
		cmocka_unit_test(an_error_of_no_host_is_of_the_only_one),
		cmocka_unit_test(what_is_said_of_who_is_blamed_is_told_first),
		cmocka_unit_test(slurms_word_of_memory_is_of_the_one_that_was_killed),
		cmocka_unit_test(of_several_jobs_of_slurm_the_logs_own_is_meant),
		cmocka_unit_test(a_time_limit_is_told_and_nobodys_fault),
		cmocka_unit_test(two_kinds_that_agree_establish),
		cmocka_unit_test(an_error_file_is_of_the_rank_of_its_folder),
		cmocka_unit_test(of_a_folder_that_nobody_knows_it_makes_no_rank),
		cmocka_unit_test(a_workers_file_is_of_the_rank_that_its_marks_name),
		cmocka_unit_test(what_watchdogs_say_is_told_together_and_accuses_nobody),
		cmocka_unit_test(an_init_of_nccl_without_end_is_told),
		cmocka_unit_test(printed_stacks_tell_where_each_stood),
		cmocka_unit_test(faulthandlers_are_of_the_rank_that_the_file_is_called_by),
		cmocka_unit_test(ras_names_who_differs_and_accuses_nobody),
		cmocka_unit_test(ras_as_json_is_read_with_its_flaw),
		cmocka_unit_test(a_compile_without_end_is_told),
		cmocka_unit_test(a_blank_line_is_one_line),
		cmocka_unit_test(a_heavy_event_is_not_read),
		cmocka_unit_test(flipped_bytes_break_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
