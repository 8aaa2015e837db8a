/* SPDX-License-Identifier: Apache-2.0 */
/* What people and programs read of stacks, on a job made by hand. */
#include "tests/unit/unit.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "words/escape.h"
#include "report/report.h"
#include "tests/unit/report_job.h"

#define FRAMES 7

/* Eight ranks of which the fourth loads and waits, the sixth runs, and the others reduce. */
struct hand_stacks {
	struct hand_job hand;
	struct job_frame frames[FRAMES];
	struct job_stack stacks[HAND_RANKS];
	struct job_snapshot snapshots[HAND_RANKS];
	uint32_t loads[4], reduces[4], runs[2];
	char cites[HAND_RANKS][48];
};

static const struct job_frame frames[FRAMES] = {
	{JOB_FRAME_PYTHON, "<module>", "", "/home/me/train.py", 12, 0, false, false},
	{JOB_FRAME_PYTHON, "step", "", "/home/me/train.py", 88, 0, false, false},
	{JOB_FRAME_PYTHON, "load", "",
		"/a/very/long/path/that/leads/to/some/where/far/away/in/the/tree/data.py", 7, 0,
		false, false},
	{JOB_FRAME_NATIVE, "futex_wait", "libc.so.6", "", 0, 0, false, false},
	{JOB_FRAME_NATIVE, "", "libnccl.so.2", "", 0, 0x1234, false, false},
	{JOB_FRAME_NATIVE, "_PyEval_Vector", "python3.11", "", 0, 0, true, false},
	{JOB_FRAME_KERNEL, "futex_wait_queue", "", "", 0, 0, false, false},
};

static void set_stack(struct hand_stacks *h, int rank, const uint32_t *numbers, size_t n)
{
	snprintf(h->cites[rank], sizeof(h->cites[rank]), "stack:%d:tid%d", rank, 100 + rank);
	h->stacks[rank] = (struct job_stack){.rank = rank_index(rank),
		.process = rank,
		.tid = 100 + (uint32_t)rank,
		.main = true,
		.thread = "python",
		.frames = numbers,
		.nframes = n,
		.merged = true,
		.cut = "",
		.state = 'S',
		.wchan = "futex_wait_queue",
		.syscall = "futex",
		.cpu_delta = 0,
		.samples = 3,
		.moved = JOB_NO,
		.still = n,
		.holds_gil = JOB_NO,
		.when = 5,
		.cite = h->cites[rank]};
	h->snapshots[rank] = (struct job_snapshot){.rank = rank_index(rank),
		.process = rank,
		.samples = 3,
		.threads = 1,
		.span = 2200 * CLOCK_NS_PER_MS,
		.cite = "stacks"};
}

static void hand_stacks_make(struct hand_stacks *h)
{
	static const uint32_t loads[] = {6, 3, 2, 0}, reduces[] = {4, 5, 1, 0}, runs[] = {1, 0};

	memset(h, 0, sizeof(*h));
	hand_job_make(&h->hand, 8, 3);
	memcpy(h->frames, frames, sizeof(frames));
	memcpy(h->loads, loads, sizeof(loads));
	memcpy(h->reduces, reduces, sizeof(reduces));
	memcpy(h->runs, runs, sizeof(runs));
	for (int i = 0; i < 8; i++)
		set_stack(h, i, i == 3 ? h->loads : h->reduces, 4);
	set_stack(h, 5, h->runs, 2);
	h->stacks[5].cut = "it ran: its native frames only by stopping it";
	h->stacks[5].rooted = true;
	h->stacks[5].state = 'R';
	h->stacks[5].syscall = "";
	h->stacks[5].moved = JOB_YES;
	h->stacks[5].still = 1;
	h->stacks[5].cpu_delta = 2178 * CLOCK_NS_PER_MS;
	h->snapshots[5].cut = 1;
	h->hand.job.frames = h->frames;
	h->hand.job.nframes = FRAMES;
	h->hand.job.stacks = h->stacks;
	h->hand.job.nstacks = 8;
	h->hand.job.snapshots = h->snapshots;
	h->hand.job.nsnapshots = 8;
}

