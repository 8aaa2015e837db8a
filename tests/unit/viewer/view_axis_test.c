/* SPDX-License-Identifier: Apache-2.0 */
/* A broken axis: what is before the fork and the hang behind it share the width. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

/* -- Columns and times ------------------------------------------------------------------------ */

static void each_column_is_the_time_behind_the_one_before(void **unused)
{
	struct window window = {1000, 101000};
	struct axis_break fork = axis_break_for(window, 3000);
	struct axis axis = axis_of(window, fork, 51);

	(void)unused;
	assert_int_equal(axis.split, 20); /* two fifths, and one that shows no time */
	for (int column = 0; column < 51; column++) {
		int64_t from = axis_at(&axis, column), to = axis_at(&axis, column + 1);

		if (column == axis.split) {
			assert_true(from == 3000 && to == 3000);
			continue;
		}
		assert_true(from < to);
		assert_int_equal(axis_column(&axis, from), column);
		assert_int_equal(axis_column(&axis, to - 1), column);
		assert_true(axis_step(&axis, column) == (column < 20 ? 100 : 3266));
	}
	assert_int_equal(axis_at(&axis, 51), 101000);
	assert_int_equal(axis_column(&axis, 999), -1);
	assert_int_equal(axis_column(&axis, 101000), 51);
}

static void one_scale_is_enough_where_both_sides_are_seen(void **unused)
{
	struct window window = {0, 1000};

	(void)unused;
	assert_true(axis_break_for(window, 400).scale == 1);
	assert_true(axis_break_for(window, 600).scale == 1);
	assert_true(axis_break_for(window, 100).scale < 1);
	assert_true(axis_break_for(window, 900).scale > 1);
	assert_true(axis_break_for(window, 0).scale == 1);
	assert_true(axis_break_for(window, 1000).scale == 1);
	assert_int_equal(axis_of(window, axis_break_for(window, 100), 8).split, -1);
	assert_int_equal(axis_of((struct window){200, 1000}, axis_break_for(window, 100), 40).split,
		-1);
}

/* A column keeps its place on the screen while both sides of the break come nearer. */
static void zooming_goes_by_columns(void **unused)
{
	struct window all = {0, 100000};
	struct axis_break fork = axis_break_for(all, 2000);
	struct window near = axis_zoom(fork, all, all, 2000, 1, 2, 10);
	struct axis was = axis_of(all, fork, 81), is = axis_of(near, fork, 81);

	(void)unused;
	assert_int_equal(is.split, was.split);
	assert_in_range(axis_step(&is, 0), axis_step(&was, 0) / 2 - 1, axis_step(&was, 0) / 2 + 1);
	assert_in_range(axis_step(&is, 80), axis_step(&was, 80) / 2 - 1,
		axis_step(&was, 80) / 2 + 1);
	near = axis_zoom(fork, near, all, 2000, 4, 1, 10);
	assert_memory_equal(&near, &all, sizeof(all));
	near = axis_pan(fork, axis_zoom(fork, all, all, 0, 1, 4, 10), all, 1, 4);
	assert_true(near.from > 0 && near.to < 100000);
}

/* Nothing of it depends on how large times are. */
static void any_times_are_right(void **unused)
{
	struct window all = {INT64_MIN + 1, INT64_MAX};
	struct window near = {INT64_MAX - 5, INT64_MAX};

	(void)unused;
	for (int at = -60; at <= 60; at++) {
		int64_t fork_at = at < 0 ? INT64_MIN + 2 + (1LL << -at) : INT64_MAX - (1LL << at);
		struct axis_break fork = axis_break_for(all, fork_at);
		struct axis axis = axis_of(all, fork, 100);
		struct window now;

		for (int column = 0; column < 100; column++)
			assert_true(axis_at(&axis, column) <= axis_at(&axis, column + 1));
		now = axis_zoom(fork, all, all, fork_at, 1, 2, 1000);
		assert_true(now.from < now.to);
		now = axis_show(fork, near, all, INT64_MIN + 1);
		assert_true(now.from < now.to);
		now = axis_centre(fork, now, all, fork_at);
		assert_true(now.from < now.to);
	}
}

/* -- On the screen ---------------------------------------------------------------------------- */

static void the_change_of_scale_is_drawn_and_named(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 110, 30);
	int ruler = t.state->layout.ruler.y, split = state_axis(t.state).split;
	int x = t.state->label_w + split;

	(void)unused;
	screen_find(&t, "/0:13.0 FORK");
	for (int y = ruler; y < ruler + 2; y++)
		assert_int_equal(screen_line(&t, y)[x], '/');
	for (size_t row = 0; row < t.state->rows->n; row++)
		assert_int_equal(screen_line(&t, t.state->layout.rows.y + (int)row)[x], '/');
	assert_int_equal(screen_line(&t, t.state->layout.strip.y)[x], '/');
	screen_find(&t, " s/column");
	screen_find(&t, " UTC 2023-11-14");
	screen_free(&t);
}

