/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys become state: each request of requests.def is pressed here and does what its help says.
 * The job: eight ranks, of which 3 still compiles and the others wait for it in AllReduce #1.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

#define S 1000000000LL

/* -- Opening ---------------------------------------------------------------------------------- */

static void opens_on_the_culprit(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	assert_int_equal(t.state->rank.i, 3);
	assert_int_equal(t.state->row, 0); /* culprits come first */
	assert_int_equal(t.state->pane, PANE_VERDICT);
	/* The first entry into what all wait in. */
	assert_float_equal(screen_seconds(&t), 13, 0.001);
	assert_int_equal(t.state->window.from, t.state->bounds.from);
	assert_int_equal(t.state->window.to, t.state->bounds.to);
	screen_free(&t);
}

/* Of a long job only the end matters: as much before the moment as after it. */
static void centres_the_moment_of_a_long_job(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;

	(void)unused;
	facts_rounds(f, 0, 20, -3000, 1);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 40);
	facts_span(f, 2, JOB_SPAN_COMPILE, "inductor codegen", "1/0", 39, FACTS_OPEN);
	t = screen_new(f, 80, 24);
	assert_int_equal(t.state->rank.i, 2);
	assert_float_equal(screen_seconds(&t), 40, 0.001);
	assert_int_equal(window_between(t.state->window.from, t.state->when),
		window_between(t.state->when, t.state->window.to));
	assert_int_equal(t.state->window.to, t.state->bounds.to);
	screen_free(&t);
}

static void waits_for_a_job(void **unused)
{
	struct state *state = state_new();
	struct cells cells = {0};
	struct str text = {0};
	const char *argument;

	(void)unused;
	state_resize(state, 50, 10);
	for (int i = REQUEST_NONE + 1; i < REQUESTS; i++) {
		struct key key = {""};

		strncpy(key.name, keys_of((enum request)i), strcspn(keys_of((enum request)i), " "));
		state_key(state, key.name);
		draw_screen(state, &cells);
	}
	state_key(state, "Esc");
	state_key(state, "q");
	assert_int_equal(state_effect(state, &argument), EFFECT_QUIT);
	draw_screen(state, &cells);
	cells_text(&cells, &text);
	assert_non_null(strstr(str_text(&text), "nothing is loaded yet"));
	str_release(&text);
	cells_release(&cells);
	state_free(state);
}

/* -- Moving ----------------------------------------------------------------------------------- */

static void rows_are_walked(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "j");
	assert_int_equal(t.state->rank.i, 0);
	screen_keys(&t, "Down j");
	assert_int_equal(t.state->rank.i, 2);
	screen_keys(&t, "k");
	assert_int_equal(t.state->rank.i, 1);
	screen_keys(&t, "G");
	assert_int_equal(t.state->rank.i, 7);
	screen_keys(&t, "j");
	assert_int_equal(t.state->rank.i, 7);
	screen_keys(&t, "Ctrl-U");
	assert_int_equal(t.state->rank.i, 2); /* four rows up, the culprit's is above them all */
	screen_keys(&t, "Ctrl-D");
	assert_int_equal(t.state->rank.i, 7);
	screen_keys(&t, "g");
	assert_int_equal(t.state->rank.i, 3);
	screen_keys(&t, "}");
	assert_int_equal(t.state->rank.i, 0);
	screen_keys(&t, "}");
	screen_says(&t, "same state");
	screen_keys(&t, "G {");
	assert_int_equal(t.state->rank.i, 3);
	screen_free(&t);
}

/* The column of the cursor. */
static int column_of(const struct screen_test *t)
{
	struct axis axis = state_axis(t->state);

	return axis_column(&axis, t->state->when);
}

