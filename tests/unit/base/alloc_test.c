/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static void fresh_memory_is_zeroed_even_when_none_is_asked_for(void **state)
{
	unsigned char *bytes = alloc_zeroed(7, 3);

	for (int i = 0; i < 21; i++)
		assert_int_equal(bytes[i], 0);
	free(bytes);
	bytes = alloc_zeroed(0, 8);
	assert_non_null(bytes);
	free(bytes);
}

static void resizing_keeps_what_was_there(void **state)
{
	char *text = alloc_text("dead reckoning");

	text = alloc_resize(text, 4096, 1);
	assert_string_equal(text, "dead reckoning");
	free(text);
}

static void a_copy_gets_a_nul_behind_its_bytes(void **state)
{
	char *copy = alloc_copy("abcdef", 3);

	assert_string_equal(copy, "abc");
	free(copy);
	copy = alloc_copy(NULL, 0);
	assert_string_equal(copy, "");
	free(copy);
}

/* Runs in a child, which must end by abort() and not by a wrapped multiplication. */
static void too_much_ends_the_program(void **state)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		(void)!freopen("/dev/null", "w", stderr);
		alloc_resize(NULL, (size_t)-1 / 4, 8);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_memory_is_zeroed_even_when_none_is_asked_for),
		cmocka_unit_test(resizing_keeps_what_was_there),
		cmocka_unit_test(a_copy_gets_a_nul_behind_its_bytes),
		cmocka_unit_test(too_much_ends_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
