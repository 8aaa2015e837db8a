/* SPDX-License-Identifier: Apache-2.0 */
/* What a person and a program read of verdicts, on jobs made by hand. */
#include "tests/unit/unit.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "job/names.h"
#include "report/report.h"
#include "tests/unit/report_job.h"
#include "verdict/activities/activities.h"
#include "words/escape.h"
#include "words/next.h"
#include "words/rank-names.h"
#include "words/wording.h"

static const struct report_options plain = {.utf8 = true, .gathered = true};

/* Every line within the page, and not more of them than promised. */
static void assert_page(const char *text, size_t most_lines)
{
	size_t lines = 0;

	while (*text) {
		const char *end = strchr(text, '\n');
		char line[512];

		assert_non_null(end);
		assert_true((size_t)(end - text) < sizeof(line));
		memcpy(line, text, (size_t)(end - text));
		line[end - text] = '\0';
		if (escape_width(line) > 80)
			fail_msg("%zu columns: %s", escape_width(line), line);
		lines++;
		text = end + 1;
	}
	if (lines > most_lines)
		fail_msg("%zu lines", lines);
}

static void the_first_line_is_the_answer(void **state)
{
	static const char expected[] =
		"RANK 3 STILL COMPILES; 7 ranks wait                    compile-skew, established\n"
		"sft-41: 8/8 ranks, attempt 1, stage FIRST FORWARD (other job here: healthy)\n"
		"                                                    LIVE 2027-01-15 08:00:00 UTC\n"
		" WAIT     still moving, may resolve; watchdog kills in 19:36 env\n"
		" 3        inductor codegen graph 0/0, open 11:08             ring:3:lane0:118\n"
		" 3        cache at start 0 files; peers 412-415              caches:3\n"
		" 0-2,4-7  in AllReduce #1 world, 10:24                       ring:*:g1\n"
		" first    compile began at 7 s (1 of 8), 11:08 so far; no collective; no step\n"
		"ruled out  death: 8 alive, oom_kill +0                       procs cgroup\n"
		"ruled out  shards: all batches equal: 4 rows, 16384 elements ring:*:shard0\n"
		"unjudged   graph-divergence: needs ring of rank 3\n"
		"RANK     STATE      SINCE  IN                CACHE  LAST USEFUL LOG LINE\n"
		"3        compiling  11:08  inductor codegen  cold   \"compiling model\"\n"
		"0-2,4-7  waiting    10:24  AllReduce #1      warm\n"
		"next  seed the cache by one full run of all ranks; not rank by rank\n"
		"8/8 rings, 0 records lost, 0 threads stopped; saved ./sft-41.inq\n";
	struct report_options options = plain;
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	options.live = true;
	options.saved = "./sft-41.inq";
	options.beside = "other job here: healthy";
	text = hand_job_written(&report_text, &hand.verdicts, &options);
	assert_string_equal(text, expected);
	free(text);
}

/* The page has many facts of one rank; who never came, and where the others are, stays. */
static void who_never_came_is_never_left_out(void **state)
{
	static char words[40][16];
	struct verdict_fact facts[42];
	struct hand_job hand;
	char *text;

	hand_job_make(&hand, 8, 3);
	for (size_t i = 0; i < 40; i++) {
		snprintf(words[i], sizeof(words[i]), "fact %zu", i);
		facts[i] = (struct verdict_fact){
			.kind = FACT_POOL_DIED, .text = words[i], .text2 = "", .cite = "x"};
	}
	facts[40] = hand.facts[2];
	facts[40].kind = FACT_NEVER_ENTERED;
	facts[40].text = "AllGather";
	facts[41] = hand.facts[2];
	hand.verdict[0].evidence = facts;
	hand.verdict[0].nevidence = 42;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_page(text, 24);
	assert_non_null(strstr(text, "never entered AllGather"));
	assert_non_null(strstr(text, "in AllReduce #1 world"));
	assert_non_null(strstr(text, "more (--json has all)"));
	free(text);
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strstr(text, word)) != NULL) {
		text++;
		n++;
	}
	return n;
}