/* Over the break, which is no time, it goes to the column behind. */
static void time_is_walked_in_columns(void **unused)
{
	struct screen_test t = screen_of_skew();
	int split = state_axis(t.state).split;

	(void)unused;
	assert_true(split > 5);
	assert_int_equal(column_of(&t), split + 1);
	screen_keys(&t, "l");
	assert_int_equal(column_of(&t), split + 2);
	screen_keys(&t, "h h");
	assert_int_equal(column_of(&t), split - 1);
	screen_keys(&t, "h");
	assert_int_equal(column_of(&t), split - 2);
	screen_keys(&t, "L");
	assert_int_equal(column_of(&t), split - 2 + t.state->cells_w / 2);
	screen_keys(&t, "H");
	assert_int_equal(column_of(&t), split - 2);
	screen_keys(&t, "Home");
	assert_int_equal(t.state->when, t.state->bounds.from);
	screen_keys(&t, "h");
	assert_int_equal(t.state->when, t.state->bounds.from);
	screen_keys(&t, "End");
	assert_int_equal(t.state->when, t.state->bounds.to);
	screen_free(&t);
}

/* At the edge of the window it is the window that moves. */
static void the_window_follows_the_cursor(void **unused)
{
	struct screen_test t = screen_of_skew();
	struct window before;

	(void)unused;
	screen_keys(&t, "w w w");
	before = t.state->window;
	for (int i = 0; i < t.state->cells_w; i++)
		screen_keys(&t, "l");
	assert_true(t.state->window.from > before.from);
	assert_int_equal(window_span(t.state->window), window_span(before));
	assert_true(t.state->when >= t.state->window.from && t.state->when < t.state->window.to);
	screen_free(&t);
}

static void events_are_walked(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "j Home .");
	assert_float_equal(screen_seconds(&t), 2, 0.001);
	screen_says(&t, "dynamo");
	screen_keys(&t, ". . .");
	assert_float_equal(screen_seconds(&t), 13, 0.001);
	screen_says(&t, "AllReduce #1");
	screen_keys(&t, ",");
	assert_float_equal(screen_seconds(&t), 12, 0.001);
	screen_keys(&t, "Home ,");
	screen_says(&t, "no event before");
	screen_free(&t);
}

static void waits_lead_to_whom_they_wait_for(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "G ]");
	assert_int_equal(t.state->rank.i, 3);
	screen_says(&t, "rank 7 waits in AllReduce #1 of world for rank 3: codegen");
	screen_keys(&t, "]");
	screen_says(&t, "rank 3 waits for nobody");
	screen_keys(&t, "[");
	assert_int_equal(t.state->rank.i, 7);
	screen_keys(&t, "g [");
	assert_int_equal(t.state->rank.i, 0);
	screen_keys(&t, "[");
	screen_says(&t, "nobody waits for rank 0");
	screen_free(&t);
}

/* Two groups: 0 waits for 1 in one, which waits for 2 in the other, which is outside. */
static void a_chain_of_waits_is_followed_link_by_link(void **unused)
{
	struct facts *f = facts_new(3);
	int left = facts_group_of(f, 2, 0, 1), right = facts_group_of(f, 2, 1, 2);
	struct screen_test t;

	(void)unused;
	facts_hold(f, left, 0, JOB_OP_ALLREDUCE, 8, 10);
	facts_hold(f, right, 1, JOB_OP_ALLREDUCE, 8, 11);
	facts_outside(f, 2, 5);
	t = screen_new(f, 80, 24);
	screen_keys(&t, ": type rank 0");
	screen_keys(&t, "Enter ]");
	assert_int_equal(t.state->rank.i, 1);
	screen_keys(&t, "]");
	assert_int_equal(t.state->rank.i, 2);
	screen_keys(&t, "[");
	assert_int_equal(t.state->rank.i, 1);
	screen_keys(&t, "[");
	assert_int_equal(t.state->rank.i, 0);
	screen_free(&t);
}

