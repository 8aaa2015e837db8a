/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be done next: one command a step, which runs as it is printed. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/report_job.h"
#include "words/next.h"

static void assert_text(struct hand_job *hand, enum tense tense, const char *expected)
{
	struct str text = {0};

	next_add_text(&text, &hand->verdicts, &hand->verdict[0], tense);
	assert_string_equal(str_text(&text), expected);
	str_release(&text);
}

/* All that are stopped by one command, on each host of theirs. */
static void who_is_stopped_is_continued_by_its_pid(void **state)
{
	static const struct rank_index culprits[] = {{3}, {5}};
	struct job_host hosts[2];
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].next = VERDICT_NEXT_CONTINUE_PROCESS;
	assert_text(&hand, TENSE_LIVE, "on hostA, continue rank 3: kill -CONT 103");
	assert_text(&hand, TENSE_RECORDED,
		"if it still hangs, on hostA, continue rank 3: kill -CONT 103");
	assert_text(&hand, TENSE_PAST,
		"find who had stopped rank 3: a signal, a debugger, the freezer");
	hand.verdict[0].culprits = (struct verdict_ranks){culprits, 2};
	assert_text(&hand, TENSE_LIVE,
		"on hostA, continue ranks 3,5: kill -CONT 103 105");
	hosts[0] = hosts[1] = hand.host;
	hosts[1].name = "hostB";
	hand.job.hosts = hosts;
	hand.job.nhosts = 2;
	hand.processes[5].host = 1;
	assert_text(&hand, TENSE_LIVE,
		"on hostA, continue ranks 3,5: kill -CONT 103; "
		"on hostB, continue ranks 3,5: kill -CONT 105");
	hand.processes[5].frozen = JOB_YES;
	assert_text(&hand, TENSE_LIVE, "thaw the cgroup of ranks 3,5: it is frozen");
}

/* Of several ranks, and of all there are, the words are true as well. */
static void words_fit_how_many_it_is_about(void **state)
{
	struct rank_index culprits[8];
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	for (int i = 0; i < 8; i++)
		culprits[i] = rank_index(i);
	hand.verdict[0].next = VERDICT_NEXT_LOOK_AT_CODE;
	assert_text(&hand, TENSE_LIVE, "see why rank 3 is at that line, and its peers are not");
	hand.verdict[0].culprits = (struct verdict_ranks){culprits, 2};
	assert_text(&hand, TENSE_LIVE, "see why ranks 0-1 are there, and their peers are not");
	hand.verdict[0].next = VERDICT_NEXT_READ_TRACEBACK;
	assert_text(&hand, TENSE_LIVE,
		"read the traceback of ranks 0-1; the others only echo it");
	hand.verdict[0].culprits = (struct verdict_ranks){culprits, 8};
	assert_text(&hand, TENSE_LIVE, "read the traceback of the culprits");
}

static void a_stopped_child_is_continued_by_its_pid(void **state)
{
	struct verdict_fact facts[3];
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].next = VERDICT_NEXT_CONTINUE_CHILD;
	assert_text(&hand, TENSE_LIVE, "continue the stopped child of rank 3");
	for (size_t i = 0; i < 3; i++)
		facts[i] = (struct verdict_fact){.kind = FACT_CHILD_STOPPED,
			.ranks = hand.verdict[0].culprits,
			.a = 4711 + (int64_t)i,
			.text = "worker",
			.text2 = "",
			.cite = "proc"};
	hand.verdict[0].evidence = facts;
	hand.verdict[0].nevidence = 3;
	assert_text(&hand, TENSE_LIVE,
		"on hostA, continue the stopped child of rank 3: kill -CONT 4711 4712 4713");
}

/* Each row: no command holds another's, a prose, or a value that nobody has filled in. */
static void each_command_is_one(void **state)
{
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	for (int next = 0; next < VERDICT_NEXTS; next++) {
		struct steps steps = {0};
		const struct step *step;

		hand.verdict[0].next = (enum verdict_next)next;
		next_add(&steps, &hand.verdicts, &hand.verdict[0], TENSE_LIVE);
		array_for_each (&steps.all, step) {
			if (strpbrk(step->command, ";{}`") || strstr(step->command, "..."))
				fail_msg("no command: %s", step->command);
			if (strstr(step->words, "inquest attach") || strpbrk(step->words, "{}"))
				fail_msg("no words: %s", step->words);
		}
		steps_release(&steps);
	}
}

