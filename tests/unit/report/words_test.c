/* SPDX-License-Identifier: Apache-2.0 */
/* Names of sets of ranks, last words of several, headlines and next steps, on jobs made by hand. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/clock.h"
#include "job/names.h"
#include "tests/unit/report_job.h"
#include "verdict/activities/activities.h"
#include "words/everywhere.h"
#include "words/headline.h"
#include "words/last-quotes.h"
#include "words/next.h"
#include "words/rank-names.h"
#include "words/things.h"
#include "words/wording.h"

/* Those whose number nobody knows are known by their pids, behind the others. */
static void sets_of_ranks_have_names(void **state)
{
	static const struct {
		struct rank_index at[5];
		size_t n;
		const char *name;
	} cases[] = {
		{{{0}}, 0, ""},
		{{{3}}, 1, "rank 3"},
		{{{0}, {1}, {2}, {4}}, 4, "ranks 0-2,4"},
		{{{6}}, 1, "pid 106"},
		{{{6}, {7}}, 2, "pids 106,107"},
		{{{1}, {6}}, 2, "rank 1 and pid 106"},
		{{{0}, {1}, {3}, {6}, {7}}, 5, "ranks 0-1,3 and pids 106,107"},
	};
	struct hand_job hand;

	hand_job_make(&hand, 8, 3);
	hand.ranks[6].numberless = hand.ranks[7].numberless = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = {0};

		ranks_name(&text, &hand.job, (struct verdict_ranks){cases[i].at, cases[i].n});
		assert_string_equal(str_text(&text), cases[i].name);
		str_release(&text);
	}
}

/* The count of one that carries nothing is 1, so that it is no zero count: no byte was given. */
static void an_operation_that_carries_nothing_has_no_amount(void **state)
{
	static const struct {
		uint8_t op;
		const char *words;
	} cases[] = {{JOB_OP_ALLGATHER, "AllGather 1 bytes"}, {JOB_OP_BARRIER, "Barrier"},
		{JOB_OP_MONITORED, "MonitoredBarrier"}, {JOB_OP_COMM, "CommCreate"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verdict_thing thing = {.kind = THING_SIG};
		struct str text = {0};

		thing.sig = (struct job_sig){.op = cases[i].op,
			.dtype = JOB_DTYPE_BYTES,
			.redop = JOB_NO_REDOP,
			.count = 1};
		things_add(&text, &thing);
		assert_string_equal(str_text(&text), cases[i].words);
		str_release(&text);
	}
}

/* What would give more depends on how the evidence was taken. */
static void assert_next(struct hand_job *hand, const char *expected)
{
	struct str words = {0};

	next_add_text(&words, &hand->verdicts, &hand->verdict[0], TENSE_LIVE);
	assert_string_equal(str_text(&words), expected);
	str_release(&words);
}

static void what_is_next_depends_on_how_it_was_seen(void **state)
{
	struct job_snapshot cut = {.threads = 2, .cut = 1, .mode = JOB_SNAPSHOT_NEVER};
	struct hand_job hand;

	hand_job_make(&hand, 8, 3);
	hand.verdict[0].next = VERDICT_NEXT_MORE_EVIDENCE;
	hand.host.agent_beat = JOB_UNKNOWN;
	assert_next(&hand,
		"attach again in 30 s: inquest attach 20261121-1 --stacks; "
		"next time, run it under `inquest run`: that sees more");
	hand.job.snapshots = &cut;
	hand.job.nsnapshots = 1;
	assert_next(&hand,
		"read the stacks that were cut: that stops threads, for some ms each: "
		"inquest attach 20261121-1 --stop=blocked-fallback; "
		"next time, run it under `inquest run`: that sees more");
	hand.job.id = "no;word"; /* for who pastes it */
	assert_next(&hand,
		"read the stacks that were cut: that stops threads, for some ms each: "
		"inquest attach --stop=blocked-fallback; "
		"next time, run it under `inquest run`: that sees more");
	hand.job.id = "20261121-1";
	hand.job.coverage.kinds = JOB_KNOWS_DUMP; /* then it is a word for what was read */
	assert_next(&hand,
		"read the stacks that were cut: that stops threads, for some ms each: "
		"inquest attach --stop=blocked-fallback; "
		"next time, run it under `inquest run`: that sees more");
	hand.job.coverage.kinds = JOB_KNOWS_PROC;
	cut.mode = JOB_SNAPSHOT_FALLBACK;
	assert_next(&hand,
		"attach again in 30 s: inquest attach 20261121-1 --stacks; "
		"next time, run it under `inquest run`: that sees more");
	hand.host.agent_beat = 1;
	assert_next(&hand, "see where each rank stands: inquest attach 20261121-1 --stacks");
	hand.losses[0] = (struct job_loss){.rank = {3},
		.what = "stacks: its stacks may not be read: run inquest as root",
		.cite = "x"};
	hand.job.losses = hand.losses;
	hand.job.nlosses = 1;
	assert_next(&hand, "let it look: run inquest as root");
	hand.losses[0].rank = NO_RANK;
	assert_next(&hand, "see where each rank stands: inquest attach 20261121-1 --stacks");
	for (int rank = 0; rank < 8; rank++)
		hand.ranks[rank].process = JOB_NONE;
	assert_next(&hand, "see what the launcher does: its own output, its processes");
	hand.verdict[0].next = VERDICT_NEXT_STACK_OF_RANK;
	assert_next(&hand, "look at the stack of rank 3: inquest attach 20261121-1 --stacks");
}

/* Too many to be named in the step stand in the line above it. */
static void many_that_stand_are_not_one_that_is_missing(void **state)
{
	const struct rank_index stand[] = {{0}, {1}, {2}, {3}, {4}};
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].culprits.n = 0;
	hand.verdict[0].class = VERDICT_HOST_STALL;
	hand.verdict[0].next = VERDICT_NEXT_STACK_OF_RANK;
	hand.verdict[0].camp_a = (struct verdict_ranks){stand, 5};
	assert_next(&hand, "look at the stack of these ranks: inquest attach 20261121-1 --stacks");
	hand.verdict[0].camp_a.n = 2;
	assert_next(&hand, "look at the stack of ranks 0-1: inquest attach 20261121-1 --stacks");
}