static void the_verdict_is_a_key_away(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "G Home !");
	assert_int_equal(t.state->rank.i, 3);
	assert_float_equal(screen_seconds(&t), 13, 0.001);
	screen_says(&t, "the culprit, rank 3");
	screen_keys(&t, "!");
	screen_says(&t, "evidence 1: inductor codegen");
	screen_keys(&t, "!");
	screen_says(&t, "evidence 2");
	screen_keys(&t, "j !");
	screen_says(&t, "the culprit");
	screen_free(&t);
}

static void marks_come_back(void **unused)
{
	struct screen_test t = screen_of_skew();
	int64_t when;

	(void)unused;
	screen_keys(&t, "j j l l 3 m a");
	when = t.state->when;
	screen_keys(&t, "G End 1 ' a");
	assert_int_equal(t.state->rank.i, 1);
	assert_int_equal(t.state->when, when);
	assert_int_equal(t.state->pane, PANE_EVENTS);
	screen_keys(&t, "' b");
	screen_says(&t, "mark b is not set");
	screen_keys(&t, "m 1");
	screen_says(&t, "marks are a to z");
	screen_keys(&t, "Esc");
	assert_int_equal(t.state->rank.i, 7); /* back to where the jump was made */
	screen_free(&t);
}

/* -- Rows and time ---------------------------------------------------------------------------- */

static void zoom_pan_and_fit(void **unused)
{
	struct screen_test t = screen_of_skew();
	struct window all = t.state->window, near;

	(void)unused;
	screen_keys(&t, "w");
	near = t.state->window;
	assert_int_equal(window_span(near), window_span(all) / 2);
	screen_keys(&t, "d");
	assert_true(t.state->window.from > near.from);
	screen_keys(&t, "a");
	assert_int_equal(t.state->window.from, near.from);
	screen_keys(&t, "s");
	assert_int_equal(window_span(t.state->window), window_span(all));
	screen_keys(&t, "s");
	screen_says(&t, "whole job");
	screen_keys(&t, "w w w + 0");
	assert_memory_equal(&t.state->window, &all, sizeof(all));
	for (int i = 0; i < 60; i++)
		screen_keys(&t, "w");
	screen_says(&t, "as near as it goes");
	assert_true(window_span(t.state->window) >= (uint64_t)t.state->cells_w);
	screen_free(&t);
}

/* Twice f: what is under the cursor fills the screen, with a tenth on both sides. */
static void f_centres_then_fits(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "j : type t +8s");
	screen_keys(&t, "Enter");
	screen_keys(&t, "w w l l l f");
	screen_keys(&t, "f");
	screen_says(&t, "codegen");
	assert_true(t.state->window.from >= facts_ns(3) && t.state->window.from < facts_ns(4));
	assert_true(t.state->window.to > facts_ns(12) && t.state->window.to <= facts_ns(13));
	screen_free(&t);
}

static void rows_are_grouped(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, ": type by class");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->n, 2);
	screen_keys(&t, "G x");
	assert_int_equal(t.state->rows->n, 9);
	assert_true(t.state->on_fold);
	screen_keys(&t, "j j c");
	assert_int_equal(t.state->rows->n, 2);
	assert_int_equal(t.state->rank.i, 0);
	screen_keys(&t, "*");
	assert_int_equal(t.state->rows->n, 9);
	screen_keys(&t, "*");
	assert_int_equal(t.state->rows->n, 2);
	screen_keys(&t, "g x");
	screen_says(&t, "no fold");
	screen_keys(&t, "o");
	assert_int_equal(t.state->rows->by, ROWS_BY_HOST);
	screen_keys(&t, "o o");
	assert_int_equal(t.state->rows->by, ROWS_FLAT);
	assert_int_equal(t.state->rows->n, 8);
	screen_free(&t);
}

static void rows_are_pinned(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "G Space");
	assert_int_equal(t.state->rank.i, 7);
	assert_int_equal(t.state->row, 0);
	assert_true(t.state->rows->at[0].tagged);
	screen_keys(&t, "Space");
	assert_false(t.state->rows->at[0].tagged);
	screen_keys(&t, "Space k Space u");
	for (size_t i = 0; i < t.state->rows->n; i++)
		assert_false(t.state->rows->at[i].tagged);
	screen_free(&t);
}

