/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands around the lines of a log, or before the words of one, and whose words they are
 * nevertheless.
 */
#include "tests/unit/told_log.h"

/* What terminals, containers and collectors put around each line. */
static const char *const wrappers[] = {"%s", "%s\r", " 10%%|#  | 1/9\r 20%%|## | 2/9\r%s",
	"\033[31m%s\033[0m", "\033[1m\033[38;5;3m%s\033[0m\033[K", "\033]0;train\a%s",
	"2026-11-22T03:41:52.118123456Z %s", "[pod/train-worker-0/pytorch] %s",
	"[pod/train-0/main] 2026-11-22T03:41:52.118123456Z %s",
	"2026-11-22T03:41:52.118123456Z stderr F %s",
	"{\"log\":\"%s\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-22T03:41:52.118Z\"}",
	"trainer-1  | %s", "\033[36mtrainer_12 |\033[0m %s",
	"Nov 22 03:41:52 m1 torchrun[4774]: %s", "2026-11-22T03:41:52+0000 m1 torchrun[4774]: %s",
	"m1: %s",
	"\033[36m(RayTrainWorker pid=4713, ip=10.0.0.1)\033[0m %s", "(pid=4713) %s",
	"3: %s", "3: \r 10%%|#  | 1/9\r%s", "[pod/w] 3: \r 9%%|#\r%s", " 3: %s",
	"[1,3]<stderr>: %s", "[1,mpirank:3,algo-1]<stderr>:%s",
	"[default3]:%s"};

/* Puts that around each line of a text; one with a quote stands in JSON with a backslash. */
static void wrap(struct str *into, const char *wrapper, const char *text)
{
	struct str line = {0};

	for (const char *at = text; *at; at += *at == '\n') {
		str_cut(&line, 0);
		for (; *at && *at != '\n'; at++)
			str_printf(&line, *wrapper == '{' && *at == '"' ? "\\%c" : "%c", *at);
		for (const char *mark = wrapper; *mark; mark++) {
			bool here = !strncmp(mark, "%s", 2);

			str_printf(into, "%.*s", here ? (int)line.len : 1,
				here ? str_text(&line) : mark);
			mark += here || !strncmp(mark, "%%", 2);
		}
		str_add_char(into, '\n');
	}
	str_release(&line);
}

static void assert_named_in(const char *wrapper, const char *text, const char *error)
{
	struct str wrapped = {0};
	struct told told;

	wrap(&wrapped, wrapper, text);
	told = tell(str_text(&wrapped));
	if (told.first->class != VERDICT_RANK_DEATH || !blames(&told, 3) ||
		told.first->culprits.n != 1 || !told.job->nnotes ||
		strcmp(told.job->notes[0].text, error) != 0)
		fail_msg("%s: class %d, %s", wrapper, (int)told.first->class,
			told.job->nnotes ? told.job->notes[0].text : "no error");
	forget(&told);
	str_release(&wrapped);
}

/* A log of two nodes: each has a local rank 0, and the report is of one of them. */
static void a_local_rank_of_two_nodes_tells_nobody(void **state)
{
	static const char error[] = "CUDA error: an illegal memory access was encountered\n";
	static const char *const apart[] = {
		"[default0]:[rank0]:[W1122 10:43:51.191 socket.cpp:207] [c10d] no name\n"
		"[default0]:[rank2]:[W1122 10:43:51.191 socket.cpp:207] [c10d] no name\n",
		"[pod/w-0/main] [default0]:step 1\n[pod/w-1/main] [default0]:step 1\n",
		"Nov 22 03:41:52 m1 python[4774]: [default0]:step 1\n"
		"Nov 22 03:41:52 m2 python[4774]: [default0]:step 1\n",
		"w-1  | [default0]:step 1\nw-2  | [default0]:step 1\n",
		"[default0]:m1:500:501 [0] NCCL INFO cudaDriverVersion 12040\n"
		"[default0]:m2:500:501 [0] NCCL INFO cudaDriverVersion 12040\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
		struct str text = {0};

		str_printf(&text, "%s[default0]:  what():  %s", apart[i], error);
		str_add(&text, REPORT(0, -6) REPORT(1, -6));
		assert_inconclusive(str_text(&text));
		str_release(&text);
	}
}

/* srun -l numbers the agents of torchrun, one a node: what agent 1 passes on is not of rank 1. */
static void the_number_of_an_agent_is_no_rank(void **state)
{
	static const char error[] = "1:   what():  CUDA error: an illegal memory access\n";
	struct str text = {0};

	(void)state;
	str_printf(&text, "0: [rank0]: step 3\n1: [rank9]: step 3\n%s", error);
	str_add(&text, "srun: error: m1: task 1: Aborted (core dumped)\n");
	assert_inconclusive(str_text(&text));
	str_cut(&text, 0);
	str_printf(&text, "0: step 3\n1: step 3\n%s", error);
	str_add(&text, "0:   rank      : 1 (local_rank: 1)\n0:   exitcode  : -6 (pid: 4711)\n");
	assert_inconclusive(str_text(&text));
	assert_named_in("1: %s", "[rank9]: x\n" HOOK(3, "ValueError: y"), "ValueError: y");
	str_release(&text);
}