static char *written(const struct report *report, const struct hand_stacks *h, bool all)
{
	const struct report_options options = {
		.utf8 = true, .gathered = true, .all_threads = all};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(report->write(file, &h->hand.verdicts, &options), 0);
	fclose(file);
	return text;
}

static void assert_page(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[512];

		assert_true(len < sizeof(line) && text[len] == '\n');
		memcpy(line, text, len);
		line[len] = '\0';
		if (escape_width(line) > 80)
			fail_msg("%zu columns: %s", escape_width(line), line);
		text += len + 1;
	}
}

static void people_see_the_odd_one_first(void **state)
{
	static const char expected[] =
		"RANK 3 STILL COMPILES; 7 ranks wait                    compile-skew, established\n"
		" WAIT     was still moving, might have resolved;             env\n"
		"            19:36 were left until the watchdog kills\n"
		"8 stacks of main threads, 3 classes; 3 samples in 2.2 s; 0 threads stopped\n"
		"1 thread cut; --stop=blocked-fallback would read it\n"
		" 3          still in 3 samples; in futex                    stack:3:tid103\n"
		" 5          ran, inside <module>; 99 % CPU                  stack:5:tid105\n"
		" 0-2,4,6-7  still in 3 samples; in futex\n"
		"0-7         <module>                            /home/me/train.py:12\n"
		"3             load                              far/away/in/the/tree/data.py:7\n"
		"              futex_wait                        libc.so.6\n"
		"              futex_wait_queue                  kernel\n"
		"0-2,4-7       step                              /home/me/train.py:88\n"
		"0-2,4,6-7       libnccl.so.2+0x1234\n"
		"5               (cut: it ran: its native frames only by stopping it)\n"
		"6 frames of plumbing, Python's or ours, not shown: --stacks=json has them\n"
		"next  seed the cache by one full run of all ranks; not rank by rank\n";
	struct hand_stacks *h = malloc(sizeof(*h));
	char *text;

	hand_stacks_make(h);
	text = written(&report_stacks, h, false);
	assert_string_equal(text, expected);
	free(text);
	free(h);
}

static void folded_lines_are_what_flame_graphs_read(void **state)
{
	static const char expected[] =
		"3;<module> (/home/me/train.py:12);load "
		"(/a/very/long/path/that/leads/to/some/where/"
		"far/away/in/the/tree/data.py:7);futex_wait;futex_wait_queue_[k] 1\n"
		"5;<module> (/home/me/train.py:12);step (/home/me/train.py:88);[cut] 1\n"
		"0-2,4,6-7;<module> (/home/me/train.py:12);step (/home/me/train.py:88);"
		"libnccl.so.2+0x1234 6\n";
	struct hand_stacks *h = malloc(sizeof(*h));
	char *text;

	hand_stacks_make(h);
	text = written(&report_folded, h, false);
	assert_string_equal(text, expected);
	free(text);
	free(h);
}

static struct json_object *key(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(object, name, &value))
		fail_msg("no key %s", name);
	return value;
}

static struct json_object *at(struct json_object *array, size_t i)
{
	return json_object_array_get_idx(array, i);
}

static const char *string(struct json_object *object, const char *name)
{
	return json_object_get_string(key(object, name));
}

static void json_of_verdicts_has_the_culprit_s_stack(void **state)
{
	struct hand_stacks *h = malloc(sizeof(*h));
	struct json_object *root, *stacks, *culprit, *class;
	char *text;

	hand_stacks_make(h);
	text = written(&report_json, h, false);
	root = json_tokener_parse(text);
	stacks = key(root, "stacks");
	assert_string_equal(string(stacks, "stop"), "never");
	assert_int_equal(json_object_get_int(key(stacks, "threads_cut")), 1);
	assert_int_equal(json_object_get_int(key(stacks, "threads_stopped")), 0);
	assert_int_equal(json_object_array_length(key(stacks, "culprits")), 1);
	culprit = at(key(stacks, "culprits"), 0);
	assert_int_equal(json_object_get_int(key(culprit, "rank")), 3);
	assert_string_equal(string(culprit, "cite"), "stack:3:tid103");
	assert_string_equal(string(culprit, "moved"), "false");
	assert_string_equal(string(at(key(culprit, "frames"), 0), "function"), "futex_wait_queue");
	assert_string_equal(string(at(key(culprit, "frames"), 2), "line"), "7");
	class = at(key(stacks, "classes"), 0);
	assert_string_equal(string(class, "ranks"), "[ 3 ]");
	assert_string_equal(string(at(key(stacks, "classes"), 1), "whole"), "false");
	json_object_put(root);
	free(text);
	h->hand.job.nstacks = h->hand.job.nsnapshots = 0;
	text = written(&report_json, h, false);
	assert_non_null(strstr(text, "\"stacks\":null"));
	free(text);
	free(h);
}