static void nothing_is_broken_where_nothing_hangs(void **unused)
{
	struct facts *f = facts_new(2);
	struct screen_test t;

	(void)unused;
	facts_rounds(f, 0, 20, 1, 5);
	t = screen_new(f, 80, 24);
	screen_lacks(&t, "/column");
	screen_lacks(&t, "FORK");
	assert_int_equal(state_axis(t.state).split, -1);
	screen_keys(&t, "z");
	screen_says(&t, "nothing hangs");
	screen_free(&t);
}

/* To the fork, on one scale; and back to where one was. */
static void z_zooms_to_the_fork_and_back(void **unused)
{
	struct screen_test t = screen_of_skew();
	struct window before;

	(void)unused;
	screen_keys(&t, "w d");
	before = t.state->window;
	screen_keys(&t, "z");
	assert_int_equal(state_axis(t.state).split, -1);
	assert_int_equal(t.state->when, t.state->forked);
	assert_true(t.state->window.from < t.state->forked);
	assert_true(t.state->window.to > t.state->forked);
	screen_find(&t, "FORK");
	screen_keys(&t, "z");
	assert_memory_equal(&t.state->window, &before, sizeof(before));
	screen_free(&t);
}

static void asked_again_all_is_on_one_scale(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	assert_true(state_axis(t.state).split > 0);
	screen_keys(&t, "0");
	assert_int_equal(state_axis(t.state).split, -1);
	screen_says(&t, "one scale");
	screen_keys(&t, "0");
	assert_true(state_axis(t.state).split > 0);
	screen_keys(&t, "w w 0");
	assert_true(state_axis(t.state).split > 0);
	assert_int_equal(window_span(t.state->window), window_span(t.state->bounds));
	screen_free(&t);
}

/* Of thousands of ops before a hang one sees those that were last, each for itself. */
static void the_last_of_a_long_history_is_seen(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;

	(void)unused;
	facts_rounds(f, 0, 47, -4, 1);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 44);
	facts_span(f, 2, JOB_SPAN_COMPILE, "inductor codegen", "1/0", 43, FACTS_OPEN);
	t = screen_new(f, 50, 24);
	assert_true(t.state->window.from > t.state->bounds.from);
	assert_true(state_axis(t.state).split > 0);
	screen_keys(&t, "0");
	assert_int_equal(t.state->window.from, t.state->bounds.from);
	screen_free(&t);
}

/* No label stands in another, and none says what the one before it says. */
static void no_label_is_covered_or_doubled(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	for (int w = 60; w < 200; w += 7)
		for (int zoom = 0; zoom < 12; zoom++) {
			char words[16][32];
			size_t n = 0;
			const char *line;

			state_resize(t.state, w, 24);
			screen_keys(&t, zoom ? "w" : "0 0");
			line = screen_line(&t, t.state->layout.ruler.y);
			for (int at = 0, used; n < 16 && sscanf(line + at, "%31s%n", words[n],
							 &used) == 1; at += used)
				n++;
			for (size_t i = 1; i < n; i++)
				if (!strcmp(words[i], words[i - 1]))
					fail_msg("%d: %s", w, line);
			for (size_t i = 0; i < n; i++)
				if (strchr(words[i], ':') != strrchr(words[i], ':'))
					fail_msg("%d: %s", w, line);
		}
	screen_free(&t);
}

/* -- What stands where there is room ----------------------------------------------------------- */

static struct screen_test with_logs(int w, int h)
{
	struct facts *f = screen_skew();

	for (int rank = 0; rank < 8; rank++)
		facts_log(f, rank, rank == 3 ? "compiling" : "waiting for the others");
	return screen_new(f, w, h);
}

/* Below the verdict, where it leaves room, stands what ranks said last; at 80x24 nothing does. */
static void last_words_stand_below_the_verdict(void **unused)
{
	struct screen_test t = with_logs(80, 24);

	(void)unused;
	screen_lacks(&t, "last words");
	state_resize(t.state, 120, 40);
	assert_true(screen_find(&t, "last words") > screen_find(&t, " next  "));
	assert_true(screen_find(&t, "waiting for the others") > screen_find(&t, "last words"));
	screen_find(&t, "compiling\"");
	/* They go where the pane has the whole screen, and when it is closed. */
	screen_keys(&t, "O");
	screen_lacks(&t, "last words");
	screen_keys(&t, "O q");
	screen_lacks(&t, "last words");
	screen_free(&t);
}

/* Nothing is hidden behind a tab while there is room for it. */
static void a_wide_screen_is_used(void **unused)
{
	struct screen_test t = with_logs(200, 60);
	unsigned seen = 0;

	(void)unused;
	screen_text(&t);
	for (size_t i = 0; i < t.state->nasides; i++)
		seen |= 1u << t.state->asides[i].lines.pane;
	assert_int_equal(seen, 1u << PANE_LASTWORDS | 1u << PANE_STACKS | 1u << PANE_EVENTS |
				       1u << PANE_GROUPS | 1u << PANE_RECEIPT);
	/* A click on one of them chooses it. */
	for (size_t i = 0; i < t.state->nasides; i++)
		if (t.state->asides[i].lines.pane == PANE_EVENTS)
			state_mouse(t.state, t.state->asides[i].area.x + 2,
				t.state->asides[i].area.y, 0, false);
	assert_int_equal(t.state->pane, PANE_EVENTS);
	screen_free(&t);
}