/* Two agents may report at once: each line goes on with the report of its own agent. */
static void reports_of_two_agents_do_not_mix(void **state)
{
	static const char errors[] =
		"0:   rank      : 3 (local_rank: 3)\n0:   exitcode  : 1 (pid: 4703)\n"
		"1:   rank      : 9 (local_rank: 1)\n1:   exitcode  : 1 (pid: 4709)\n"
		"0:   traceback : Traceback (most recent call last):\n"
		"0:     File \"/w/train.py\", line 88, in <module>\n"
		"0:   ValueError: no rows\n";
	static const char ends[] =
		"0:   rank      : 3 (local_rank: 3)\n1:   rank      : 9 (local_rank: 1)\n"
		"0:   exitcode  : -11 (pid: 4703)\n1:   exitcode  : -15 (pid: 4709)\n";
	static const char pods[] = "[pod/w-0/a]   rank      : 3 (local_rank: 3)\n"
				   "[pod/w-1/a]   rank      : 9 (local_rank: 1)\n"
				   "[pod/w-0/a]   exitcode  : -11 (pid: 4703)\n"
				   "[pod/w-1/a]   exitcode  : -15 (pid: 4709)\n";
	struct told told = tell(errors);

	(void)state;
	assert_false(blames(&told, 9));
	forget(&told);
	told = tell(ends);
	assert_false(blames(&told, 9));
	forget(&told);
	told = tell(pods);
	assert_false(blames(&told, 9));
	forget(&told);
}

static void what_follows_a_bar_of_progress_is_a_line(void **state)
{
	struct told told = tell("\r 10%|#  | 1/9 [00:01<00:08, 1.0it/s, loss=2]"
				HOOK(3, "ValueError: no rows"));

	(void)state;
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_true(blames(&told, 3));
	forget(&told);
}

/* What an error or a logger quotes is not said by whom it quotes. */
static void who_is_quoted_has_not_died(void **state)
{
	static const char *const quotes[] = {
		"RuntimeError: " HOOK(3, "ValueError: y"), "ERROR: " HOOK(3, "ValueError: y")};

	(void)state;
	for (size_t i = 0; i < sizeof(quotes) / sizeof(quotes[0]); i++)
		assert_inconclusive(quotes[i]);
}

/* In the journal, too, Slurm's daemon says that it ended all. */
static void what_slurm_says_in_the_journal_is_read(void **state)
{
	struct told told = tell(
		"[rank0]: step 3\nNov 22 10:43:52 m1 slurmstepd[12]: error: *** STEP 41.0 ON m1 "
		"CANCELLED AT 2026-11-22T10:43:52 DUE TO TIME LIMIT ***\n");

	(void)state;
	assert_int_equal(told.job->nsayings, 1);
	assert_int_equal(told.job->sayings[0].kind, JOB_SAYS_SLURM);
	forget(&told);
}

/* What srun -l has put before the bar stays: else no line of the log counted as numbered. */
static void srun_numbers_the_line_of_a_bar(void **state)
{
	struct told told =
		tell("0: start\n1: corrupted size vs. prev_size\n"
		     "3: \r 10%|#  | 1/9 [00:01<00:08, 1.0it/s][rank3]: x\n"
		     "3: step 3\nsrun: error: m1: task 1: Aborted (core dumped)\n");

	(void)state;
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_true(blames(&told, 1));
	forget(&told);
}

static void what_stands_around_lines_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		assert_named_in(wrappers[i], "step 7\nstep 8\n" HOOK(3, "ValueError: no rows"),
			"ValueError: no rows");
		assert_named_in(wrappers[i],
			"step 7\nRoot Cause (first observed failure):\n[0]:\n" REPORT(3, 1)
			"  traceback : Traceback (most recent call last):\n"
			"    File \"/w/train.py\", line 88, in <module>\n      main()\n"
			"  ValueError: in the report\n  \n==========\n",
			"ValueError: in the report");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_local_rank_of_two_nodes_tells_nobody),
		cmocka_unit_test(the_number_of_an_agent_is_no_rank),
		cmocka_unit_test(reports_of_two_agents_do_not_mix),
		cmocka_unit_test(what_follows_a_bar_of_progress_is_a_line),
		cmocka_unit_test(who_is_quoted_has_not_died),
		cmocka_unit_test(what_slurm_says_in_the_journal_is_read),
		cmocka_unit_test(srun_numbers_the_line_of_a_bar),
		cmocka_unit_test(what_stands_around_lines_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