/* Before there is a rank nobody can be to blame. */
static void no_rank_yet_is_no_riddle(void **state)
{
	struct hand_job hand;
	struct str words = {0};

	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	hand.verdict[0].culprits.n = hand.verdict[0].victims.n = 0;
	for (int rank = 0; rank < 8; rank++)
		hand.ranks[rank].process = JOB_NONE;
	hand.job.launched = 1 * CLOCK_NS_PER_S;
	hand.job.gathered = 36 * CLOCK_NS_PER_S / 10;
	headline_shout(&words, &hand.verdicts, &hand.verdict[0], 60, true);
	assert_string_equal(str_text(&words), "NO RANK YET, 2.6 s after launch");
	str_release(&words);
}

static void assert_sentence(struct hand_job *hand, const char *end)
{
	struct str words = {0};

	headline_sentence(&words, &hand->verdicts, &hand->verdict[0]);
	if (!strstr(str_text(&words), end))
		fail_msg("\"%s\" lacks \"%s\"", str_text(&words), end);
	str_cut(&words, 0);
	headline_shout(&words, &hand->verdicts, &hand->verdict[0], 80, true);
	if (strstr(end, " of ") && !strstr(str_text(&words), "; 6 of 7 ranks wait"))
		fail_msg("\"%s\"", str_text(&words));
	str_release(&words);
}

/* Who stands in the store is in no collective, whoever else is. */
static void who_waits_elsewhere_is_not_counted_in_the_operation(void **state)
{
	static const enum verdict_fact_kind elsewhere[] = {FACT_WAITS_IN_STORE, FACT_WAITS_IN_INIT,
		FACT_WAITS_FOR_STORE, FACT_WAITS_FOR_RANKS, FACT_WAITS_FOR_ID};
	struct verdict_thing store = {.kind = THING_CALL, .activity = ACTIVITY_STORE, .name = ""};
	struct hand_job hand;
	struct verdict_fact *last;

	(void)state;
	hand_job_make(&hand, 8, 3);
	assert_sentence(&hand, "; 7 ranks wait in the first AllReduce");
	hand.facts[2].ranks.n = 6;
	assert_sentence(&hand, "; 7 ranks wait in the first AllReduce");
	last = &hand.facts[hand.verdict[0].nevidence++];
	*last = hand.facts[2];
	last->ranks = (struct verdict_ranks){hand.victims + 6, 1};
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		last->kind = elsewhere[i];
		assert_sentence(&hand, "; 6 of 7 ranks wait in the first AllReduce");
	}
	last->kind = FACT_WAITS_AT;
	last->thing = &store;
	assert_sentence(&hand, "; 6 of 7 ranks wait in the first AllReduce");
	/* Its stack stands in the store, and its ring says: for an operation. */
	hand.facts[2].ranks.n = 7;
	assert_sentence(&hand, "; 7 ranks wait in the first AllReduce");
}