static void time_is_measured(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "j Home . v . . .");
	screen_find(&t, "+11 s from ");
	screen_keys(&t, "y");
	screen_asks(&t, EFFECT_COPY,
		"**rank 0**, 2023-11-14 22:13:22.000 to 2023-11-14 22:13:33.000 UTC (11 s)\n\n"
		"| state | time | share |\n|--|--:|--:|\n"
		"| compile | 10 s | 90.9 % |\n| own code | 1 s | 9.1 % |\n\n");
	screen_keys(&t, "v");
	assert_false(t.state->measuring);
	screen_free(&t);
}

/* -- A live job ------------------------------------------------------------------------------- */

static void the_next_look_changes_nothing_that_was_chosen(void **unused)
{
	struct screen_test t = screen_live(screen_skew(), 80, 24);
	struct facts *next = screen_skew();
	int64_t when;

	(void)unused;
	screen_keys(&t, "G w w 3");
	assert_false(t.state->follow);
	when = t.state->when;
	facts_never_seen(next, 0);
	next->hidden = 0;
	screen_reload(&t, next);
	assert_int_equal(job_rank(t.job, t.state->rank)->world_rank.n, 7);
	assert_int_equal(t.state->when, when);
	assert_int_equal(t.state->pane, PANE_EVENTS);
	screen_free(&t);
}

/* The job's end moves on: so does the window, if it is followed. */
static void following_keeps_the_end_in_view(void **unused)
{
	struct screen_test t = screen_live(screen_skew(), 80, 24);
	struct facts *next = screen_skew();

	(void)unused;
	screen_keys(&t, "F F w w");
	assert_int_equal(t.state->window.to, t.state->bounds.to);
	for (int i = 0; i < next->nhosts; i++)
		next->hosts[i].gathered += 50 * S;
	screen_reload(&t, next);
	assert_int_equal(t.state->window.to, t.state->bounds.to);
	assert_int_equal(t.state->when, t.state->bounds.to);
	screen_keys(&t, "Z");
	assert_true(state_is_frozen(t.state));
	screen_find(&t, "FROZEN");
	screen_keys(&t, "Z");
	assert_false(state_is_frozen(t.state));
	screen_free(&t);
	t = screen_of_skew();
	screen_keys(&t, "F");
	screen_says(&t, "not a live job");
	screen_keys(&t, "Z");
	screen_says(&t, "not a live job");
	screen_free(&t);
}

/* Who went back to the beginning stays there: with the end out of sight nothing is followed. */
static void who_looks_at_something_earlier_keeps_it(void **unused)
{
	struct screen_test t = screen_live(screen_skew(), 80, 24);
	struct facts *next = screen_skew();
	struct window window;
	int64_t when;

	(void)unused;
	screen_find(&t, "LIVE");
	screen_keys(&t, "Home w w w H");
	screen_find(&t, "live, F follows");
	window = t.state->window;
	when = t.state->when;
	for (int i = 0; i < next->nhosts; i++)
		next->hosts[i].gathered += 50 * S;
	screen_reload(&t, next);
	assert_int_equal(t.state->window.from, window.from);
	assert_int_equal(t.state->window.to, window.to);
	assert_int_equal(t.state->when, when);
	screen_keys(&t, "F");
	screen_find(&t, "LIVE");
	assert_int_equal(t.state->window.to, t.state->bounds.to);
	screen_free(&t);
}

/* -- Panes ------------------------------------------------------------------------------------ */