/* Where there is no room for all lines of a fact there is none for its first. */
static void no_fact_is_told_by_half(void **state)
{
	struct verdict_fact facts[40];
	struct hand_job hand;
	char *text;

	(void)state;
	for (size_t one = 0; one < 4; one++) {
		hand_job_make(&hand, 8, 3);
		for (size_t i = 0; i < 40; i++)
			facts[i] = hand.facts[0];
		for (size_t i = one; i < 40; i++)
			facts[i] = (struct verdict_fact){.kind = FACT_LOG_LINE,
				.text = "alpha is a word of a line too long for one line omega",
				.text2 = "", .cite = "x"};
		hand.verdict[0].evidence = facts;
		hand.verdict[0].nevidence = 40;
		text = hand_job_written(&report_text, &hand.verdicts, &plain);
		assert_non_null(strstr(text, "more (--json has all)"));
		assert_true(count(text, "alpha") > 0);
		assert_int_equal(count(text, "alpha"), count(text, "omega"));
		free(text);
	}
}

/* The debugger that holds a rank has a pid, where all that are held have the same. */
static void whose_debugger_is_to_be_detached_is_said(void **state)
{
	static const struct {
		int64_t first, second;
		const char *next;
	} cases[] = {
		{4711, 4711, "detach the debugger of rank 3 (pid 4711), or let it continue"},
		{4711, 4712, "detach the debugger of rank 3, or let it continue"},
		{0, 0, "detach the debugger of rank 3, or let it continue"},
	};
	struct verdict_fact facts[2] = {{.kind = FACT_TRACED}, {.kind = FACT_TRACED}};
	struct hand_job hand;

	hand_job_make(&hand, 8, 3);
	hand.verdict[0].next = VERDICT_NEXT_DETACH_DEBUGGER;
	hand.verdict[0].evidence = facts;
	hand.verdict[0].nevidence = 2;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = {0};

		facts[0].a = cases[i].first;
		facts[1].a = cases[i].second;
		next_add_text(&text, &hand.verdicts, &hand.verdict[0], TENSE_LIVE);
		assert_string_equal(str_text(&text), cases[i].next);
		str_release(&text);
	}
}

static void nothing_is_coloured_unless_asked(void **state)
{
	struct report_options options = plain;
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	text = hand_job_written(&report_text, &hand.verdicts, &options);
	assert_null(strchr(text, '\033'));
	free(text);
	options.color = true;
	text = hand_job_written(&report_text, &hand.verdicts, &options);
	assert_memory_equal(text, "\033[1;33mRANK 3 STILL COMPILES", 28);
	free(text);
}

static void many_ranks_and_many_facts_still_fit(void **state)
{
	struct verdict_fact facts[40];
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 64, 37);
	for (size_t i = 0; i < 40; i++)
		facts[i] = hand.facts[i % 3];
	hand.verdict[0].evidence = facts;
	hand.verdict[0].nevidence = 40;
	for (int rank = 0; rank < 64; rank += 2)
		hand.threads[rank].op = (uint64_t)rank;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_page(text, 30);
	assert_non_null(strstr(text, "more (--json has all)"));
	assert_non_null(strstr(text, "next  seed"));
	free(text);
}

static void text_from_outside_never_goes_out_raw(void **state)
{
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_hostile(&hand);
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	hand_job_harmless(text);
	assert_page(text, 24);
	assert_non_null(strstr(text, "\\x1b"));
	free(text);
	text = hand_job_written(&report_json, &hand.verdicts, &plain);
	hand_job_harmless(text);
	free(text);
}

static void without_utf8_all_is_ascii(void **state)
{
	struct report_options options = {0};
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.log.last_line = "l\xc3\xa4uft";
	text = hand_job_written(&report_text, &hand.verdicts, &options);
	assert_non_null(strstr(text, "\"l\\u{e4}uft\""));
	assert_null(strstr(text, "threads stopped"));
	free(text);
}

static struct json_object *key(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(object, name, &value))
		fail_msg("no key %s", name);
	return value;
}

