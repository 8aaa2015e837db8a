/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* Each test has a folder of its own, and works in it. */
static int enter_folder(void **state)
{
	char template[] = "/tmp/inquest-file-XXXXXX";

	if (!mkdtemp(template) || chdir(template) < 0)
		return -1;
	*state = strdup(template);
	return *state ? 0 : -1;
}

static int leave_folder(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	free(*state);
	return chdir("/") < 0 ? -1 : system(command);
}

static int count_files(void)
{
	DIR *folder = opendir(".");
	int nr = 0;

	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));)
		nr += entry->d_name[0] != '.';
	closedir(folder);
	return nr;
}

static void what_was_written_is_read(void **state)
{
	struct str big = {0};
	struct str read = {0};
	struct complaint why = {0};

	for (int i = 0; i < 50000; i++)
		str_printf(&big, "%d,", i);
	assert_int_equal(file_write("x", big.text, big.len, 0600, &why), 0);
	str_add(&read, "before ");
	assert_int_equal(file_read("x", big.len, &read, &why), 0);
	assert_int_equal(read.len, big.len + 7);
	assert_memory_equal(read.text + 7, big.text, big.len);
	assert_null(why.words);
	str_release(&big);
	str_release(&read);
}

static void writing_replaces_as_a_whole_and_leaves_nothing_beside(void **state)
{
	struct str read = {0};
	struct stat st;

	umask(022);
	assert_int_equal(file_write("x", "old and long", 12, 0600, NULL), 0);
	assert_int_equal(file_write("x", "new", 3, 0666, NULL), 0);
	assert_int_equal(file_read("x", 3, &read, NULL), 0);
	assert_string_equal(read.text, "new");
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(count_files(), 1);
	str_release(&read);
}

