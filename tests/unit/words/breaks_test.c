/* SPDX-License-Identifier: Apache-2.0 */
/* Where lines of words end: at every width, what is read as one is on one line. */
#include "tests/unit/unit.h"

#include <string.h>

#include "words/breaks.h"
#include "words/escape.h"

#define WIDTH_LEAST 24 /* columns that hold each of what is read as one */
#define WIDTH_MOST  100

/* Lines of that width, with "|" between them. */
static void break_all(struct str *into, const char *text, size_t width)
{
	while (*text) {
		size_t part = breaks_at(text, width);

		assert_true(part > 0);
		str_add_bytes(into, text, part);
		text += part;
		text += *text == ' ';
		str_add(into, *text ? "|" : "");
	}
}

static void what_is_read_as_one_is_on_one_line(void **state)
{
	static const struct {
		const char *text, *ones[4];
	} cases[] = {
		{"at text.py:9 in next_word of the program, still for 9.3 s and more of it",
			{"9.3 s"}},
		{"cut its memory from 61 GiB to 2 GiB, or let it have 214 of them at once",
			{"61 GiB", "2 GiB", "214 of"}},
		{"in AllReduce #12 of world and never in AllGather #13 of it, as all its peers are",
			{"AllReduce #12", "AllGather #13"}},
		{"in Send with rank 3 which waits for pid 4711 (pid 4712) on the other node of it",
			{"rank 3", "pid 4711", "(pid 4712)"}},
		{"no SIGTERM came first, and the oom_kill +0 of its cgroup in 3 samples (150 x)",
			{"oom_kill +0", "3 samples", "(150 x)"}},
		{"on each node inquest attach --all -o NODE.inq --via ssh and then look at it all",
			{"-o NODE.inq", "--via ssh"}},
		{"run it again under `inquest run -- x` from now on, since that sees what it does",
			{"`inquest run -- x`"}},
		{"used 87 % of a CPU in the last 2.9 s, and 12 ms in all of the time before that",
			{"87 %", "2.9 s", "12 ms"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t width = WIDTH_LEAST; width < WIDTH_MOST; width++) {
			struct str lines = {0};

			break_all(&lines, cases[i].text, width);
			for (size_t k = 0; k < 4 && cases[i].ones[k]; k++)
				if (!strstr(str_text(&lines), cases[i].ones[k]))
					fail_msg("\"%s\" is torn at %zu columns: %s",
						cases[i].ones[k], width, str_text(&lines));
			str_release(&lines);
		}
}

/* Names of ranks do not hold on to what they do, nor one option to the next. */
static void what_is_two_may_be_parted(void **state)
{
	static const struct {
		const char *text;
		size_t width;
		const char *lines;
	} cases[] = {
		{"for rank 3 waits", 12, "for rank 3|waits"},
		{"ranks 0-2,4 wait", 12, "ranks 0-2,4|wait"},
		{"exits with status 1 at once", 20, "exits with status 1|at once"},
		{"RSS 61 GiB -> 214 GiB", 15, "RSS 61 GiB ->|214 GiB"},
		{"ls -l --all of it", 8, "ls -l|--all of|it"},
		{"a; bc defg", 8, "a;|bc defg"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"123456 s", 6, "123456|s"},
		{"abc,def,ghi", 9, "abc,def,|ghi"},
		{"`ab cd` ef", 5, "`ab|cd`|ef"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str lines = {0};

		break_all(&lines, cases[i].text, cases[i].width);
		assert_string_equal(str_text(&lines), cases[i].lines);
		str_release(&lines);
	}
}

/* "2..." is no part of "20.6 s". */
static void a_cut_line_ends_in_no_other_number(void **state)
{
	static const struct {
		const char *text;
		size_t width;
		const char *fit;
	} cases[] = {
		{"at train.py:9, still for 20.6 s", 40, "at train.py:9, still for 20.6 s"},
		{"at train.py:9, still for 20.6 s", 30, "at train.py:9, still for ..."},
		{"at train.py:9, still for 20.6 s", 29, "at train.py:9, still for ..."},
		{"at train.py:9, still for 20.6 s", 23, "at train.py:9, still..."},
		{"in AllReduce #123 of world", 18, "in AllReduce ..."},
		{"a 1234567890 s of it all", 12, "a 1234567..."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str fit = {0};

		breaks_fit(&fit, cases[i].text, cases[i].width);
		assert_true(escape_width(str_text(&fit)) <= cases[i].width);
		assert_string_equal(str_text(&fit), cases[i].fit);
		str_release(&fit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_as_one_is_on_one_line),
		cmocka_unit_test(what_is_two_may_be_parted),
		cmocka_unit_test(a_cut_line_ends_in_no_other_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