static void json_has_every_key(void **state)
{
	static const char *const keys[] = {"class", "family", "confidence", "outlook", "watchdog_s",
		"watchdog", "culprits", "victims", "unknown_members", "group", "op", "waiting_s",
		"headline", "evidence", "ruled_out", "cause", "where", "next"};
	struct json_object *root, *verdict;
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	text = hand_job_written(&report_json, &hand.verdicts, &plain);
	root = json_tokener_parse(text);
	assert_non_null(root);
	assert_string_equal(json_object_get_string(key(root, "schema")), "inquest/1");
	verdict = json_object_array_get_idx(key(root, "verdicts"), 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		key(verdict, keys[i]);
	assert_string_equal(json_object_get_string(key(verdict, "culprits")), "[ 3 ]");
	assert_string_equal(json_object_get_string(key(verdict, "headline")),
		"rank 3 still compiles (inductor codegen graph 0/0, open 11:08); 7 ranks wait in "
		"the "
		"first AllReduce");
	assert_null(key(verdict, "cause"));
	assert_non_null(strstr(text, "\"waiting_s\":624.3,"));
	assert_non_null(strstr(text, "\"id\":\"0x0000000000000abc\""));
	key(root, "not_judged");
	assert_string_equal(json_object_get_string(key(root, "as_of")), "2027-01-15T08:00:00.000Z");
	assert_string_equal(json_object_get_string(key(root, "state")), "recorded");
	assert_null(key(root, "too_early"));
	assert_non_null(strstr(text,
		"\"coverage\":{\"whole\":true,\"ranks\":{\"expected\":8,\"by\":\"WORLD_SIZE\","
		"\"seen\":8,\"missing\":[]},"));
	assert_int_equal(json_object_array_length(key(root, "ranks")), 8);
	assert_non_null(strstr(text, "{\"rank\":3,\"framework\":null,"));
	assert_non_null(strstr(text, "\"cache_state\":\"cold\",\"first_compile_s\":7.0,"
				     "\"compiling_s\":668.0,\"first_collective_s\":null,"));
	assert_int_equal(json_object_array_length(key(root, "losses")), 0);
	json_object_put(root);
	free(text);
}

static void unknown_is_null_and_never_zero(void **state)
{
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.job.world_size = JOB_NONE;
	hand.verdict[0].waiting = hand.verdict[0].watchdog_left = JOB_UNKNOWN;
	hand.verdict[0].group = JOB_NONE;
	hand.verdict[0].op_index = 0;
	hand.verdict[0].next = VERDICT_NEXT_NONE;
	text = hand_job_written(&report_json, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "\"world_size\":null"));
	assert_non_null(strstr(text, "\"waiting_s\":null"));
	assert_non_null(strstr(text, "\"watchdog_s\":null"));
	assert_non_null(strstr(text, "\"group\":null,\"op\":null"));
	assert_non_null(strstr(text, "\"next\":null"));
	free(text);
}

/* Makes all but rank 3 wait for an op that no call of theirs shows. */
static void make_unseen_waits(
	struct hand_job *hand, struct job_member members[8], const struct job_op *open)
{
	hand_job_make(hand, 8, 3);
	for (int i = 0; i < 8; i++) {
		members[i] = (struct job_member){
			.seat = {(uint32_t)i}, .rank = rank_index(i), .cite = "ring"};
		if (i != 3) {
			members[i].ops = open;
			members[i].nops = 1;
			hand->threads[i].state = JOB_THREAD_OUTSIDE;
			hand->threads[i].call = "";
			hand->threads[i].op = 0;
		}
	}
	hand->job.members = members;
	hand->job.nmembers = 8;
}

/*
 * DDP waits where no call shows it: its row says so, by the op that is open, and since when it is.
 * Another thread may have been outside of all calls for longer.
 */
static void a_wait_that_no_call_shows_is_a_wait(void **state)
{
	struct job_op open = {.index = 1,
		.sig = {.op = JOB_OP_ALLREDUCE},
		.entered = JOB_UNKNOWN,
		.returned = JOB_YES,
		.completed = JOB_NO,
		.cite = "ring"};
	struct job_member members[8];
	struct hand_job hand;
	char *text;

	(void)state;
	make_unseen_waits(&hand, members, &open);
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "\n0-2,4-7  waiting    10:24  AllReduce #1 "));
	free(text);
	open.entered = hand.host.gathered - 124 * CLOCK_NS_PER_S / 10;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "\n0-2,4-7  waiting    12.4 s  AllReduce #1 "));
	free(text);
}

