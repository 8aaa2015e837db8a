/* SPDX-License-Identifier: Apache-2.0 */
#include "base/complaint.h"

#include <errno.h>

#include "tests/unit/unit.h"

static void words_gather_context_on_the_way_up(void **state)
{
	struct complaint why = {0};

	assert_int_equal(complaint_errno(&why, EACCES, "cannot open %s", "x.inq"), -EACCES);
	assert_int_equal(complaint_context(&why, "host %s", "a"), -1);
	assert_string_equal(complaint_text(&why), "host a: cannot open x.inq: Permission denied");
	complaint_release(&why);
}

static void the_last_complaint_replaces_the_one_before(void **state)
{
	struct complaint why = {0};

	assert_int_equal(complaint_set(&why, "first"), -1);
	assert_int_equal(complaint_set(&why, "second of %d", 2), -1);
	assert_string_equal(why.words, "second of 2");
	complaint_release(&why);
	assert_null(why.words);
}

static void words_may_quote_the_words_before(void **state)
{
	struct complaint why = {0};

	complaint_set(&why, "inner");
	complaint_set(&why, "outer (%s)", why.words);
	complaint_context(&why, "%s", why.words);
	assert_string_equal(why.words, "outer (inner): outer (inner)");
	complaint_release(&why);
}

static void context_without_words_says_nothing(void **state)
{
	struct complaint why = {0};

	assert_int_equal(complaint_context(&why, "host a"), -1);
	assert_null(why.words);
	assert_string_equal(complaint_text(&why), "no reason given");
}

static void nobody_need_care(void **state)
{
	assert_int_equal(complaint_set(NULL, "x"), -1);
	assert_int_equal(complaint_errno(NULL, ENOENT, "x"), -ENOENT);
	assert_int_equal(complaint_errno(NULL, 0, "x"), -1);
	assert_int_equal(complaint_context(NULL, "x"), -1);
	assert_string_equal(complaint_text(NULL), "no reason given");
	complaint_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_gather_context_on_the_way_up),
		cmocka_unit_test(the_last_complaint_replaces_the_one_before),
		cmocka_unit_test(words_may_quote_the_words_before),
		cmocka_unit_test(context_without_words_says_nothing),
		cmocka_unit_test(nobody_need_care),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
