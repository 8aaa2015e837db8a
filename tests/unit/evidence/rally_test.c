/* SPDX-License-Identifier: Apache-2.0 */
/* Where agents of several hosts meet: what is not theirs is not taken for theirs. */
#include "evidence/agent/rally.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/unit/unit.h"

#define DAY 86400

static char out[64], folder[96];

static int make(void **state)
{
	(void)state;
	snprintf(out, sizeof(out), "/tmp/rally-test.XXXXXX");
	assert_non_null(mkdtemp(out));
	snprintf(folder, sizeof(folder), "%s/.rally-0123456789abcdef", out);
	return 0;
}

static int unmake(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", out);
	return system(command);
}

static const char *at(const char *base, const char *name)
{
	static char path[4][256];
	static unsigned next;

	snprintf(path[++next % 4], sizeof(path[0]), "%s/%s", base, name);
	return path[next % 4];
}

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

static void write_card(const char *name, const char *bundle)
{
	struct rally_card card = {.name = alloc_text(name),
		.host = alloc_text("m1"),
		.pid = 7,
		.beat = 5,
		.bundle = alloc_text(bundle),
		.keys = alloc_text(""),
		.verdict = alloc_text("")};

	assert_int_equal(rally_write(folder, &card, NULL), 0);
	rally_card_release(&card);
}

/* How many cards are read; the last one is left in *ret. */
static int read_all(struct rally_card *ret)
{
	struct str lines = {0};
	int nr = 0;

	assert_int_equal(rally_read(folder, RALLY_CARDS_MOST, &lines, NULL), 0);
	for (char *line = lines.text, *end; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		if (nr++)
			rally_card_release(ret);
		assert_true(rally_card_parse(line, (size_t)(end + 1 - line), ret));
	}
	str_release(&lines);
	return nr;
}

static void a_card_is_that_of_its_file(void **state)
{
	struct rally_card card;

	(void)state;
	write_card("card.m1-00000001", "1.m1.inq");
	assert_int_equal(read_all(&card), 1);
	assert_string_equal(card.bundle, "1.m1.inq");
	rally_card_release(&card);
	/* Renamed, in two lines, a pipe, a link, half written. */
	assert_int_equal(rename(at(folder, "card.m1-00000001"), at(folder, "card.a")), 0);
	put(at(folder, "card.b"), "{\"schema\":\"inquest-rally/1\",\"card\":\"card.b\",\n}\n",
		0600);
	assert_int_equal(mkfifo(at(folder, "card.c"), 0600), 0);
	assert_int_equal(symlink(at(folder, "card.a"), at(folder, "card.d")), 0);
	put(at(folder, "card.e"), "{\"schema\":\"inquest-rally/1\",\"card\":\"card.e\"", 0600);
	assert_int_equal(read_all(&card), 0);
	unlink(at(folder, "card.c"));
	rally_remove(folder);
	assert_int_equal(access(folder, F_OK), -1);
}

/* It is printed as a command to be copied, and opened. */
static void a_bundle_is_one_plain_word(void **state)
{
	static const char *const bad[] = {"../x.inq", "/etc/passwd", ".x.inq", "a b.inq",
		"a;reboot.inq", "$(id).inq", "\033[2Ja.inq", "-rf", "a\nb.inq"};
	struct rally_card card;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_card("card.m1-00000001", bad[i]);
		assert_int_equal(read_all(&card), 1);
		assert_string_equal(card.bundle, "");
		rally_card_release(&card);
	}
}

static void a_bundle_is_ours_alone(void **state)
{
	int fd;

	(void)state;
	put(at(out, "a.inq"), "x", 0600);
	fd = rally_open_bundle(out, "a.inq");
	assert_true(fd >= 0);
	close(fd);
	put(at(out, "b.inq"), "x", 0622);
	assert_true(rally_open_bundle(out, "b.inq") < 0);
	assert_int_equal(mkfifo(at(out, "c.inq"), 0600), 0);
	assert_true(rally_open_bundle(out, "c.inq") < 0);
	assert_true(rally_open_bundle(out, "") < 0);
	if (geteuid())
		return;
	put(at(out, "d.inq"), "x", 0600);
	assert_int_equal(chown(at(out, "d.inq"), 1234, 1234), 0);
	assert_true(rally_open_bundle(out, "d.inq") < 0);
	write_card("card.m1-00000001", "");
	assert_int_equal(chown(folder, 1234, 1234), 0);
	assert_true(rally_read(folder, 1, &(struct str){0}, NULL) < 0);
	rally_sweep(out, time(NULL) + 2 * DAY);
	assert_int_equal(access(folder, F_OK), 0);
}

/* Only what is a folder of ours in which nobody has written for a day, by the storage's clock. */
static void old_folders_are_swept(void **state)
{
	struct stat about;

	(void)state;
	write_card("card.m1-00000001", "");
	put(at(folder, "card.m2-00000001.tmp-1-2-3"), "half", 0600);
	assert_int_equal(mkdir(at(out, ".rally-beef"), 0700), 0);
	put(at(out, ".rally-beef/precious"), "x", 0600);
	assert_int_equal(symlink(at(out, ".rally-beef"), at(out, ".rally-link")), 0);
	assert_int_equal(stat(folder, &about), 0);
	rally_sweep(out, about.st_mtime + DAY - 10);
	assert_int_equal(access(at(folder, "card.m1-00000001"), F_OK), 0);
	rally_sweep(out, about.st_mtime + DAY + 10);
	assert_int_equal(access(folder, F_OK), -1);
	assert_int_equal(access(at(out, ".rally-beef/precious"), F_OK), 0);
	assert_int_equal(lstat(at(out, ".rally-link"), &about), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_card_is_that_of_its_file, make, unmake),
		cmocka_unit_test_setup_teardown(a_bundle_is_one_plain_word, make, unmake),
		cmocka_unit_test_setup_teardown(a_bundle_is_ours_alone, make, unmake),
		cmocka_unit_test_setup_teardown(old_folders_are_swept, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