/* By its stack, which was looked at a second ago: its record knows for how long. */
static void a_wait_that_a_stack_shows_is_as_old_as_its_op(void **state)
{
	const struct job_stack stack = {.cite = "stack"};
	struct posture postures[4] = {{0}};
	struct job_op open = {.index = 1,
		.sig = {.op = JOB_OP_ALLREDUCE},
		.returned = JOB_YES,
		.completed = JOB_NO,
		.cite = "ring"};
	struct job_member members[4];
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 4, 3);
	open.entered = hand.host.gathered - 124 * CLOCK_NS_PER_S / 10;
	for (int i = 0; i < 4; i++) {
		members[i] = (struct job_member){
			.seat = {(uint32_t)i}, .rank = rank_index(i), .cite = "ring"};
		if (i == 3)
			continue;
		members[i].ops = &open;
		members[i].nops = 1;
		hand.threads[i].state = JOB_THREAD_OUTSIDE;
		hand.threads[i].call = "";
		hand.threads[i].op = 0;
		postures[i] = (struct posture){.activity = ACTIVITY_COLLECTIVE,
			.stack = &stack,
			.telling = -1,
			.program = -1,
			.call = CALL_DDP,
			.stands = CLOCK_NS_PER_S};
	}
	hand.job.members = members;
	hand.job.nmembers = 4;
	hand.verdicts.postures = postures;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "\n0-2   waiting    12.4 s "));
	free(text);
}

/* Of two messages that are open, a row names the one that its thread waits for. */
static void a_wait_is_for_the_message_that_it_names(void **state)
{
	static const struct job_op open[2] = {{.sig = {.op = JOB_OP_SEND},
						      .stream = 7,
						      .entered = 1,
						      .completed = JOB_NO,
						      .cite = "ring"},
		{.sig = {.op = JOB_OP_RECV},
			.stream = 8,
			.entered = 2,
			.completed = JOB_NO,
			.cite = "ring"}};
	struct job_member members[4];
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 4, 3);
	for (int i = 0; i < 4; i++) {
		members[i] = (struct job_member){
			.seat = {(uint32_t)i}, .rank = rank_index(i), .cite = "ring"};
		members[i].p2p = open;
		members[i].np2p = 2;
		hand.threads[i].state = JOB_THREAD_IN_WAIT;
		hand.threads[i].call = "";
		hand.threads[i].op = 0;
		hand.threads[i].stream = i == 2 ? 8 : 7;
	}
	hand.job.members = members;
	hand.job.nmembers = 4;
	hand.verdict[0].op_index = 0;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "\n0-1   waiting    10:24  Send "));
	assert_non_null(strstr(text, "\n2     waiting    10:24  Recv "));
	free(text);
}

/* A majority is late, and one waits: who is which is said, and nobody is blamed. */
static void a_majority_that_stays_away_is_named_as_such(void **state)
{
	static const struct rank_index late[] = {{1}, {2}, {3}}, waits[] = {{0}};
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_HOST_STALL;
	hand.verdict[0].culprits.n = 0;
	hand.verdict[0].camp_a = (struct verdict_ranks){late, 3};
	hand.verdict[0].camp_b = (struct verdict_ranks){waits, 1};
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "RANKS 1-3 STAY AWAY, NOT 0;"));
	free(text);
}

static void the_same_fact_of_many_ranks_is_one_line(void **state)
{
	static const char *const cites[] = {"exit:0", "exit:1", "exit:2", "exit:4"};
	static const struct rank_index ranks[] = {{0}, {1}, {2}, {4}};
	struct verdict_fact facts[4];
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	for (int i = 0; i < 4; i++)
		facts[i] = (struct verdict_fact){
			.kind = FACT_DIED_EXIT, .ranks = {&ranks[3 - i], 1}, .cite = cites[3 - i]};
	hand.verdict[0].evidence = facts;
	hand.verdict[0].nevidence = 4;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "\n 0-2,4    exited with status 0                   "
				     "            exit:*\n"));
	assert_ptr_equal(strstr(strstr(text, "exited") + 1, "exited"), NULL);
	free(text);
}

