/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nodes are called, what jobs are called, how something is run there, and what comes back. The
 * sums are those of FIPS 180-4's examples and of sha256sum.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "cmd/reach/collect-words.h"
#include "cmd/reach/frame.h"
#include "cmd/reach/key.h"
#include "cmd/reach/nodes.h"
#include "cmd/reach/reason.h"

static void test_sums(void **state)
{
	static const struct {
		const char *text, *sum;
	} known[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	char sum[SHA256_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		sha256_text(known[i].text, strlen(known[i].text), sum);
		assert_string_equal(sum, known[i].sum);
	}
}

static void test_base64(void **state)
{
	struct str text = {0}, bytes = {0};

	(void)state;
	for (size_t n = 0; n < 6; n++) {
		str_cut(&text, 0);
		str_cut(&bytes, 0);
		base64_add(&text, "\xff\0abc", n < 5 ? n : 5);
		assert_true(base64_read(&bytes, str_text(&text), text.len));
		assert_int_equal(bytes.len, n < 5 ? n : 5);
		assert_memory_equal(str_text(&bytes), "\xff\0abc", bytes.len);
	}
	assert_false(base64_read(&bytes, "YW=j", 4));
	assert_false(base64_read(&bytes, "YWJ", 3));
	assert_false(base64_read(&bytes, "YQ==YWJj", 8));
	assert_false(base64_read(&bytes, "YW j", 4));
	str_release(&text);
	str_release(&bytes);
}

/* A bundle in pieces of each size, and cut at each byte: whole, or not at all. */
static void test_frames(void **state)
{
	char bundle[150];
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bundle); i++)
		bundle[i] = (char)(i * 7);
	str_add(&text, "Welcome\n");
	frame_add(&text, bundle, sizeof(bundle));
	for (size_t step = 1; step < text.len; step++) {
		struct frames frames = {0};

		for (size_t at = 0; at < text.len; at += step)
			assert_true(frames_take(&frames, text.text + at,
				text.len - at < step ? text.len - at : step));
		frames_end(&frames);
		assert_int_equal(frames.bundles.nr, 1);
		assert_memory_equal(frames.bundles.items[0].text, bundle, sizeof(bundle));
		frames_release(&frames);
	}
	for (size_t cut = 0; cut + 1 < text.len; cut++) {
		struct frames frames = {0};

		frames_take(&frames, text.text, cut);
		frames_end(&frames);
		assert_int_equal(frames.bundles.nr, 0);
		assert_true(cut < 20 || frames.wrong.len);
		frames_release(&frames);
	}
	str_release(&text);
}

