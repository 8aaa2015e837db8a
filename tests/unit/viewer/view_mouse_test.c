/* SPDX-License-Identifier: Apache-2.0 */
/* What clicks, the wheel and a line drawn with the button down do. */
#include "tests/unit/unit.h"
#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

/* The column of the cursor. */
static int column_of(const struct screen_test *t)
{
	struct axis axis = state_axis(t->state);

	return axis_column(&axis, t->state->when);
}

static void the_mouse_points(void **unused)
{
	struct screen_test t = screen_of_skew();
	const struct layout *layout = &t.state->layout;

	(void)unused;
	state_mouse(t.state, t.state->label_w + 10, layout->rows.y + 4, 0, false);
	assert_int_equal(t.state->rank.i, 4); /* below 3, 0, 1, 2 */
	assert_int_equal(column_of(&t), 10);
	state_mouse(t.state, 30, layout->rows.y, 2, false);
	assert_int_equal(t.state->row, 6);
	state_mouse(t.state, 16, layout->tabs.y, 0, false);
	assert_int_equal(t.state->pane, PANE_STACKS);
	state_mouse(t.state, 4, layout->tabs.y, 0, false);
	assert_int_equal(t.state->pane, PANE_VERDICT);
	state_mouse(t.state, 30, layout->pane.y + 2, 0, false);
	assert_int_equal(t.state->line[PANE_VERDICT], 2);
	state_mouse(t.state, 30, layout->rows.y, -1, true);
	assert_true(window_span(t.state->window) < window_span(t.state->bounds));
	screen_free(&t);
}

/* From where the button goes down to where it is let go, as v does; the next press ends it. */
static void the_mouse_marks_a_range(void **unused)
{
	struct screen_test t = screen_of_skew();
	const struct layout *layout = &t.state->layout;
	int x = t.state->label_w, y = layout->rows.y + 4;
	int64_t from;

	(void)unused;
	state_mouse(t.state, x + 10, y, 0, false);
	from = t.state->when;
	state_mouse_up(t.state, x + 10);
	assert_false(t.state->measuring);
	state_mouse(t.state, x + 10, y, 0, false);
	state_mouse_up(t.state, x + 30);
	assert_true(t.state->measuring);
	assert_int_equal(t.state->anchor, from);
	assert_int_equal(column_of(&t), 30);
	screen_find(&t, "rank 4: ");
	/* Beyond the cells is their end. */
	state_mouse(t.state, x + 10, y, 0, false);
	assert_false(t.state->measuring);
	state_mouse_up(t.state, 500);
	assert_int_equal(column_of(&t), t.state->cells_w - 1);
	state_mouse(t.state, x + 12, y, 0, false);
	state_mouse_up(t.state, x + 12);
	assert_false(t.state->measuring);
	/* Let go without having been pressed on cells. */
	state_mouse(t.state, 16, layout->tabs.y, 0, false);
	state_mouse_up(t.state, x + 12);
	assert_false(t.state->measuring);
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mouse_points),
		cmocka_unit_test(the_mouse_marks_a_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
