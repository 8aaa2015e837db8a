/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/state/keys.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

/* Each key of a request's list, one after the other; false at its end. */
static bool next_key(const char **keys, char name[16])
{
	size_t size = strcspn(*keys, " ");

	if (!size)
		return false;
	assert_in_range(size, 1, 15);
	memcpy(name, *keys, size);
	name[size] = '\0';
	*keys += size + ((*keys)[size] == ' ');
	return true;
}

static void no_key_asks_for_two_things(void **state)
{
	char seen[400][16], name[16];
	size_t n = 0;

	for (int request = REQUEST_NONE + 1; request < REQUESTS; request++) {
		const char *keys = keys_of((enum request)request);

		assert_true(*keys);
		while (next_key(&keys, name)) {
			for (size_t i = 0; i < n; i++)
				if (!strcmp(seen[i], name))
					fail_msg("%s is there twice", name);
			strcpy(seen[n++], name);
			assert_true(keys_is_name(name));
			assert_int_equal(keys_find(name), request);
		}
	}
	assert_true(n >= REQUESTS - 1);
}

static void every_request_says_what_it_does(void **state)
{
	for (int request = REQUEST_NONE + 1; request < REQUESTS; request++) {
		assert_true(strlen(keys_help((enum request)request)) >= 4);
		assert_in_range(keys_section((enum request)request), 0, SECTIONS - 1);
	}
	for (int section = 0; section < SECTIONS; section++)
		assert_true(*keys_section_name((enum request_section)section));
	assert_string_equal(keys_of(REQUEST_NONE), "");
	assert_string_equal(keys_of((enum request)REQUESTS), "");
	assert_string_equal(keys_help((enum request)-1), "");
}

/* F-keys are missing on laptops and taken by terminals: none is the only way. */
static void every_f_key_has_a_twin(void **state)
{
	char name[16];

	for (int request = REQUEST_NONE + 1; request < REQUESTS; request++) {
		const char *keys = keys_of((enum request)request);
		bool plain = false;

		while (next_key(&keys, name))
			plain |= !(name[0] == 'F' && name[1]);
		assert_true(plain);
	}
}

static void what_is_no_key_asks_for_nothing(void **state)
{
	static const char *const none[] = {"", " ", "j Down", "down", "Jj", "Ctrl-", "j ", "\x1b",
		"F0", "F100", "FF", "resize 3x4", "\xff", "\u202e", "Ctrl-\x1b", "Space bar"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(keys_find(none[i]), REQUEST_NONE);
		assert_false(keys_is_name(none[i]));
	}
	assert_int_equal(keys_find("j"), REQUEST_ROW_DOWN);
	assert_int_equal(keys_find("Down"), REQUEST_ROW_DOWN);
	assert_int_equal(keys_find("\\"), REQUEST_FILTER);
	assert_true(keys_is_name("ö") && keys_is_name("世") && keys_is_name("Ctrl-Left"));
	assert_true(keys_is_name("F12") && keys_is_name("-") && keys_is_name("S-Tab"));
}

static void the_table_is_printed_whole(void **state)
{
	struct str text = {0}, manual = {0};

	keys_print(&text);
	keys_manual(&manual);
	for (int request = REQUEST_NONE + 1; request < REQUESTS; request++) {
		assert_non_null(strstr(str_text(&text), keys_of((enum request)request)));
		assert_non_null(strstr(str_text(&text), keys_help((enum request)request)));
	}
	for (int section = 0; section < SECTIONS; section++) {
		const char *name = keys_section_name((enum request_section)section);

		assert_non_null(strstr(str_text(&text), name));
		assert_non_null(strstr(str_text(&manual), name));
	}
	assert_non_null(strstr(str_text(&manual), "\n.It Ic \\&j Ic \\&Down\n\\&next row\n"));
	assert_non_null(strstr(str_text(&manual), ".It Ic \\&& Ic \\&\\e Ic \\&F4\n"));
	assert_non_null(strstr(str_text(&manual), ".It Ic \\&\\(aq\n"));
	/* Nothing of the table begins a line as a macro would. */
	for (const char *at = str_text(&manual); (at = strchr(at, '\n')); )
		if (*++at == '.')
			assert_true(!strncmp(at, ".It ", 4) || !strncmp(at, ".Ss ", 4) ||
				    !strncmp(at, ".Bl ", 4) || !strncmp(at, ".El", 3));
	str_release(&text);
	str_release(&manual);
}

/* Reads a script and compares the names of its keys. */
static void assert_script(const char *script, const char *const wanted[])
{
	struct key *keys = NULL;
	size_t n = 0, line = 0, i;

	assert_int_equal(keys_parse(script, &keys, &n, &line), 0);
	for (i = 0; wanted[i]; i++) {
		assert_true(i < n);
		assert_string_equal(keys[i].name, wanted[i]);
	}
	assert_int_equal(n, i);
	free(keys);
}

static void scripts_are_keys(void **state)
{
	assert_script("", (const char *[]){NULL});
	assert_script("# nothing\n\n   # here\n", (const char *[]){NULL});
	assert_script("j j\tDown\r\n Ctrl-D # and so on\n!",
		(const char *[]){"j", "j", "Down", "Ctrl-D", "!", NULL});
	assert_script("/ type ab #c\nEnter",
		(const char *[]){"/", "a", "b", "Space", "#", "c", "Enter", NULL});
	assert_script("type  ö世\ntype\n", (const char *[]){"Space", "ö", "世", NULL});
	assert_script("resize 80x24 q resize 1x1",
		(const char *[]){"resize 80x24", "q", "resize 1x1", NULL});
}

static void a_bad_line_is_named(void **state)
{
	static const struct {
		const char *script;
		size_t line;
	} bad[] = {{"Dwon", 1}, {"j\n\nk Ctrl-\n", 3}, {"j\nresize 80", 2}, {"resize", 1},
		{"resize 0x4", 1}, {"resize 4x99999", 1}, {"resize 4x4x4", 1}, {"resize +4x4", 1},
		{"j\n\x1b", 2}, {"type a\x1b[2J", 1}, {"\n\n\n\xff\n", 4},
		{"averyveryverylongname", 1}, {"resize 10000000000000000000x1", 1}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct key *keys = NULL;
		size_t n, line = 0;

		assert_true(keys_parse(bad[i].script, &keys, &n, &line) < 0);
		assert_int_equal(line, bad[i].line);
		assert_null(keys);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_asks_for_two_things),
		cmocka_unit_test(every_request_says_what_it_does),
		cmocka_unit_test(every_f_key_has_a_twin),
		cmocka_unit_test(what_is_no_key_asks_for_nothing),
		cmocka_unit_test(the_table_is_printed_whole),
		cmocka_unit_test(scripts_are_keys),
		cmocka_unit_test(a_bad_line_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
