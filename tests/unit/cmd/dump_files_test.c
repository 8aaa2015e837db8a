/* SPDX-License-Identifier: Apache-2.0 */
/* Many dumps read at once: each is there, in the order of the names, and what is none is said. */
#include "cmd/dump-files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/meter.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#define DUMPS 60

static void write_dump(const char *folder, int rank)
{
	struct str path = {0};
	FILE *file;

	str_printf(&path, "%s/trace_rank_%d", folder, rank);
	file = fopen(str_text(&path), "w");
	assert_non_null(file);
	fprintf(file, "{\"pg_config\": {\"%d\": {}}}", rank);
	assert_int_equal(fclose(file), 0);
	str_release(&path);
}

static void remove_dumps(const char *folder)
{
	for (int i = 0; i < DUMPS; i++) {
		struct str path = {0};

		str_printf(&path, "%s/trace_rank_%d", folder, i);
		unlink(str_text(&path));
		str_release(&path);
	}
	assert_int_equal(rmdir(folder), 0);
}

static void each_is_there_in_order(void **state)
{
	char folder[] = "/tmp/dump-files-XXXXXX";
	struct evidence evidence = {0};
	bool seen[DUMPS] = {false};

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < DUMPS; i++)
		write_dump(folder, i);
	assert_int_equal(dump_files_read(folder, &evidence, NULL, NULL), 0);
	assert_int_equal(evidence.n, DUMPS);
	assert_int_equal(evidence.ngaps, 0);
	for (size_t i = 0; i < evidence.n; i++) {
		const struct exhibit *exhibit = &evidence.at[i];
		struct str text = {0};

		str_printf(&text, "{\"pg_config\": {\"%d\": {}}}", exhibit->rank);
		assert_string_equal((const char *)exhibit->bytes, text.text);
		assert_false(seen[exhibit->rank]);
		seen[exhibit->rank] = true;
		if (i)
			assert_true(strcmp(exhibit[-1].label, exhibit->label) < 0);
		str_release(&text);
	}
	evidence_release(&evidence);
	remove_dumps(folder);
}

/* Of so little memory nothing is read, and each is said. */
static void what_there_is_no_memory_for_is_said(void **state)
{
	char folder[] = "/tmp/dump-files-XXXXXX";
	struct meter meter = {.most = 2};
	struct evidence evidence = {.meter = &meter};
	struct complaint why = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < DUMPS; i++)
		write_dump(folder, i);
	assert_true(dump_files_read(folder, &evidence, NULL, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), folder));
	assert_int_equal(evidence.n, 0);
	assert_int_equal(evidence.ngaps, DUMPS);
	assert_ptr_equal(evidence.meter, &meter);
	assert_non_null(strstr(evidence.gaps[0].what, "trace_rank_0: " METER_REFUSED));
	complaint_release(&why);
	evidence_release(&evidence);
	remove_dumps(folder);
}

static void none_is_said(void **state)
{
	char folder[] = "/tmp/dump-files-XXXXXX";
	struct evidence evidence = {0};
	struct complaint why = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_true(dump_files_read(folder, &evidence, NULL, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), "no dump of a flight recorder"));
	complaint_release(&why);
	evidence_release(&evidence);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_there_in_order),
		cmocka_unit_test(what_there_is_no_memory_for_is_said),
		cmocka_unit_test(none_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