static void panes_are_chosen(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "Tab");
	assert_int_equal(t.state->pane, PANE_STACKS);
	screen_keys(&t, "S-Tab S-Tab");
	assert_int_equal(t.state->pane, PANE_RECEIPT);
	for (int i = 0; i < PANES; i++) {
		state_key(t.state, (char[2]){(char)('1' + i)});
		assert_int_equal(t.state->pane, i);
	}
	screen_keys(&t, "1 Enter");
	assert_true(t.state->in_pane);
	screen_keys(&t, "j j j");
	assert_int_equal(t.state->line[PANE_VERDICT], 3);
	screen_keys(&t, "G");
	assert_int_equal(t.state->line[PANE_VERDICT], t.state->lines.lines.all.nr - 1);
	screen_keys(&t, "Ctrl-U k g");
	assert_int_equal(t.state->line[PANE_VERDICT], 0);
	screen_keys(&t, "Esc");
	assert_false(t.state->in_pane);
	screen_keys(&t, "O");
	assert_int_equal(t.state->layout.rows.h, 0);
	screen_keys(&t, "O");
	assert_int_equal(t.state->layout.rows.h, 8);
	screen_free(&t);
}

/* The line of the wait cites rank 0's entry: Enter goes there. */
static void enter_goes_to_the_cited_event(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "Home 1 Enter");
	for (size_t i = 0; i < t.state->lines.lines.all.nr; i++) {
		const struct pane_line *line = state_line(t.state);

		if (line->rank.i == 0)
			break;
		screen_keys(&t, "j");
	}
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rank.i, 0);
	assert_true(t.state->in_pane); /* the next line is a key away */
	screen_keys(&t, "Esc Esc");
	assert_int_equal(t.state->rank.i, 3);
	screen_free(&t);
}

static void panes_are_searched(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "1 Enter / type unjudged");
	screen_keys(&t, "Enter");
	assert_non_null(strstr(state_line(t.state)->text, "unjudged"));
	screen_keys(&t, "g n");
	assert_non_null(strstr(state_line(t.state)->text, "unjudged"));
	screen_free(&t);
}

static void q_closes_then_quits(void **unused)
{
	struct screen_test t = screen_of_skew();
	const char *argument;

	(void)unused;
	screen_keys(&t, "?");
	screen_find(&t, "next row");
	screen_keys(&t, "q q");
	assert_int_equal(state_effect(t.state, &argument), EFFECT_NONE);
	assert_false(state_shows_pane(t.state));
	screen_keys(&t, "Tab");
	assert_true(state_shows_pane(t.state));
	screen_keys(&t, "q q");
	screen_asks(&t, EFFECT_QUIT, "");
	screen_keys(&t, "Q");
	screen_asks(&t, EFFECT_QUIT, "");
	screen_free(&t);
}

static void one_thing_at_a_time_where_it_is_narrow(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	state_resize(t.state, 59, 20);
	assert_false(state_shows_pane(t.state));
	screen_keys(&t, "1");
	assert_true(state_shows_pane(t.state));
	screen_find(&t, "peers compiled");
	screen_keys(&t, "q");
	assert_false(state_shows_pane(t.state));
	screen_keys(&t, "q");
	screen_asks(&t, EFFECT_QUIT, "");
	screen_free(&t);
}

/* -- The rest --------------------------------------------------------------------------------- */

static void the_rest_does_what_it_says(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "Ctrl-L");
	screen_asks(&t, EFFECT_REDRAW, "");
	screen_keys(&t, "Ctrl-Z");
	screen_asks(&t, EFFECT_SUSPEND, "");
	screen_keys(&t, "P");
	screen_asks(&t, EFFECT_EXPORT, "");
	screen_keys(&t, "y");
	screen_asks(&t, EFFECT_COPY,
		"rank 3: compile, codegen 0/0, since 2023-11-14 22:13:24.000 UTC (1:36); blamed  "
		"[ring:span]");
	screen_keys(&t, "~");
	assert_true(t.state->utf8);
	screen_keys(&t, "T");
	assert_int_equal(state_theme(t.state), THEME_LIGHT);
	screen_keys(&t, "i");
	screen_says(&t, "test.inq: 8/8 rings, 0 records lost");
	assert_int_equal(t.state->pane, PANE_RECEIPT);
	screen_keys(&t, "F9");
	screen_says(&t, "F9 means nothing here");
	state_say(t.state, "written: x.txt");
	screen_find(&t, "written: x.txt");
	screen_free(&t);
}

