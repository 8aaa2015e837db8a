/* SPDX-License-Identifier: Apache-2.0 */
/* What is compared, and what is carried out of the viewer: two ranks alone, and the clipboard. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

static void what_is_selected_is_copied_so_that_it_stands_alone(void **unused)
{
	struct screen_test t = screen_of_skew();
	const char *text;

	(void)unused;
	screen_keys(&t, "j y");
	screen_asks(&t, EFFECT_COPY,
		"rank 0: waiting, AllReduce #1, since 2023-11-14 22:13:33.000 UTC (1:27)  "
		"[ring:op]");
	screen_keys(&t, "Enter j y");
	assert_int_equal(state_effect(t.state, &text), EFFECT_COPY);
	assert_ptr_equal(strstr(text, state_line(t.state)->text), text);
	assert_non_null(strstr(text, state_line(t.state)->right));
	screen_keys(&t, "Y");
	assert_int_equal(state_effect(t.state, &text), EFFECT_COPY);
	assert_ptr_equal(strstr(text, "**rank 3 "), text);
	assert_non_null(strstr(text, " (compile-skew, "));
	assert_non_null(strstr(text, "\n- **ranks 0-2,4-7**: "));
	assert_non_null(strstr(text, "\n- **next**: "));
	screen_free(&t);
}

/* What a program calls its span is no mark of the ticket's, and nothing that a shell would take. */
static void what_is_copied_is_text(void **unused)
{
	struct facts *f = facts_new(2);
	struct screen_test t;
	const char *text;

	(void)unused;
	facts_span(f, 0, JOB_SPAN_USER, "a*b`c\n\033[2J", "", 2, FACTS_OPEN);
	facts_enter_but(f, 0, 0, JOB_OP_ALLREDUCE, 4096, 13);
	t = screen_new(f, 80, 24);
	screen_keys(&t, ": type rank 0");
	screen_keys(&t, "Enter y");
	assert_int_equal(state_effect(t.state, &text), EFFECT_COPY);
	assert_non_null(strstr(text, "a*b`c"));
	assert_null(strchr(text, '\n'));
	assert_null(strchr(text, '\033'));
	screen_keys(&t, "Y");
	assert_int_equal(state_effect(t.state, &text), EFFECT_COPY);
	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "a*b"));
	screen_free(&t);
}

static void two_ranks_stand_beside_each_other(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, ": type rank 5");
	screen_keys(&t, "Enter =");
	screen_says(&t, "rank 5 beside rank 3");
	assert_int_equal(t.state->rows->ranks, 2);
	assert_int_equal(t.state->rank.i, 5);
	screen_keys(&t, "=");
	assert_int_equal(t.state->rows->ranks, 8);
	assert_int_equal(t.state->rank.i, 5);
	screen_keys(&t, "Space : type rank 6");
	screen_keys(&t, "Enter ="); /* beside the one that is pinned */
	screen_says(&t, "rank 6 beside rank 5");
	screen_keys(&t, "& Ctrl-U type rank:0-6");
	screen_keys(&t, "Enter u g =");
	assert_int_equal(t.state->rows->ranks, 2);
	screen_keys(&t, "="); /* the filter that was there comes back */
	assert_int_equal(t.state->rows->ranks, 7);
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_selected_is_copied_so_that_it_stands_alone),
		cmocka_unit_test(what_is_copied_is_text),
		cmocka_unit_test(two_ranks_stand_beside_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