/* A file such as a writer of "x" leaves when it is killed; locked, and open, where it lives. */
static int leave(const char *boot, int number)
{
	struct str id = {0};
	char name[64];
	int fd;

	assert_int_equal(file_read("/proc/sys/kernel/random/boot_id", 64, &id, NULL), 0);
	snprintf(name, sizeof(name), "x.tmp-%.8s-%ld-%d", boot ? boot : str_text(&id),
		(long)getpid(), number);
	fd = open(name, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	str_release(&id);
	return fd;
}

static void a_leftover_temporary_file_is_no_obstacle(void **state)
{
	close(leave(NULL, 0));
	assert_int_equal(file_write("x", "new", 3, 0600, NULL), 0);
	assert_int_equal(count_files(), 2);
}

static void what_killed_writers_left_is_swept_and_nothing_else(void **state)
{
	int living = leave(NULL, 1);

	close(leave(NULL, 0));
	close(leave("00000000", 2)); /* of another machine, or of this one before it fell */
	assert_int_equal(flock(living, LOCK_EX), 0);
	assert_int_equal(file_write("x", "new", 3, 0600, NULL), 0);
	assert_int_equal(symlink("x", "x.tmp"), 0);
	file_sweep(".", "y");
	assert_int_equal(count_files(), 5);
	file_sweep(".", "x");
	assert_int_equal(count_files(), 4);
	close(living);
	file_sweep(".", "x");
	assert_int_equal(count_files(), 3);
	file_sweep("nowhere", "x");
}

/* Who may make devices may replace them: a bundle for /dev/null would be missed by everybody. */
static void only_a_plain_file_is_replaced(void **state)
{
	struct stat st;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(symlink("x", "link"), 0);
	for (int i = 0; i < 2; i++) {
		struct complaint why = {0};

		assert_int_equal(file_write(i ? "link" : "pipe", "new", 3, 0600, &why), -EEXIST);
		assert_non_null(strstr(complaint_text(&why), "no plain file"));
		complaint_release(&why);
	}
	assert_int_equal(lstat("pipe", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	(void)state;
}

/* What a listing took for a file may be a link by the time it is read. */
static void a_link_of_a_stranger_is_not_followed(void **state)
{
	struct complaint why = {0};
	struct str read = {0};

	assert_int_equal(file_write("x", "new", 3, 0600, NULL), 0);
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(symlink("../x", "d/mine"), 0);
	assert_int_equal(symlink("d/mine", "far"), 0);
	assert_int_equal(file_read("d/mine", 9, &read, NULL), 0);
	assert_int_equal(file_read("far", 9, &read, NULL), 0);
	assert_string_equal(read.text, "newnew");
	assert_int_equal(symlink("self", "self"), 0);
	assert_int_equal(file_read("self", 9, &read, NULL), -ELOOP);
	if (geteuid() == 0) {
		assert_int_equal(lchown("d/mine", 65534, 65534), 0);
		assert_int_equal(file_read("d/mine", 9, &read, &why), -ELOOP);
		assert_int_equal(file_read("far", 9, &read, NULL), -ELOOP);
		assert_int_equal(file_open("far"), -ELOOP);
	}
	assert_string_equal(read.text, "newnew");
	complaint_release(&why);
	str_release(&read);
}

/* Our own links are what they lead to; one that leads nowhere is for who opens it to report. */
static void a_listing_has_files_first_and_folders_behind(void **state)
{
	static const char *const all[] = {"l/b", "l/c", "l/lost", "l/to-b", "l/a", "l/to-a"};
	struct file_names names = {0};

	assert_int_equal(mkdir("l", 0700) | mkdir("l/a", 0700) | mkdir("l/.hidden", 0700), 0);
	assert_int_equal(file_write("l/c", "", 0, 0600, NULL), 0);
	assert_int_equal(file_write("l/b", "", 0, 0600, NULL), 0);
	assert_int_equal(symlink("a", "l/to-a") | symlink("b", "l/to-b"), 0);
	assert_int_equal(symlink("nowhere", "l/lost") | mkfifo("l/pipe", 0600), 0);
	assert_int_equal(file_list("l", &names, NULL), 0);
	assert_int_equal(names.list.nr, sizeof(all) / sizeof(*all));
	assert_int_equal(names.files, 4);
	assert_int_equal(names.refused, 1);
	for (size_t i = 0; i < names.list.nr; i++)
		assert_string_equal(names.list.items[i], all[i]);
	file_names_release(&names);
}

/*
 * In the midst of a path as well: what is read and what is written goes only where the caller, or
 * root, or who may write to a folder of theirs has led it.
 */
static void a_path_does_not_lead_by_links_of_strangers(void **state)
{
	struct file_names names = {0};
	struct str read = {0};

	assert_int_equal(mkdir("far", 0700) | mkdir("far/off", 0700) | mkdir("d", 0755), 0);
	assert_int_equal(symlink("../far", "d/by"), 0);
	assert_int_equal(symlink("d/by/off", "short"), 0);
	assert_int_equal(file_write("d/by/off/x", "new", 3, 0600, NULL), 0);
	assert_int_equal(file_read("short/x", 9, &read, NULL), 0);
	assert_int_equal(file_read("short/../../far/off/./x", 9, &read, NULL), 0);
	assert_int_equal(file_read("/proc/self/cwd/short//x", 9, &read, NULL), 0);
	assert_int_equal(file_read("short/x/x", 9, &read, NULL), -ENOTDIR);
	assert_int_equal(file_read("short/y", 9, &read, NULL), -ENOENT);
	assert_string_equal(read.text, "newnewnew");
	if (geteuid() == 0) {
		/* The link of somebody else, in a folder that only root may write to. */
		assert_int_equal(lchown("d/by", 65534, 65534), 0);
		assert_int_equal(file_read("short/x", 9, &read, NULL), 0);
		assert_int_equal(file_write("d/by/y", "new", 3, 0600, NULL), 0);
		/* In one that others may write to; and in their own. */
		for (int own = 0; own < 2; own++) {
			assert_int_equal(chmod("d", own ? 0755 : 01777), 0);
			assert_int_equal(chown("d", own ? 65534 : 0, 0), 0);
			assert_int_equal(file_read("short/x", 9, &read, NULL), -ELOOP);
			assert_int_equal(file_read("d/by/off/x", 9, &read, NULL), -ELOOP);
			assert_int_equal(file_write("d/by/off/x", "bad", 3, 0600, NULL), -ELOOP);
			assert_int_equal(file_write("d/by/y", "bad", 3, 0600, NULL), -ELOOP);
			assert_int_equal(file_list("d/by/off", &names, NULL), -ELOOP);
		}
		/* Ours in theirs is ours. */
		assert_int_equal(lchown("d/by", 0, 0), 0);
		assert_int_equal(file_write("d/by/off/x", "end", 3, 0600, NULL), 0);
		assert_int_equal(file_read("short/x", 9, &read, NULL), 0);
		assert_string_equal(read.text, "newnewnewnewend");
	}
	file_names_release(&names);
	str_release(&read);
}

static void a_failed_write_leaves_the_old_file_and_no_other(void **state)
{
	struct complaint why = {0};

	assert_int_equal(mkdir("x", 0700), 0);
	assert_int_equal(mkdir("x/full", 0700), 0);
	assert_true(file_write("x", "new", 3, 0600, &why) < 0);
	assert_non_null(strstr(why.words, "cannot write x: "));
	assert_int_equal(count_files(), 1);
	assert_int_equal(file_write("nowhere/x", "new", 3, 0600, &why), -ENOENT);
	complaint_release(&why);
}

static void more_than_the_cap_is_refused_and_nothing_is_added(void **state)
{
	struct complaint why = {0};
	struct str read = {0};

	assert_int_equal(file_write("x", "12345", 5, 0600, NULL), 0);
	str_add(&read, "kept");
	assert_int_equal(file_read("x", 4, &read, &why), -EFBIG);
	assert_string_equal(read.text, "kept");
	assert_string_equal(why.words, "x is larger than 4 bytes");
	assert_int_equal(file_read("x", 5, &read, NULL), 0);
	assert_string_equal(read.text, "kept12345");
	complaint_release(&why);
	str_release(&read);
}

static void what_is_no_file_is_refused_without_waiting(void **state)
{
	struct complaint why = {0};
	struct str read = {0};

	assert_int_equal(file_read("absent", 10, &read, &why), -ENOENT);
	assert_string_equal(why.words, "cannot open absent: No such file or directory");
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(file_read("folder", 10, &read, &why), -EISDIR);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(file_read("fifo", 10, &read, &why), -EINVAL);
	assert_int_equal(read.len, 0);
	complaint_release(&why);
	str_release(&read);
}

static void proc_files_read_whole_though_their_size_is_0(void **state)
{
	struct str read = {0};
	int proc = open("/proc/self", O_PATH | O_DIRECTORY);

	assert_true(proc >= 0);
	assert_int_equal(file_read_at(proc, "status", 1 << 20, &read, NULL), 0);
	assert_non_null(strstr(read.text, "\nPid:"));
	close(proc);
	str_release(&read);
}

#define FOLDER_TEST(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(what_was_written_is_read),
		FOLDER_TEST(writing_replaces_as_a_whole_and_leaves_nothing_beside),
		FOLDER_TEST(a_leftover_temporary_file_is_no_obstacle),
		FOLDER_TEST(only_a_plain_file_is_replaced),
		FOLDER_TEST(a_link_of_a_stranger_is_not_followed),
		FOLDER_TEST(a_listing_has_files_first_and_folders_behind),
		FOLDER_TEST(a_path_does_not_lead_by_links_of_strangers),
		FOLDER_TEST(what_killed_writers_left_is_swept_and_nothing_else),
		FOLDER_TEST(a_failed_write_leaves_the_old_file_and_no_other),
		FOLDER_TEST(more_than_the_cap_is_refused_and_nothing_is_added),
		FOLDER_TEST(what_is_no_file_is_refused_without_waiting),
		FOLDER_TEST(proc_files_read_whole_though_their_size_is_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