static void losses_are_shown(void **state)
{
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.losses[0] = (struct job_loss){
		.rank = {5}, .what = "records overwritten", .count = 12, .cite = "ring:5:lane0"};
	hand.ranks[5].lost_records = 12;
	hand.job.nlosses = 1;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "lost  rank 5: records overwritten (12)"));
	assert_non_null(strstr(text, "8/8 rings, 12 records lost"));
	free(text);
	text = hand_job_written(&report_json, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "{\"rank\":5,\"what\":\"records overwritten\",\"count\":12,"));
	free(text);
}

static void assert_words(struct verdict_fact fact, const char *expected)
{
	struct str words = {0};

	wording_fact(&words, &fact);
	assert_string_equal(str_text(&words), expected);
	str_release(&words);
}

static void every_fact_has_words(void **state)
{
	(void)state;
	for (int kind = FACT_NONE + 1; kind < VERDICT_FACT_KINDS; kind++) {
		struct verdict_fact fact = {.kind = (enum verdict_fact_kind)kind,
			.a = 'S',
			.b = 2,
			.c = 3,
			.text = "t",
			.text2 = "T"};
		struct str words = {0};

		assert_non_null(wording_template(fact.kind));
		wording_fact(&words, &fact);
		assert_true(words.len > 0);
		assert_null(strpbrk(words.text, "{}[]"));
		assert_null(strstr(words.text, "unknown"));
		str_release(&words);
	}
}

static void what_is_not_known_is_left_out_or_said(void **state)
{
	(void)state;
	assert_words(
		(struct verdict_fact){.kind = FACT_DIED_SIGNAL, .a = 11, .text = ""}, "SIGSEGV");
	assert_words(
		(struct verdict_fact){.kind = FACT_DIED_SIGNAL, .a = 9, .b = 77, .text = "main"},
		"SIGKILL from pid 77 in thread main");
	assert_words((struct verdict_fact){.kind = FACT_OOM_KILL, .a = JOB_UNKNOWN},
		"cgroup oom_kill +unknown");
	assert_words(
		(struct verdict_fact){.kind = FACT_CPU, .a = 0, .b = JOB_UNKNOWN}, "used no CPU");
	assert_words((struct verdict_fact){.kind = FACT_STEPS, .a = 5, .b = 7, .c = 7},
		"5 steps done; peers 7");
	assert_words((struct verdict_fact){.kind = FACT_PEERS_COMPILED,
			     .a = 38 * CLOCK_NS_PER_S,
			     .b = 44 * CLOCK_NS_PER_S},
		"peers compiled 38 s to 44 s");
	assert_words((struct verdict_fact){.kind = FACT_PEERS_COMPILED,
			     .a = 16 * CLOCK_NS_PER_S / 10,
			     .b = 16 * CLOCK_NS_PER_S / 10},
		"peers compiled 1.6 s");
	assert_words((struct verdict_fact){.kind = FACT_EXCEPTION,
			     .text = "exception: RuntimeError: no rows"},
		"RuntimeError: no rows");
	assert_words((struct verdict_fact){.kind = FACT_RSS, .a = 61LL << 30, .b = 214LL << 30},
		"RSS 61 GiB -> 214 GiB");
}

static void every_class_fits_the_first_line(void **state)
{
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	for (int class = 0; class < VERDICT_CLASSES; class ++) {
		char *text;

		hand.verdict[0].class = (enum verdict_class) class;
		for (int named = 0; named < 2; named++) {
			hand.verdict[0].culprits.n = (size_t)named;
			text = hand_job_written(&report_text, &hand.verdicts, &plain);
			assert_page(text, 24);
			assert_non_null(strstr(text, class == VERDICT_TOO_EARLY
							     ? "a hang from"
							     : verdict_class_name(class)));
			free(text);
		}
	}
}