/* What comes, its end without a newline; then why it is not believed, or why it failed. */
static void test_ends(void **state)
{
#define BEGIN "INQ:bundle 6 0000000000000000000000000000000000000000000000000000000000000000\n"
	static const struct {
		const char *text, *wrong, *words;
		size_t cut_at; /* where no more is waited for; -1: it is none that is cut */
	} known[] = {
		{BEGIN "INQ:+YWJj", "", "", 0},
		{BEGIN "INQ:+YWJj\nINQ:+YW", "", "", 3},
		{BEGIN, "", "", 0},
		{"INQ:bund", "its answer is cut", "", (size_t)-1},
		{"INQ:+YWJj\nINQ:e", "its answer is cut: it has no beginning", "", (size_t)-1},
		{BEGIN "INQ:+YWINQ:fail too late\n", "", "too late", (size_t)-1},
		{BEGIN "INQ:INQ:fail too late\nINQ:done", "", "too late", (size_t)-1},
		{"INQ:fail no INQ:done there\n", "", "no INQ:done there", (size_t)-1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct frames frames = {0}, cut = {0};
		size_t came = 0, len = strlen(known[i].text);
		bool is_cut = known[i].cut_at != (size_t)-1;

		frames_take(&cut, known[i].text, len);
		assert_int_equal(frames_cut(&cut, &came), is_cut);
		assert_int_equal(is_cut ? came : known[i].cut_at, known[i].cut_at);
		frames_end(&cut);
		assert_true(cut.bundles.nr == 0 && (!is_cut || !cut.wrong.len));
		frames_take(&frames, known[i].text, len);
		frames_end(&frames);
		assert_string_equal(str_text(&frames.wrong),
			is_cut ? "its answer is cut" : known[i].wrong);
		assert_string_equal(str_text(&frames.words), known[i].words);
		frames_release(&frames);
		frames_release(&cut);
	}
}

/* Answers of all nodes have one bound: what a node announces beyond it is refused. */
static void test_room(void **state)
{
	struct meter meter = {.most = 4096};
	struct frames one = {.meter = &meter}, two = {.meter = &meter}, free_one = {0};
	struct str large = {0};
	char bundle[4000] = {0};

	(void)state;
	frame_add(&large, bundle, sizeof(bundle));
	assert_true(frames_take(&one, BEGIN, strlen(BEGIN)));
	assert_false(frames_take(&two, large.text, large.len));
	assert_string_equal(str_text(&two.wrong), METER_REFUSED);
	assert_true(frames_take(&free_one, large.text, large.len));
	assert_int_equal(free_one.bundles.nr, 1);
	frames_drop_bundles(&free_one);
	assert_int_equal(free_one.bundles.nr, 0);
	frames_release(&one);
	frames_release(&two);
	frames_release(&free_one);
	str_release(&large);
}

/* Which line of all that is said is the reason, and whose words it is. */
static void test_reasons(void **state)
{
	static const struct {
		const char *said, *line, *advice; /* a part of it; NULL none */
		bool tells;
	} known[] = {
		{"", "", NULL, false},
		{"hello\n\n  it broke \r\n", "it broke", NULL, false},
		{"a: error: one\nb: error: two\nso it ends\n", "a: error: one", NULL, true},
		{"srun: error: plugin x\nsrun: error: Task launch for StepId=2.2 failed on node "
		 "m2: Communication connection failure\nsrun: error: Application failed: x\n",
			"srun: error: Task launch for StepId=2.2 failed on node m2: "
			"Communication connection failure",
			"scontrol show node", true},
		{"srun: error: Unable to create step for job 2: Requested nodes are busy\nbye",
			"srun: error: Unable to create step for job 2: Requested nodes are busy",
			"--deadline", true},
		{"srun: error: Slurm job 1 has expired\n", "srun: error: Slurm job 1 has expired",
			"inquest diagnose", true},
		{"Your password has expired\n", "Your password has expired", NULL, false},
		{"m: Permission denied (publickey).\nlost", "m: Permission denied (publickey).",
			"a key", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct str said = {0}, line = {0};
		const char *advice;

		str_add(&said, known[i].said);
		assert_int_equal(reason_read(&said, &line, &advice), known[i].tells);
		assert_string_equal(str_text(&line), known[i].line);
		assert_int_equal(advice != NULL, known[i].advice != NULL);
		assert_true(!advice || strstr(advice, known[i].advice));
		str_release(&said);
		str_release(&line);
	}
}

static void test_programs(void **state)
{
	static const char *const known[][6] = {{"ssh", "ssh", "m1", NULL},
		{"srun", "env", "-u", "SLURM_X", "A=b", "srun"}, {"env", "env", "A=b", NULL},
		{"sh", "env", "-i", "sh", NULL}, {"env", "env", "-u", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *argv[6] = {NULL};

		for (size_t n = 0; n < 5 && known[i][n + 1]; n++)
			argv[n] = (char *)known[i][n + 1];
		assert_string_equal(reason_program(argv), known[i][0]);
	}
}

static void test_nodes(void **state)
{
	static const char *const odd[] = {"ns/-x", "ns/--as=root", "ns/a/-c", "-n/a", "ns//c",
		"/a", "ns/", "a@", "ns/-[1-2]"};
	struct nodes nodes = {0};

	(void)state;
	assert_int_equal(nodes_read(&nodes, "m[1-2,08],head m1", NULL), 0);
	assert_int_equal(nodes.names.nr, 4);
	assert_string_equal(nodes.names.items[2], "m08");
	assert_string_equal(nodes.names.items[3], "head");
	nodes_release(&nodes);
	assert_int_not_equal(nodes_read(&nodes, "m[1-", NULL), 0);
	assert_int_not_equal(nodes_read(&nodes, "", NULL), 0);
	assert_int_not_equal(nodes_read(&nodes, "-oProxyCommand=x", NULL), 0);
	assert_int_not_equal(nodes_read(&nodes, "bob@-oProxyCommand=x", NULL), 0);
	assert_int_not_equal(nodes_read(&nodes, "a;b", NULL), 0);
	assert_int_not_equal(nodes_read(&nodes, "/no/such/file", NULL), 0);
	nodes_release(&nodes);
	assert_int_equal(nodes_read_names(&nodes, "ns/a ns/b", NULL), 0);
	assert_string_equal(nodes.names.items[1], "ns/b");
	nodes_release(&nodes);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		assert_int_not_equal(nodes_read_names(&nodes, odd[i], NULL), 0);
		assert_int_equal(nodes.names.nr, 0);
	}
}

/* The words of a template, with "|" between them; "" where it is none. */
static char *split(const char *via)
{
	struct via_words words = {.node = "m 1", .command = "inquest 'x'"};
	struct str ret = {0};
	int error = via_split(via, &words, NULL);

	for (size_t i = 0; words.argv && words.argv[i]; i++) {
		if (!error)
			str_printf(&ret, "%s%s", i ? "|" : "", words.argv[i]);
		free(words.argv[i]);
	}
	free(words.argv);
	return str_detach(&ret);
}

static void test_templates(void **state)
{
	static const char *const known[][2] = {{"ssh %h", "ssh|m 1|sh"}, {"ssh", "ssh|m 1|sh"},
		{"a 'b c' \"d'e\" f\\ g %h", "a|b c|d'e|f g|m 1|sh"},
		{"pdsh -w %h %c", "pdsh|-w|m 1|inquest 'x'"}, {"a%%b %h", "a%b|m 1|sh"},
		{"a '' %h", "a||m 1|sh"}, {"", ""}, {"a 'b", ""}, {"a %x", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *words = split(known[i][0]);

		assert_string_equal(words, known[i][1]);
		free(words);
	}
}

static void test_keys(void **state)
{
	static const char *const mine[] = {"slurm:33", "slurm:33.0", "33.0", "run:r1", "r1",
		"master:m1:29500", "pmix:ns", "all"};
	static const char *const others[] = {"slurm:3", "slurm:33.1", "run:33.0",
		"run:", "master:m1", "master:m1:29501", "master:m2:29500", "name:r1", "pid:33",
		"33", ""};
	struct survey_process process = {0};

	(void)state;
	strcpy(process.claims.slurm, "33");
	strcpy(process.claims.step, "33.0");
	strcpy(process.claims.job, "r1");
	strcpy(process.claims.master, "m1:29500");
	strcpy(process.claims.pmix, "ns");
	for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++)
		assert_true(key_is_of_process(mine[i], &process));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(key_is_of_process(others[i], &process));
	/* Another value of what it tells is of another job. */
	assert_true(key_is_not_of_process("slurm:34", &process));
	assert_true(key_is_not_of_process("run:r2", &process));
	assert_true(key_is_not_of_process("master:m1:1", &process));
	assert_false(key_is_not_of_process("slurm:33", &process));
	assert_false(key_is_not_of_process("name:x", &process));
	assert_int_equal(key_pid("pid:4711"), 4711);
	assert_int_equal(key_pid("4711"), 4711);
	assert_int_equal(key_pid("5.0"), 0);
	assert_int_equal(key_pid(""), 0);
	assert_true(key_is_wide("run:x") && !key_is_wide("4711") && !key_is_wide("torchrun-5"));
}

/* Jobs that nothing but their store's address tells apart are told by it, unless it is local. */
static void test_addresses_as_keys(void **state)
{
	static const char *const known[][2] = {{"m1:29500", "master:m1:29500"},
		{"m1:29501", "master:m1:29501"}, {"127.0.0.1:29500", ""}, {"localhost:29500", ""},
		{"", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct survey_process process = {0};
		struct str key = {0};

		strcpy(process.claims.master, known[i][0]);
		assert_int_equal(key_of_process(&process, &key), *known[i][1] != 0);
		assert_string_equal(str_text(&key), known[i][1]);
		for (size_t other = 0; *known[i][1] && other < 2; other++)
			assert_int_equal(
				key_is_of_process(known[other][1], &process), other == i);
		str_release(&key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),
		cmocka_unit_test(test_base64), cmocka_unit_test(test_frames),
		cmocka_unit_test(test_ends), cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_programs), cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_templates), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_addresses_as_keys)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