/* What a request changes: the screen with its colours, or what is asked of the outside. */
static uint64_t mark_of(struct screen_test *t)
{
	uint64_t mark = 0xcbf29ce484222325u;
	const char *argument;

	screen_text(t);
	for (int i = 0; i < t->cells.w * t->cells.h; i++) {
		const struct cell *cell = &t->cells.at[i];

		for (const char *c = cell->text; *c; c++)
			mark = (mark ^ (unsigned char)*c) * 0x100000001b3u;
		mark = (mark ^ cell->style ^ (cell->reverse ? 64 : 0)) * 0x100000001b3u;
	}
	mark ^= (uint64_t)state_theme(t->state) * 7919;
	return mark + (uint64_t)state_effect(t->state, &argument) * 104729;
}

static void no_request_is_without_effect(void **unused)
{
	(void)unused;
	for (int i = REQUEST_NONE + 1; i < REQUESTS; i++) {
		struct screen_test t = screen_new(screen_skew(), 80, 24);
		uint64_t before, after;

		screen_keys(&t, "j j w l"); /* nothing is at an end */
		if (i == REQUEST_UNTAG_ALL)
			screen_keys(&t, "Space");
		if (i == REQUEST_PANE_VERDICT)
			screen_keys(&t, "2");
		before = mark_of(&t);
		state_do(t.state, (enum request)i);
		state_settle(t.state);
		after = mark_of(&t);
		if (after == before)
			print_message("%s does nothing\n", keys_of((enum request)i));
		assert_int_not_equal(after, before);
		screen_free(&t);
	}
}

static void help_shows_every_key(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	state_resize(t.state, 100, 160);
	screen_keys(&t, "?");
	for (int i = REQUEST_NONE + 1; i < REQUESTS; i++)
		screen_find(&t, keys_help((enum request)i));
	screen_find(&t, "to a time: 12.5s");
	screen_find(&t, "lost: see 5");
	state_resize(t.state, 80, 24);
	screen_keys(&t, "G");
	screen_find(&t, "census, cgroup");
	screen_keys(&t, "g");
	screen_find(&t, "next row");
	screen_keys(&t, "x");
	screen_lacks(&t, "next row");
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_on_the_culprit),
		cmocka_unit_test(centres_the_moment_of_a_long_job),
		cmocka_unit_test(waits_for_a_job),
		cmocka_unit_test(rows_are_walked),
		cmocka_unit_test(time_is_walked_in_columns),
		cmocka_unit_test(the_window_follows_the_cursor),
		cmocka_unit_test(events_are_walked),
		cmocka_unit_test(waits_lead_to_whom_they_wait_for),
		cmocka_unit_test(a_chain_of_waits_is_followed_link_by_link),
		cmocka_unit_test(the_verdict_is_a_key_away),
		cmocka_unit_test(marks_come_back),
		cmocka_unit_test(zoom_pan_and_fit),
		cmocka_unit_test(f_centres_then_fits),
		cmocka_unit_test(rows_are_grouped),
		cmocka_unit_test(rows_are_pinned),
		cmocka_unit_test(time_is_measured),
		cmocka_unit_test(the_next_look_changes_nothing_that_was_chosen),
		cmocka_unit_test(following_keeps_the_end_in_view),
		cmocka_unit_test(who_looks_at_something_earlier_keeps_it),
		cmocka_unit_test(panes_are_chosen),
		cmocka_unit_test(enter_goes_to_the_cited_event),
		cmocka_unit_test(panes_are_searched),
		cmocka_unit_test(q_closes_then_quits),
		cmocka_unit_test(one_thing_at_a_time_where_it_is_narrow),
		cmocka_unit_test(the_rest_does_what_it_says),
		cmocka_unit_test(no_request_is_without_effect),
		cmocka_unit_test(help_shows_every_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