/* The document of stacks is complete: every stack is found again along its nodes. */
static void json_of_stacks_has_all(void **state)
{
	struct hand_stacks *h = malloc(sizeof(*h));
	struct json_object *root, *nodes, *sets, *class, *node, *all;
	size_t found = 0;
	char *text;

	hand_stacks_make(h);
	text = written(&report_stacks_json, h, false);
	root = json_tokener_parse(text);
	assert_string_equal(string(root, "schema"), "inquest-stacktree/1");
	nodes = key(root, "nodes");
	sets = key(root, "sets");
	all = key(root, "frames");
	assert_int_equal(json_object_array_length(key(root, "stacks")), 8);
	assert_int_equal(json_object_array_length(all), FRAMES);
	for (size_t i = 0; i < json_object_array_length(key(root, "classes")); i++) {
		class = at(key(root, "classes"), i);
		node = at(nodes, (size_t)json_object_get_int(at(key(class, "leaves"), 0)));
		found += (size_t)json_object_get_int(key(node, "ends"));
		assert_string_equal(string(class, "ranks"),
			string(at(sets, (size_t)json_object_get_int(key(class, "set"))), "ranks"));
	}
	assert_int_equal(found, 8);
	class = at(key(root, "classes"), 2);
	node = at(nodes, (size_t)json_object_get_int(at(key(class, "leaves"), 0)));
	node = at(nodes, (size_t)json_object_get_int(key(node, "parent")));
	assert_string_equal(
		string(at(all, (size_t)json_object_get_int(key(node, "frame"))), "plumbing"),
		"true");
	json_object_put(root);
	free(text);
	free(h);
}

static void who_died_is_shown(void **state)
{
	const struct job_signal signal = {
		.rank = {0}, .process = 0, .signo = 11, .tid = 100, .fatal = true};
	struct hand_stacks *h = malloc(sizeof(*h));
	char *text;

	hand_stacks_make(h);
	h->hand.job.signals = &signal;
	h->hand.job.nsignals = 1;
	text = written(&report_stacks, h, false);
	assert_non_null(strstr(text, "  libnccl.so.2+0x1234 (died here)\n"));
	assert_true(strstr(text, "died here") < strstr(text, "load"));
	free(text);
	free(h);
}

/* A recursion is one line. */
static void the_same_frame_again_is_counted(void **state)
{
	static const uint32_t deep[] = {3, 1, 1, 1, 0}, less[] = {4, 1, 1, 0};
	struct hand_stacks *h = malloc(sizeof(*h));
	char *text;

	hand_stacks_make(h);
	for (int i = 0; i < 8; i++)
		set_stack(h, i, i == 3 ? less : deep, i == 3 ? 4 : 5);
	text = written(&report_stacks, h, false);
	assert_non_null(strstr(text,
		"0-7         <module>                            /home/me/train.py:12\n"
		"            step (2 times)                      /home/me/train.py:88\n"
		"3             libnccl.so.2+0x1234\n"
		"0-2,4-7       step                              /home/me/train.py:88\n"
		"              futex_wait                        libc.so.6\n"));
	free(text);
	free(h);
}

