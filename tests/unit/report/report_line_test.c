/* SPDX-License-Identifier: Apache-2.0 */
/* The line for log collectors: whole JSON, never too long, and it says what it leaves out. */
#include "tests/unit/unit.h"

#include <json-c/json.h>
#include <string.h>

#include "report/report.h"
#include "tests/unit/report_job.h"

static struct json_object *key(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(object, name, &value))
		fail_msg("no key %s", name);
	return value;
}

/* The line for logs: at most so long, whole JSON, its cuts counted; NULL where it is not. */
static struct json_object *line_of(const struct verdicts *verdicts, const char *bundle, size_t most)
{
	struct json_object *root;
	struct str line = {0};

	report_json_line(&line, verdicts, bundle, most);
	assert_true(line.len <= most);
	assert_null(strchr(line.text, '\n'));
	hand_job_harmless(line.text);
	root = json_tokener_parse(line.text);
	assert_non_null(root);
	str_release(&line);
	return root;
}

static int cut_of(struct json_object *root, const char *name)
{
	struct json_object *cut = NULL;

	json_object_object_get_ex(key(root, "cut"), name, &cut);
	return json_object_get_int(cut);
}

static void a_line_for_logs_says_what_it_leaves_out(void **state)
{
	struct json_object *root, *verdict;
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	root = line_of(&hand.verdicts, "/out/sft-41.inq", 1 << 20);
	assert_string_equal(json_object_get_string(key(root, "bundle")), "/out/sft-41.inq");
	assert_null(key(root, "stacks"));
	assert_int_equal(json_object_object_length(key(root, "cut")), 0);
	assert_int_equal(json_object_array_length(key(root, "ranks")), 8);
	json_object_put(root);
	root = line_of(&hand.verdicts, "/out/sft-41.inq", 3400);
	assert_int_equal(cut_of(root, "ranks"), 8);
	verdict = json_object_array_get_idx(key(root, "verdicts"), 0);
	assert_string_equal(json_object_get_string(key(verdict, "culprits")), "[ 3 ]");
	assert_string_equal(json_object_get_string(key(verdict, "class")), "compile-skew");
	assert_int_equal(json_object_array_length(key(verdict, "evidence")) +
				 (size_t)cut_of(root, "evidence"),
		hand.verdict[0].nevidence);
	assert_string_equal(json_object_get_string(key(root, "bundle")), "/out/sft-41.inq");
	json_object_put(root);
}

/* Whatever a job is called and says, and however large it is, the line is one line and JSON. */
static void any_line_for_logs_is_short_enough(void **state)
{
	struct verdict_fact facts[40];
	struct hand_job hand;
	char evil[3000], path[5000];

	(void)state;
	memset(evil, '\x01', sizeof(evil) - 1);
	evil[sizeof(evil) - 1] = '\0';
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	for (size_t most = 1024; most <= 8192; most += 64) {
		hand_job_make(&hand, 64, 37);
		for (size_t i = 0; i < 40; i++)
			facts[i] = hand.facts[i % 3];
		hand.verdict[0].evidence = facts;
		hand.verdict[0].nevidence = 40;
		json_object_put(line_of(&hand.verdicts, "/out/a.inq", most));
		json_object_put(line_of(&hand.verdicts, path, most));
		hand_job_hostile(&hand);
		json_object_put(line_of(&hand.verdicts, NULL, most));
		hand.job.name = hand.job.id = hand.host.name = hand.group.name = evil;
		hand.facts[0].text = hand.facts[0].cite = evil;
		hand.verdict[0].headline = hand.facts[0];
		json_object_put(line_of(&hand.verdicts, evil, most));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_for_logs_says_what_it_leaves_out),
		cmocka_unit_test(any_line_for_logs_is_short_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