/* In the first line, too: who reads no further looks for the one that was left out otherwise. */
static void whose_number_was_given_twice_is_in_the_headline(void **state)
{
	static const struct {
		size_t twice;
		const char *line;
	} cases[] = {
		{1, "RANK 3 HAS NO PROCESS, RANK 6'S NUMBER WAS GIVEN TWICE"},
		{2, "RANK 3 HAS NO PROCESS, THE NUMBERS OF RANKS 1,6 WERE GIVEN TWICE"},
		{0, "RANK 3 HAS NO PROCESS, ANOTHER NUMBER WAS GIVEN TWICE"},
	};
	const struct rank_index of[] = {{6}, {1}};
	struct hand_job hand;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str words = {0};

		hand_job_make(&hand, 8, 3);
		hand.verdict[0].class = VERDICT_NOT_STARTED;
		hand.verdict[0].cause = VERDICT_BY_NUMBER;
		hand.verdict[0].nevidence = cases[i].twice;
		for (size_t k = 0; k < cases[i].twice; k++)
			hand.facts[k] = (struct verdict_fact){.kind = FACT_NUMBER_TWICE,
				.ranks = {&of[k], 1},
				.cite = "census"};
		headline_shout(&words, &hand.verdicts, &hand.verdict[0], 64, true);
		words.text[strlen(cases[i].line)] = '\0';
		assert_string_equal(str_text(&words), cases[i].line);
		str_release(&words);
	}
}

/* Nothing says that it cannot end: then nobody says that it is stuck. */
static void what_may_yet_end_is_not_called_stuck(void **state)
{
	struct hand_job hand;
	struct str words = {0};

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_COMPILE_STUCK;
	hand.verdict[0].outlook = VERDICT_KILL;
	headline_shout(&words, &hand.verdicts, &hand.verdict[0], 60, true);
	assert_non_null(strstr(str_text(&words), "RANK 3 IS STUCK COMPILING"));
	str_cut(&words, 0);
	hand.verdict[0].outlook = VERDICT_OUTLOOK_UNKNOWN;
	headline_shout(&words, &hand.verdicts, &hand.verdict[0], 60, true);
	assert_non_null(strstr(str_text(&words), "RANK 3 IS QUIET COMPILING"));
	str_release(&words);
}

/* Part of a set is never shown as if it were all of it. */
static void a_set_that_does_not_fit_hides_nobody(void **state)
{
	static const struct {
		struct rank_index at[8];
		size_t n, width;
		const char *name;
	} cases[] = {
		{{{0}, {1}, {2}, {4}}, 4, 8, "0-2,4"},
		{{{0}, {2}, {4}, {6}, {7}}, 5, 9, "0,2,4,6-7"},
		{{{0}, {2}, {4}, {6}, {7}}, 5, 8, "5 from 0"},
		{{{1}, {3}, {5}, {7}, {9}, {11}, {13}, {15}}, 8, 16, "8 from 1"},
		{{{10}, {12}, {14}, {16}, {18}}, 5, 8, "10 +4"},
	};
	struct hand_job hand;

	hand_job_make(&hand, 20, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = {0};

		ranks_fit(&text, &hand.job, (struct verdict_ranks){cases[i].at, cases[i].n},
			cases[i].width);
		assert_string_equal(str_text(&text), cases[i].name);
		str_release(&text);
	}
}

/* Of several ranks a line is shown as everybody's only where it is. */
static void assert_last_words(const char *const *lines, const char *expected)
{
	struct hand_job hand;
	struct job_log logs[4] = {{{0}}};
	struct str words = {0};

	hand_job_make(&hand, 4, 3);
	hand.job.nlogs = 0;
	for (int rank = 0; rank < 4; rank++)
		if (lines[rank])
			logs[hand.job.nlogs++] = (struct job_log){.rank = rank_index(rank),
				.last_line = lines[rank],
				.error = strstr(lines[rank], "Error") ? lines[rank] : "",
				.cite = "log"};
	hand.job.logs = logs;
	last_words_add(&words, &hand.job, (struct verdict_ranks){hand.all, 4});
	assert_string_equal(str_text(&words), expected);
	str_release(&words);
}