/* Names may be anything: they repaint no terminal, and part no folded line in two. */
static void hostile_names_are_shown_harmless(void **state)
{
	const struct report *const reports[] = {
		&report_stacks, &report_stacks_json, &report_folded, &report_json, &report_text};
	struct hand_stacks *h = malloc(sizeof(*h));
	char *text;

	hand_stacks_make(h);
	h->frames[0].function = "a;b 7\n9;c\x1b[2J";
	h->frames[2].function = "\xe2\x80\xae\xff\r";
	h->frames[2].file = "/x\x1b]0;boo\a/\xe2\x80\xaey.py";
	h->frames[3].module = "\x1b[31m";
	h->stacks[3].cite = "stack\x1b[1m";
	h->stacks[5].cut = "cut\n\x1b[7m";
	h->stacks[3].thread = "\x9b";
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		text = written(reports[i], h, false);
		for (const char *c = text; *c; c++)
			assert_true((unsigned char)*c >= ' ' || *c == '\n');
		assert_null(strstr(text, "\xe2\x80\xae"));
		assert_null(strstr(text, "\x9b"));
		free(text);
	}
	text = written(&report_stacks, h, false);
	assert_page(text);
	assert_non_null(strstr(text, "\\u{202e}"));
	free(text);
	text = written(&report_folded, h, false);
	assert_int_equal(strncmp(text, "3;a:b 7\\x0a9:c\\x1b[2J (", 23), 0);
	free(text);
	free(h);
}

static void the_report_says_what_it_has_disturbed(void **state)
{
	struct hand_stacks *h = malloc(sizeof(*h));
	char *text;

	hand_stacks_make(h);
	h->snapshots[5].cut = 12;
	text = written(&report_text, h, false);
	assert_non_null(strstr(text, "0 threads stopped\n"
				     "12 threads cut; --stop=blocked-fallback would read them\n"));
	free(text);
	for (int i = 0; i < 8; i++)
		h->snapshots[i].mode = JOB_SNAPSHOT_FALLBACK;
	h->snapshots[5].cut = 0;
	h->snapshots[5].stopped = 12;
	h->snapshots[5].longest_stop = 1230000;
	text = written(&report_text, h, false);
	assert_non_null(
		strstr(text, "8/8 rings, 0 records lost, "
			     "12 threads stopped, for 1.2 ms at most\n"));
	assert_null(strstr(text, " cut;"));
	free(text);
	text = written(&report_stacks, h, false);
	assert_page(text);
	assert_non_null(strstr(text, "\n12 threads stopped, for 1.2 ms at most\n"));
	free(text);
	free(h);
}

/* A job of thousands of classes is a page that ends. */
static void many_classes_are_cut_with_a_word(void **state)
{
	struct hand_stacks *h = malloc(sizeof(*h));
	struct job_frame *many = calloc(600, sizeof(*many));
	uint32_t numbers[600];
	struct job_stack *stacks = calloc(600, sizeof(*stacks));
	char *text;

	hand_stacks_make(h);
	for (uint32_t i = 0; i < 600; i++) {
		many[i] = frames[0];
		many[i].line = (int)i + 1;
		numbers[i] = i;
		stacks[i] = h->stacks[0];
		stacks[i].main = i == 0;
		stacks[i].tid = i;
		stacks[i].frames = &numbers[i];
		stacks[i].nframes = 1;
	}
	h->hand.job.frames = many;
	h->hand.job.nframes = h->hand.job.nstacks = 600;
	h->hand.job.stacks = stacks;
	text = written(&report_stacks, h, true);
	assert_page(text);
	assert_non_null(strstr(text, "... and 200 lines more: --stacks=json has all\n"));
	free(text);
	free(stacks);
	free(many);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(people_see_the_odd_one_first),
		cmocka_unit_test(folded_lines_are_what_flame_graphs_read),
		cmocka_unit_test(json_of_verdicts_has_the_culprit_s_stack),
		cmocka_unit_test(json_of_stacks_has_all),
		cmocka_unit_test(who_died_is_shown),
		cmocka_unit_test(the_same_frame_again_is_counted),
		cmocka_unit_test(hostile_names_are_shown_harmless),
		cmocka_unit_test(the_report_says_what_it_has_disturbed),
		cmocka_unit_test(many_classes_are_cut_with_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