/* -- Habits ------------------------------------------------------------------------------------ */

static void fingers_know_other_programs(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "^");
	assert_int_equal(t.state->when, t.state->bounds.from);
	screen_keys(&t, "$");
	assert_int_equal(t.state->when, t.state->bounds.to);
	screen_keys(&t, "Ctrl-F");
	assert_true(t.state->row > 0);
	screen_keys(&t, "Ctrl-B");
	assert_int_equal(t.state->row, 0);
	screen_keys(&t, "F3 7 Enter");
	assert_int_equal(t.state->rank.i, 7);
	screen_keys(&t, ": type w one.txt");
	screen_keys(&t, "Enter");
	screen_asks(&t, EFFECT_EXPORT, "one.txt");
	screen_free(&t);
	t = screen_of_skew();
	screen_keys(&t, ": type q!");
	screen_keys(&t, "Enter");
	screen_asks(&t, EFFECT_QUIT, "");
	screen_free(&t);
}

/* What q does now is what the line of keys says. */
static void q_says_what_it_does(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_find(&t, "q close pane");
	screen_keys(&t, "q");
	screen_find(&t, "q quit");
	screen_keys(&t, "q");
	screen_asks(&t, EFFECT_QUIT, "");
	screen_free(&t);
}

/* Who only looks on is brought to the culprit when there is one; who has moved stays. */
static void the_cursor_goes_to_the_culprit_when_there_is_one(void **unused)
{
	for (int moved = 0; moved < 2; moved++) {
		struct facts *f = facts_new(8);
		struct screen_test t;

		(void)unused;
		facts_rounds(f, 0, 3, 1, 1);
		t = screen_live(f, 80, 24);
		if (moved)
			screen_keys(&t, "G");
		screen_reload(&t, screen_skew());
		assert_int_equal(job_rank(t.job, t.state->rank)->world_rank.n, moved ? 7 : 3);
		screen_free(&t);
	}
}

/* A click on a key of the last line presses it. */
static void the_line_of_keys_can_be_clicked(void **unused)
{
	struct screen_test t = screen_of_skew();
	const char *line = screen_line(&t, 23);

	(void)unused;
	state_mouse(t.state, (int)(strstr(line, "help") - line), 23, 0, false);
	assert_true(t.state->help);
	screen_keys(&t, "Esc");
	state_mouse(t.state, 79, 23, 0, false);
	assert_false(t.state->help);
	screen_free(&t);
}

/* Of each line of evidence Enter opens the pane that has it, and Backspace comes back to it. */
static void enter_opens_what_is_cited(void **unused)
{
	struct screen_test t = screen_of_skew();
	unsigned opened = 0, lines = 0;
	size_t n;

	(void)unused;
	screen_keys(&t, "1 Enter");
	n = t.state->lines.lines.all.nr;
	for (size_t i = 0; i < n; i++) {
		char cite[64];

		state_pick_line(t.state, i);
		snprintf(cite, sizeof(cite), "%s", state_line(t.state)->right);
		if (!*cite)
			continue;
		screen_keys(&t, "Enter");
		if (t.state->pane == PANE_VERDICT)
			continue;
		opened |= 1u << t.state->pane;
		/* At the line of that cite, where the pane has one. */
		for (size_t k = 0; k < t.state->lines.lines.all.nr; k++)
			if (!strcmp(t.state->lines.lines.all.items[k].right, cite)) {
				assert_string_equal(state_line(t.state)->right, cite);
				lines++;
			}
		screen_says(&t, "Backspace goes back");
		screen_keys(&t, "Backspace");
		assert_int_equal(t.state->pane, PANE_VERDICT);
		assert_true(t.state->in_pane);
		assert_int_equal(t.state->line[PANE_VERDICT], i);
	}
	assert_true(opened & 1u << PANE_EVENTS);
	assert_true(opened & 1u << PANE_RECEIPT);
	assert_true(lines > 0);
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_column_is_the_time_behind_the_one_before),
		cmocka_unit_test(one_scale_is_enough_where_both_sides_are_seen),
		cmocka_unit_test(zooming_goes_by_columns),
		cmocka_unit_test(any_times_are_right),
		cmocka_unit_test(the_change_of_scale_is_drawn_and_named),
		cmocka_unit_test(nothing_is_broken_where_nothing_hangs),
		cmocka_unit_test(z_zooms_to_the_fork_and_back),
		cmocka_unit_test(asked_again_all_is_on_one_scale),
		cmocka_unit_test(the_last_of_a_long_history_is_seen),
		cmocka_unit_test(no_label_is_covered_or_doubled),
		cmocka_unit_test(last_words_stand_below_the_verdict),
		cmocka_unit_test(a_wide_screen_is_used),
		cmocka_unit_test(fingers_know_other_programs),
		cmocka_unit_test(the_line_of_keys_can_be_clicked),
		cmocka_unit_test(enter_opens_what_is_cited),
		cmocka_unit_test(q_says_what_it_does),
		cmocka_unit_test(the_cursor_goes_to_the_culprit_when_there_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