/* Adds the first verdict's steps of each way in which evidence may have been taken. */
static void add_steps(struct steps *steps, struct hand_job *hand, enum tense tense)
{
	static const struct job_loss refusal = {.rank = {3},
		.what = "stacks: its stacks may not be read: run inquest as root",
		.cite = "x"};
	static const struct job_stack stack = {.rank = {3}, .nframes = 1};

	for (int way = 0; way < 8; way++) {
		hand->host.agent_beat = way & 1 ? 1 : JOB_UNKNOWN;
		hand->job.losses = &refusal;
		hand->job.nlosses = way & 2 ? 1 : 0;
		hand->job.stacks = &stack;
		hand->job.nstacks = way & 4 ? 1 : 0;
		next_add(steps, &hand->verdicts, &hand->verdict[0], tense);
	}
	hand->job.nstacks = 0;
}

/* Nobody can attach to what is over, nor to what was last seen long ago; pids are others' now. */
static void what_is_over_is_not_looked_at(void **state)
{
	static const enum tense tenses[] = {TENSE_ENDED, TENSE_PAST};
	static const char *const live[] = {
		"attach", "py-spy", "gdb", "kill -CONT", "lslocks", "let it look", "again in 30 s"};
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdicts.lack = VERDICT_LACKS_RANKS;
	for (int next = 0; next < VERDICT_NEXTS * 2; next++) {
		struct steps steps = {0};
		const struct step *step;

		hand.verdict[0].next = (enum verdict_next)(next / 2);
		add_steps(&steps, &hand, tenses[next % 2]);
		array_for_each (&steps.all, step)
			for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
				if (strstr(step->command, live[i]) || strstr(step->words, live[i]))
					fail_msg("%s: %s", step->words, step->command);
		steps_release(&steps);
	}
}

/* Of a record nobody knows whether the job still hangs. */
static void what_is_recorded_may_be_over(void **state)
{
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	for (int next = 0; next < VERDICT_NEXTS; next++) {
		struct steps steps = {0};
		const struct step *step;

		hand.verdict[0].next = (enum verdict_next)next;
		add_steps(&steps, &hand, TENSE_RECORDED);
		array_for_each (&steps.all, step)
			if (strstr(step->command, "attach") &&
				strncmp(step->words, "if it still hangs", 17) != 0)
				fail_msg("%s: %s", step->words, step->command);
		steps_release(&steps);
	}
}

/* Who waits in gloo is helped by no variable of NCCL. */
static void a_backend_has_its_own_fabric(void **state)
{
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].next = VERDICT_NEXT_CHECK_FABRIC;
	hand.group.maker = "nccl";
	assert_text(&hand, TENSE_LIVE,
		"check the fabric: link state, nccl-tests; "
		"and what the next run says after: "
		"export NCCL_DEBUG=INFO");
	hand.group.maker = "gloo";
	assert_text(&hand, TENSE_LIVE,
		"check the network between its hosts: links, firewall, routes; "
		"and the addresses of each: ip -brief address");
}

/* A command stands on one line, however long it is; and on that of its words where both fit. */
static void a_command_is_on_one_line(void **state)
{
	static const struct report_options live = {.gathered = true, .live = true};
	static const char hosts[] = "gpu-node-0017.cluster.example,gpu-node-0019.cluster.example,"
				    "gpu-node-0022.cluster.example,gpu-node-0040.cluster.example";
	static const char expected[] =
		"next  look at the stack of rank 3: inquest attach 20261121-1 --stacks\n"
		"      to be sure:\n"
		"        inquest attach --hosts gpu-node-0017.cluster.example,";
	static const char saved[] =
		":\n        inquest attach --all -o $(hostname).inq\n"
		"      then, where these files are: inquest diagnose *.inq\n";
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.job.coverage.hosts_missing = hosts;
	hand.job.coverage.hosts.n = 8;
	hand.verdicts.lack = VERDICT_LACKS_RANKS;
	hand.verdict[0].next = VERDICT_NEXT_STACK_OF_RANK;
	hand.host.agent_beat = JOB_UNKNOWN;
	text = hand_job_written(&report_text, &hand.verdicts, &live);
	assert_non_null(strstr(text, expected));
	assert_non_null(strstr(text, ",hostA\n      or on\n        gpu-node-0017.cluster."));
	assert_non_null(strstr(text, saved));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_stopped_is_continued_by_its_pid),
		cmocka_unit_test(words_fit_how_many_it_is_about),
		cmocka_unit_test(a_stopped_child_is_continued_by_its_pid),
		cmocka_unit_test(each_command_is_one),
		cmocka_unit_test(what_is_over_is_not_looked_at),
		cmocka_unit_test(what_is_recorded_may_be_over),
		cmocka_unit_test(a_backend_has_its_own_fabric),
		cmocka_unit_test(a_command_is_on_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
