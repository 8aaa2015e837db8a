/* SPDX-License-Identifier: Apache-2.0 */
#include "base/procstat.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

#define REST " 1 2 3 4 5 6 7 8 9 10 110 120 130 140 20 0 3 0 5555 1000 77 " \
	     "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 9\n"

static void a_line_is_taken_apart(void **state)
{
	const char text[] = "4711 (trainer) S" REST;
	struct procstat stat;

	assert_true(procstat_parse(text, strlen(text), &stat));
	assert_int_equal(stat.pid, 4711);
	assert_string_equal(stat.comm, "trainer");
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.ppid, 1);
	assert_false(stat.kernel);
	assert_int_equal(stat.cpu_ticks, 230);
	assert_int_equal(stat.reaped_ticks, 270);
	assert_int_equal(stat.threads, 3);
	assert_int_equal(stat.start_time, 5555);
	assert_int_equal(stat.rss_pages, 77);
	assert_false(stat.exit_code_known);
}

static void a_thread_of_the_kernel_is_known_by_its_flags(void **state)
{
	const char text[] = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 24 0 0\n";
	struct procstat stat;

	assert_true(procstat_parse(text, strlen(text), &stat));
	assert_true(stat.kernel);
}

static void a_name_may_hold_anything(void **state)
{
	const char text[] = "12 (a) S 1 (b) Z" REST;
	struct procstat stat;

	assert_true(procstat_parse(text, strlen(text), &stat));
	assert_string_equal(stat.comm, "a) S 1 (b");
	assert_int_equal(stat.state, 'Z');
	assert_true(stat.exit_code_known);
	assert_int_equal(stat.exit_code, 9);
}

/* Whose main thread has left it to the others is no zombie; whom a signal ends, soon is. */
static void a_main_thread_that_ended_is_no_end(void **state)
{
	const char rest[] = "1 2 3 4 5 6 7 8 9 10 110 120 130 140 20 0 %d 0 5555 1000 77 "
			    "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 %d\n";
	static const struct {
		int threads, exit_code;
		char state;
	} seen[] = {{2, 0, 'S'}, {2, 0x300, 'S'}, {1, 0, 'Z'}, {1, 9, 'Z'}, {2, 9, 'Z'}};

	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		char text[256] = "12 (a) Z ";
		struct procstat stat;

		snprintf(text + strlen(text), sizeof(text) - strlen(text), rest, seen[i].threads,
			seen[i].exit_code);
		assert_true(procstat_parse(text, strlen(text), &stat));
		assert_int_equal(stat.state, seen[i].state);
		assert_int_equal(stat.task_state, 'Z');
		assert_int_equal(stat.exit_code_known, seen[i].state == 'Z');
	}
}

/* The kernel writes it as it is: who bears such a name is there all the same. */
static void a_name_may_hold_a_newline(void **state)
{
	const char text[] = "12 (x)\n S 1 (y) S" REST;
	struct procstat stat;

	assert_true(procstat_parse(text, strlen(text), &stat));
	assert_int_equal(stat.pid, 12);
	assert_string_equal(stat.comm, "x)\n S 1 (y");
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.start_time, 5555);
}

static void what_is_no_line_is_refused_at_every_cut(void **state)
{
	const char text[] = "4711 (trainer) S" REST;
	struct procstat stat;

	for (size_t len = 0; len < strlen("4711 (trainer) S 1 2 3 4 5"); len++) {
		char cut[64];

		memcpy(cut, text, len);
		assert_false(procstat_parse(cut, len, &stat));
	}
	assert_false(procstat_parse("x (y) S 1", 9, &stat));
	assert_false(procstat_parse("0 (y) S" REST, sizeof("0 (y) S" REST) - 1, &stat));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_taken_apart),
		cmocka_unit_test(a_thread_of_the_kernel_is_known_by_its_flags),
		cmocka_unit_test(a_name_may_hold_anything),
		cmocka_unit_test(a_main_thread_that_ended_is_no_end),
		cmocka_unit_test(a_name_may_hold_a_newline),
		cmocka_unit_test(what_is_no_line_is_refused_at_every_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
