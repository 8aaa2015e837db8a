/* SPDX-License-Identifier: Apache-2.0 */
#include "base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char folder[] = "/tmp/inquest-paths-XXXXXX";

static void make_file(const char *name)
{
	int fd = open(name, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

/* A pretended build tree with a program below it. */
static int make_tree(void **state)
{
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	mkdir(".libs", 0700);
	mkdir("tests", 0700);
	make_file("config.status");
	make_file("libinquest-probe.la");
	make_file(".libs/libinquest-probe.so");
	return 0;
}

static int remove_tree(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return chdir("/") < 0 ? -1 : system(command);
}

static void a_program_of_a_build_tree_uses_that_tree(void **state)
{
	char exe[100], expected[100];
	struct str path = {0};

	snprintf(expected, sizeof(expected), "%s/.libs/libinquest-probe.so", folder);
	snprintf(exe, sizeof(exe), "%s/inquest", folder);
	assert_int_equal(paths_find_for(exe, PATHS_PROBE, &path, NULL), 0);
	assert_string_equal(path.text, expected);
	str_cut(&path, 0);
	snprintf(exe, sizeof(exe), "%s/tests/unit/x_test", folder);
	assert_int_equal(paths_find_for(exe, PATHS_PROBE, &path, NULL), 0);
	assert_string_equal(path.text, expected);
	str_release(&path);
}

static void a_missing_piece_is_named_and_not_sought_elsewhere(void **state)
{
	char exe[100];
	struct complaint why = {0};
	struct str path = {0};

	str_add(&path, "kept");
	snprintf(exe, sizeof(exe), "%s/inquest", folder);
	assert_int_equal(paths_find_for(exe, PATHS_STANDIN, &path, &why), -ENOENT);
	assert_string_equal(path.text, "kept");
	assert_non_null(strstr(why.words, folder));
	assert_non_null(strstr(why.words, "fixtures/standin/.libs"));
	complaint_release(&why);
	str_release(&path);
}

static void an_installed_program_uses_the_installed_places(void **state)
{
	struct complaint why = {0};
	struct str path = {0};

	/* They may be there or not; either way it is those that were looked at. */
	if (paths_find_for("/usr/nowhere/inquest", PATHS_PROBE, &path, &why) < 0)
		str_add(&path, why.words);
	assert_non_null(strstr(path.text, "/inquest/libinquest-probe.so"));
	assert_null(strstr(path.text, folder));
	complaint_release(&why);
	str_release(&path);
}

static void this_test_finds_the_probe_of_its_own_build(void **state)
{
	struct str path = {0};

	assert_int_equal(paths_find(PATHS_PROBE, &path, NULL), 0);
	assert_int_equal(path.text[0], '/');
	assert_int_equal(access(path.text, R_OK), 0);
	str_release(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_a_build_tree_uses_that_tree),
		cmocka_unit_test(a_missing_piece_is_named_and_not_sought_elsewhere),
		cmocka_unit_test(an_installed_program_uses_the_installed_places),
		cmocka_unit_test(this_test_finds_the_probe_of_its_own_build),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
