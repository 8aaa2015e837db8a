/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/log-sieve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* A file that is gone when it is closed. */
static FILE *new_file(void)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	return file;
}

static struct log_sieve sieve(FILE *file, struct str *lines)
{
	struct log_sieve found;
	long size;

	fflush(file);
	size = ftell(file);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_int_equal(log_sieve(fileno(file), size, LOG_SIEVE_JOB, lines, &found), 0);
	fclose(file);
	return found;
}

static void fill(FILE *file, size_t bytes)
{
	static const char line[] = "step 811 loss 2.31 lr 3e-4 tokens/s 48211 and nothing else\n";

	for (size_t nr = 0; nr < bytes; nr += sizeof(line) - 1)
		fputs(line, file);
}

static void a_small_log_is_kept_whole_with_its_numbers(void **state)
{
	struct str lines = {0};
	FILE *file = new_file();
	struct log_sieve found;

	(void)state;
	fputs("one\n\ntwo\nno end", file);
	found = sieve(file, &lines);
	assert_string_equal(str_text(&lines), "1\tone\n2\t\n3\ttwo\n4\tno end");
	assert_int_equal(found.lines, 4);
	assert_false(found.known);
	str_release(&lines);
}

static void the_middle_of_a_large_log_keeps_what_tells_of_errors(void **state)
{
	struct str lines = {0};
	FILE *file = new_file();
	struct log_sieve found;

	(void)state;
	fill(file, 8 << 20);
	fputs("[rank5]: Traceback (most recent call last):\n[rank5]: ValueError: x\n", file);
	fill(file, 8 << 20);
	fputs("the end\n", file);
	found = sieve(file, &lines);
	assert_true(found.known);
	assert_int_equal(found.lost, 0);
	assert_non_null(strstr(lines.text, "\t[rank5]: ValueError: x\n"));
	assert_non_null(strstr(lines.text, "\tthe end\n"));
	assert_true(lines.len < LOG_SIEVE_HEAD + LOG_SIEVE_TAIL * 3 / 2);
	str_release(&lines);
}

/* The number in front of the last line is that of the line in the file. */
static void lines_that_are_passed_over_are_counted(void **state)
{
	struct str lines = {0};
	FILE *file = new_file();
	struct log_sieve found;
	char last[64];

	(void)state;
	fill(file, 12 << 20);
	fputs("the end\n", file);
	found = sieve(file, &lines);
	snprintf(last, sizeof(last), "\n%lld\tthe end\n", (long long)found.lines);
	assert_non_null(strstr(lines.text, last));
	str_release(&lines);
}

static void one_line_without_end_takes_no_memory(void **state)
{
	struct str lines = {0};
	FILE *file = new_file();
	struct log_sieve found;

	(void)state;
	fputs("begin\n", file);
	for (int i = 0; i < 32 << 10; i++)
		fputs("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", file);
	fputs("\n[rank1]: ValueError: after it\n", file);
	found = sieve(file, &lines);
	assert_int_equal(found.lines, 3);
	assert_non_null(strstr(lines.text, "\n3\t[rank1]: ValueError: after it\n"));
	assert_true(lines.len < LOG_SIEVE_LINE + 100);
	str_release(&lines);
}

/* More errors than there is room for: the first stay, the others are counted. */
static void a_flood_of_errors_is_bounded_and_counted(void **state)
{
	struct str lines = {0};
	FILE *file = new_file();
	struct log_sieve found;

	(void)state;
	for (int i = 0; i < 200000; i++)
		fprintf(file, "[rank%d]: CUDA error: the same again, and again, and so on, #%d, "
			      "padded to a hundred bytes or so\n", i % 8, i);
	found = sieve(file, &lines);
	assert_true(found.lost > 0);
	assert_true(lines.len < LOG_SIEVE_HEAD + LOG_SIEVE_MIDDLE * 2 + LOG_SIEVE_TAIL * 2);
	assert_non_null(strstr(lines.text, "#199999,"));
	str_release(&lines);
}

/* Somebody writes on: what is behind the end that was seen may never end. */
static void what_is_written_behind_the_end_is_not_read(void **state)
{
	struct str lines = {0};
	FILE *file = new_file();
	struct log_sieve found;

	(void)state;
	fputs("one\ntwo\nthree\nfour\n", file);
	fflush(file);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_int_equal(log_sieve(fileno(file), 8, LOG_SIEVE_JOB, &lines, &found), 0);
	assert_string_equal(str_text(&lines), "1\tone\n2\ttwo\n");
	assert_int_equal(found.lines, 2);
	fclose(file);
	str_release(&lines);
}

static void bytes_that_end_texts_become_blanks(void **state)
{
	struct str lines = {0};
	FILE *file = new_file();

	(void)state;
	fwrite("a\0b\n", 1, 4, file);
	sieve(file, &lines);
	assert_string_equal(str_text(&lines), "1\ta b\n");
	str_release(&lines);
}

/* A bar of progress draws itself without an end of line, and what follows is on its line. */
static void what_follows_a_bar_of_progress_is_kept(void **state)
{
	static const size_t draws[] = {1, 400, 300000};

	(void)state;
	for (size_t i = 0; i < sizeof(draws) / sizeof(draws[0]); i++) {
		struct str lines = {0};
		FILE *file = new_file();
		struct log_sieve found;

		fputs("step\n", file);
		for (size_t n = 0; n < draws[i]; n++)
			fputs("\r 20%|## | 2/10 [00:02]", file);
		fputs("\r 30%|### | 3/10 [00:03]", file);
		fputs("[rank3]: Traceback (most recent call last):\r\n", file);
		fputs("[rank3]: ValueError: no rows\n", file);
		found = sieve(file, &lines);
		assert_true(found.known);
		assert_int_equal(found.lines, 3);
		assert_non_null(strstr(str_text(&lines), "[00:03][rank3]: Traceback"));
		assert_non_null(strstr(str_text(&lines), "\n3\t[rank3]: ValueError"));
		str_release(&lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_log_is_kept_whole_with_its_numbers),
		cmocka_unit_test(the_middle_of_a_large_log_keeps_what_tells_of_errors),
		cmocka_unit_test(lines_that_are_passed_over_are_counted),
		cmocka_unit_test(one_line_without_end_takes_no_memory),
		cmocka_unit_test(a_flood_of_errors_is_bounded_and_counted),
		cmocka_unit_test(what_is_written_behind_the_end_is_not_read),
		cmocka_unit_test(bytes_that_end_texts_become_blanks),
		cmocka_unit_test(what_follows_a_bar_of_progress_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
