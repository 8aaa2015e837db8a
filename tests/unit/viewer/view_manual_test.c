/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inquest-view(1) tells the keys that there are: its section is the table's. With --print it
 * prints what must stand there, between the two marks.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "viewer/state/keys.h"

#define BEGIN ".\\\" keys: made by tests/unit/viewer/view_manual_test --print\n"
#define END   ".\\\" end of keys\n"

static void read_page(struct str *into)
{
	const char *folder = getenv("srcdir");
	struct str path = {0};

	str_printf(&path, "%s/man/inquest-view.1", folder ? folder : ".");
	assert_int_equal(file_read(path.text, 1 << 20, into, NULL), 0);
	str_release(&path);
}

static void the_page_has_the_table(void **unused)
{
	struct str page = {0}, wanted = {0};
	char *from, *to;

	read_page(&page);
	keys_manual(&wanted);
	from = strstr(page.text, BEGIN);
	assert_non_null(from);
	from += strlen(BEGIN);
	to = strstr(from, END);
	assert_non_null(to);
	*to = '\0';
	assert_string_equal(from, str_text(&wanted));
	str_release(&page);
	str_release(&wanted);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_has_the_table)};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		struct str text = {0};

		keys_manual(&text);
		fputs(str_text(&text), stdout);
		str_release(&text);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
