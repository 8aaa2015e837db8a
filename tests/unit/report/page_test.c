/* SPDX-License-Identifier: Apache-2.0 */
/* The page's sections and lines, on jobs made by hand: what report and viewer both paint. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/unit/report_job.h"
#include "words/page.h"
#include "words/rank-names.h"

static const char *const names[PAGE_KINDS] = {
	[PAGE_JOB] = "job",
	[PAGE_OTHERS] = "others",
	[PAGE_FIRST] = "first",
	[PAGE_ALSO] = "also",
	[PAGE_UNJUDGED] = "unjudged",
	[PAGE_LOST] = "lost",
	[PAGE_READ] = "read",
	[PAGE_LAST_WORDS] = "last words",
	[PAGE_OUTLOOK] = "outlook",
	[PAGE_EVIDENCE] = "evidence",
	[PAGE_WHO] = "who",
	[PAGE_NOT] = "not",
	[PAGE_NEXT] = "next",
};

/* Appends "section: key <ranks> words [cite]" of each line. */
static void add_section(struct str *into, struct page *page, enum page_kind kind)
{
	const struct verdicts *verdicts = page->verdicts;
	struct page_section section = page_section(page, kind, &verdicts->at[0]);

	for (size_t i = 0; i < section.n; i++) {
		const struct page_line *line = &section.lines[i];

		str_printf(into, "%s: %s", names[kind], line->key ? line->key : "");
		if (!line->key) {
			str_add_char(into, '<');
			ranks_add(into, verdicts->job, line->ranks);
			str_add_char(into, '>');
		}
		str_printf(into, " %s%s%s%s\n", line->words, *line->cite ? " [" : "", line->cite,
			*line->cite ? "]" : "");
	}
}

static char *written(struct page *page)
{
	struct str text = {0};

	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		add_section(&text, page, kind);
	return str_detach(&text);
}

static void each_section_has_its_lines(void **state)
{
	static const char expected[] =
		"job: job sft-41\n"
		"job: seen 8/8 ranks\n"
		"job: attempt attempt 1\n"
		"job: stage stage FIRST FORWARD\n"
		"others: others other job here: slurm:34\n"
		"first: first compile began at 7 s (1 of 8), 11:08 so far; no collective; no step\n"
		"unjudged: unjudged graph-divergence: needs ring of rank 3\n"
		"lost: lost rank 2: records (2); operations may be among it [ring:2]\n"
		"read: read 8/8 rings, 0 records lost\n"
		"read: disturbed by no stop: no stack was taken of a living process\n"
		"last words: <3> \"compiling model\" [stderr:3]\n"
		"outlook: WAIT was still moving, might have resolved; "
		"19:36 were left until the watchdog kills [env]\n"
		"evidence: <3> inductor codegen graph 0/0, open 11:08 [ring:3:lane0:118]\n"
		"evidence: <3> cache at start 0 files; peers 412-415 [caches:3]\n"
		"evidence: <0-2,4-7> in AllReduce #1 world, 10:24 [ring:*:g1]\n"
		"who: who seat 5 of world is somebody of whom nothing is known [ring:*:g1]\n"
		"not: not death: 8 alive, oom_kill +0 [procs cgroup]\n"
		"not: not shards: all batches equal: 4 rows, 16384 elements [ring:*:shard0]\n"
		"next: next seed the cache by one full run of all ranks; not rank by rank\n";
	static const struct verdict_seat seat = {.group = 0, .seat = {5}};
	struct hand_job hand;
	struct page page = {.verdicts = &hand.verdicts, .left_out = "other job here: slurm:34"};
	char *text, *again;

	hand_job_make(&hand, 8, 3);
	hand.losses[0] = (struct job_loss){
		.rank = {2}, .what = "records", .cite = "ring:2", .count = 2, .of_ops = true};
	hand.job.nlosses = 1;
	hand.verdict[0].unknown_members = &seat;
	hand.verdict[0].nunknown = 1;
	text = written(&page);
	assert_string_equal(text, expected);
	again = written(&page);
	assert_string_equal(again, text);
	page_release(&page);
	free(again);
	free(text);
}