static void last_words_are_whose_they_are(void **state)
{
	(void)state;
	assert_last_words((const char *const[]){"a", "a", "a", "a"}, "\"a\"");
	assert_last_words((const char *const[]){"r 0/4", "r 1/4", "r 2/4", "r 3/4"}, "\"r #/4\"");
	assert_last_words((const char *const[]){"loss 0.5", "loss 0.25", "loss 1.5", "loss 0.5"},
		"\"loss #\"");
	/* Who says the same is not told apart by a number that only may be its own. */
	assert_last_words((const char *const[]){"s 2", "s 2", "s 2", "s 2"}, "\"s 2\"");
	assert_last_words((const char *const[]){"s 1", "s 1", "s 2", "s 1"}, "differ; 2: \"s 2\"");
	/* Ports, steps and addresses tell something. */
	assert_last_words(
		(const char *const[]){"m:295", "m:295", "m:296", "m:295"}, "differ; 2: \"m:296\"");
	assert_last_words((const char *const[]){"10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.1"},
		"differ; 1: \"10.0.0.2\"");
	assert_last_words(
		(const char *const[]){"a", "b", "b", "SomeError"}, "differ; 3: \"SomeError\"");
	assert_last_words((const char *const[]){NULL, "b", "b", NULL}, "1-2: \"b\"");
	assert_last_words((const char *const[]){NULL, NULL, NULL, NULL}, "");
}

#define HOSTS_MOST 8

/* The command that looks at those that were seen and those that lack must be so; "": none. */
static void assert_everywhere(
	const char *const seen[], size_t n, const char *missing, const char *expected)
{
	struct job_host hosts[HOSTS_MOST];
	struct str command = {0};
	struct hand_job hand;

	hand_job_make(&hand, 4, 3);
	for (size_t i = 0; i < n; i++) {
		hosts[i] = hand.host;
		hosts[i].name = seen[i];
	}
	hand.job.hosts = hosts;
	hand.job.nhosts = n;
	hand.job.coverage.hosts_missing = missing;
	assert_int_equal(everywhere_add_command(&command, &hand.job, true), *expected != '\0');
	assert_string_equal(str_text(&command), expected);
	str_release(&command);
}

static void each_host_is_looked_at_once(void **state)
{
	static const char *const names[] = {"m2", "m10", "m1", "b", "m3x", "m03", "m3"};

	(void)state;
	assert_everywhere((const char *const[]){"m1", "m2"}, 2, "m2,m3",
		"inquest attach --hosts 'm[1-3]'");
	assert_everywhere((const char *const[]){"m1", "m1"}, 2, "m1", "");
	/* In whatever order they come. */
	for (size_t from = 0; from < 7; from++) {
		const char *turned[7];

		for (size_t i = 0; i < 7; i++)
			turned[i] = names[(from + i) % 7];
		assert_everywhere(turned, 7, "m3,b",
			"inquest attach --hosts 'b,m[1-3],m[03,10],m3x'");
	}
}

/* Of ten places one is meant, and nobody must read ten operations. */
static void one_operation_somewhere_is_not_all_there(void **state)
{
	static const struct {
		int64_t to;
		const char *words;
	} cases[] = {
		{23, "left out AllReduce, #23 of world"},
		{32, "left out AllReduce, one of #23 to #32 of world"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct verdict_fact fact = {.kind = FACT_SKIPPED,
			.text = "AllReduce",
			.text2 = "world",
			.a = 23,
			.b = cases[i].to,
			.c = JOB_UNKNOWN};
		struct str text = {0};

		wording_fact(&text, &fact);
		assert_string_equal(str_text(&text), cases[i].words);
		str_release(&text);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_operation_somewhere_is_not_all_there),
		cmocka_unit_test(sets_of_ranks_have_names),
		cmocka_unit_test(an_operation_that_carries_nothing_has_no_amount),
		cmocka_unit_test(a_set_that_does_not_fit_hides_nobody),
		cmocka_unit_test(who_waits_elsewhere_is_not_counted_in_the_operation),
		cmocka_unit_test(what_is_next_depends_on_how_it_was_seen),
		cmocka_unit_test(no_rank_yet_is_no_riddle),
		cmocka_unit_test(many_that_stand_are_not_one_that_is_missing),
		cmocka_unit_test(what_may_yet_end_is_not_called_stuck),
		cmocka_unit_test(whose_number_was_given_twice_is_in_the_headline),
		cmocka_unit_test(last_words_are_whose_they_are),
		cmocka_unit_test(each_host_is_looked_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