/* Whom all wait for is worth more than who waits: where both have no room, these are counted. */
static void who_is_waited_for_is_told_whole(void **state)
{
	static const struct rank_index waiting[] = {{0}, {2}, {4}, {6}};
	static const struct rank_index awaited[] = {{1}, {3}, {5}, {7}};
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_TOO_EARLY;
	hand.verdict[0].culprits.n = 0;
	hand.verdicts.early = (struct verdict_early){
		{waiting, 4}, {awaited, 4}, 100000000, 2000000000};
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_page(text, 24);
	assert_non_null(strstr(
		text, "TOO EARLY TO TELL (100 ms); 4 ranks wait for ranks 1,3,5,7 "));
	free(text);
	hand.verdicts.early.awaited.n = 1;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "TOO EARLY TO TELL (100 ms); ranks 0,2,4,6 wait for rank 1 "));
	free(text);
	hand.verdicts.early.ranks.n = 1;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "TOO EARLY TO TELL (100 ms); rank 0 waits for rank 1 "));
	free(text);
}

/* Where no wait is seen nobody is to blame yet: the page must not sound as if there were. */
static void what_may_be_well_is_not_called_wrong(void **state)
{
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.verdict[0].class = VERDICT_INCONCLUSIVE;
	hand.verdict[0].culprits.n = 0;
	for (int waits = 1; waits >= 0; waits--) {
		char *text;

		if (!waits) {
			hand.verdict[0].victims.n = 0;
			hand.verdict[0].nevidence = 0;
			hand.verdict[0].headline.kind = FACT_NONE;
		}
		text = hand_job_written(&report_text, &hand.verdicts, &plain);
		assert_non_null(strstr(text, waits ? "CANNOT TELL WHO IS TO BLAME"
						   : "CANNOT TELL WHETHER ANYTHING IS WRONG  "));
		free(text);
	}
}

static void escapes_are_cut_by_columns(void **state)
{
	struct str text = {0};

	(void)state;
	assert_int_equal(
		escape_fit(&text, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 6), 5);
	assert_string_equal(text.text, "\xe6\xbc\xa2...");
	str_cut(&text, 0);
	assert_int_equal(escape_fit(&text, "abc", 3), 3);
	str_cut(&text, 0);
	escape_text(&text, "\xed\xa0\x80\xf4\x90\x80\x80\xe2\x81\xa6", true);
	assert_string_equal(text.text, "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\u{2066}");
	str_cut(&text, 0);
	escape_json(&text, "\"\xc2\x9b\xf3\xa0\x80\x81\x7f\"");
	assert_string_equal(text.text, "\"\\u009b\\udb40\\udc01\\u007f\"");
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_is_the_answer),
		cmocka_unit_test(who_never_came_is_never_left_out),
		cmocka_unit_test(whose_debugger_is_to_be_detached_is_said),
		cmocka_unit_test(nothing_is_coloured_unless_asked),
		cmocka_unit_test(many_ranks_and_many_facts_still_fit),
		cmocka_unit_test(no_fact_is_told_by_half),
		cmocka_unit_test(text_from_outside_never_goes_out_raw),
		cmocka_unit_test(without_utf8_all_is_ascii),
		cmocka_unit_test(json_has_every_key),
		cmocka_unit_test(unknown_is_null_and_never_zero),
		cmocka_unit_test(a_wait_that_no_call_shows_is_a_wait),
		cmocka_unit_test(a_wait_that_a_stack_shows_is_as_old_as_its_op),
		cmocka_unit_test(a_wait_is_for_the_message_that_it_names),
		cmocka_unit_test(a_majority_that_stays_away_is_named_as_such),
		cmocka_unit_test(the_same_fact_of_many_ranks_is_one_line),
		cmocka_unit_test(losses_are_shown),
		cmocka_unit_test(every_fact_has_words),
		cmocka_unit_test(what_is_not_known_is_left_out_or_said),
		cmocka_unit_test(every_class_fits_the_first_line),
		cmocka_unit_test(who_is_waited_for_is_told_whole),
		cmocka_unit_test(what_may_be_well_is_not_called_wrong),
		cmocka_unit_test(escapes_are_cut_by_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