/* What the eye should find, and whose row shows it. */
static void who_is_to_blame_stands_out(void **state)
{
	struct hand_job hand;
	struct page page = {.verdicts = &hand.verdicts};
	struct page_section evidence;

	hand_job_make(&hand, 8, 3);
	evidence = page_section(&page, PAGE_EVIDENCE, &hand.verdict[0]);
	assert_int_equal(evidence.n, 3);
	assert_int_equal(evidence.lines[0].tone, PAGE_ALARM);
	assert_int_equal(evidence.lines[0].rank.i, 3);
	assert_ptr_equal(evidence.lines[0].fact, &hand.facts[0]);
	assert_int_equal(evidence.lines[2].tone, PAGE_STRONG);
	assert_true(evidence.lines[2].kept);
	assert_false(evidence.lines[1].kept);
	page_release(&page);
}

/* Sentences that read the same stand once, also where one is surer than the other. */
static void further_verdicts_stand_once(void **state)
{
	struct hand_job hand;
	struct page page = {.verdicts = &hand.verdicts};
	struct verdict at[4];
	struct page_section also;

	hand_job_make(&hand, 8, 3);
	for (size_t i = 0; i < 4; i++)
		at[i] = hand.verdict[0];
	at[2].confidence = VERDICT_HYPOTHESIS;
	at[3].class = VERDICT_COMPILE_STUCK;
	hand.verdicts.at = at;
	hand.verdicts.n = 4;
	also = page_section(&page, PAGE_ALSO, NULL);
	assert_int_equal(also.n, 2);
	assert_ptr_equal(also.lines[0].verdict, &at[1]);
	assert_ptr_equal(also.lines[1].verdict, &at[3]);
	assert_non_null(strstr(also.lines[0].words, " (compile-skew, established)"));
	page_release(&page);
}

/* Of a live job the time runs on after it was judged, and ends at nothing. */
static void what_is_left_is_as_of_now(void **state)
{
	static const struct {
		bool live;
		int64_t after_s, left_s;
	} cases[] = {{true, 0, 1176}, {true, 76, 1100}, {true, 2000, 0}, {false, 76, 1176}};
	struct hand_job hand;
	struct page page = {.verdicts = &hand.verdicts};

	hand_job_make(&hand, 8, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		page.live = cases[i].live;
		page.now = hand.job.gathered + cases[i].after_s * CLOCK_NS_PER_S;
		assert_int_equal(page_left(&page, &hand.verdict[0]) / CLOCK_NS_PER_S,
			cases[i].left_s);
	}
	hand.verdict[0].watchdog_left = JOB_UNKNOWN;
	assert_true(page_left(&page, &hand.verdict[0]) == JOB_UNKNOWN);
}

/* However long it is: half a command is none. */
static void a_next_step_is_never_cut(void **state)
{
	static const char hosts[] = "gpu-node-0017.cluster.example,gpu-node-0018.cluster.example,"
				    "gpu-node-0019.cluster.example,gpu-node-0020.cluster.example";
	static const struct report_options plain = {0};
	struct hand_job hand;
	char *text, *at;

	hand_job_make(&hand, 8, 3);
	hand.job.coverage.hosts_missing = hosts;
	hand.job.coverage.hosts.n = 8;
	hand.verdicts.lack = VERDICT_LACKS_RANKS;
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	at = strstr(text, "to be sure, if it still hangs");
	assert_non_null(at);
	assert_non_null(strstr(at, "then, where these files are: inquest diagnose *.inq\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_section_has_its_lines),
		cmocka_unit_test(who_is_to_blame_stands_out),
		cmocka_unit_test(further_verdicts_stand_once),
		cmocka_unit_test(what_is_left_is_as_of_now),
		cmocka_unit_test(a_next_step_is_never_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
