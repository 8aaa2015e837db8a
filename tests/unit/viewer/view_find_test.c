/* SPDX-License-Identifier: Apache-2.0 */
/* What is typed: searches, filters, commands, times. The job is view_state_test's. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

#define S 1000000000LL

/* -- Finding ---------------------------------------------------------------------------------- */

static void search_finds_ranks_and_ops(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "/ 5");
	assert_int_equal(t.state->rank.i, 5); /* while it is typed */
	screen_keys(&t, "Esc");
	assert_int_equal(t.state->rank.i, 3);
	screen_keys(&t, "Home / type allreduce");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rank.i, 0);
	assert_float_equal(screen_seconds(&t), 13, 0.001);
	screen_says(&t, "1 of 7: rank 0 entered AllReduce #1");
	screen_keys(&t, "n");
	assert_int_equal(t.state->rank.i, 1);
	screen_says(&t, "2 of 7: rank 1");
	screen_keys(&t, "N N");
	assert_int_equal(t.state->rank.i, 7);
	screen_says(&t, "wrapped, 7 of 7: rank 7");
	screen_keys(&t, "& type rank:5-7");
	screen_keys(&t, "Enter n");
	screen_says(&t, "1 of 3: rank 5"); /* of what the filter leaves */
	screen_keys(&t, "& Ctrl-U Enter : type rank 7");
	screen_keys(&t, "Enter");
	screen_keys(&t, "/ type nowhere");
	screen_keys(&t, "Enter");
	screen_says(&t, "not found: nowhere");
	assert_int_equal(t.state->rank.i, 7);
	screen_keys(&t, "/ Up Up Enter");
	screen_says(&t, "AllReduce #1");
	screen_free(&t);
}

static void search_finds_hosts_groups_and_frames(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;

	(void)unused;
	facts_move(f, 2, 1);
	facts_stack(f, 3, "load_batch@/me/data.py:7 < step@/me/train.py:88");
	f->group_names[facts_group_of(f, 2, 1, 2)] = "tensor";
	t = screen_new(f, 80, 24);
	screen_keys(&t, "g / type load_batch");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rank.i, 3);
	screen_keys(&t, "/ type tensor");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rank.i, 1);
	screen_keys(&t, "/");
	for (const char *c = t.job->hosts[t.job->ranks[2].host].name; *c; c++)
		state_key(t.state, (char[2]){*c});
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rank.i, 2);
	screen_free(&t);
}

static void filters_hide_rows_and_say_so(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "& type rank:0-2");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->ranks, 3);
	screen_find(&t, "5 hidden");
	screen_keys(&t, "!"); /* the culprit is hidden: the filter goes */
	assert_int_equal(t.state->rank.i, 3);
	assert_int_equal(t.state->rows->ranks, 8);
	screen_keys(&t, "& type rank:x");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->typing.kind, PROMPT_FILTER); /* to be mended */
	screen_keys(&t, "Ctrl-U Enter");
	assert_int_equal(t.state->rows->ranks, 8);
	screen_free(&t);
}

/* A word is sought in what is now, then in what was, as / does; prefixes say where. */
static void filters_see_what_search_finds(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;

	(void)unused;
	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 10);
	facts_enter_but(f, 0, 2, JOB_OP_ALLGATHER, 4096, 20);
	facts_stack(f, 3, "load_batch@/me/data.py:7 < step@/me/train.py:88");
	t = screen_new(f, 80, 24);
	screen_keys(&t, "& type load_batch");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->ranks, 1);
	assert_int_equal(t.state->rank.i, 3);
	screen_keys(&t, "& Ctrl-U type frame:data.py");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->ranks, 1);
	screen_keys(&t, "& Ctrl-U type op:allgather");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->ranks, 3);
	screen_keys(&t, "& Ctrl-U type !op:allgather");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->ranks, 1);
	assert_int_equal(t.state->rank.i, 2);
	screen_keys(&t, "& Ctrl-U type allreduce"); /* all were in one, and none is now */
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->ranks, 4);
	screen_keys(&t, "& Ctrl-U type doing:allreduce");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rows->ranks, 0);
	screen_free(&t);
}

static void lines_of_panes_are_counted(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "1 Enter / type allreduce");
	screen_says(&t, "1 of ");
	screen_keys(&t, "Enter");
	screen_says(&t, "1 of ");
	screen_keys(&t, "N");
	screen_says(&t, "wrapped, ");
	screen_free(&t);
}

/* Of very many not all have lines: they are counted all the same. */
static void events_are_counted(void **unused)
{
	struct facts *f = facts_new(2);
	struct screen_test t;

	(void)unused;
	for (int i = 0; i < 120; i++)
		facts_span(f, 0, JOB_SPAN_USER, i % 3 ? "alpha" : "beta", "", 10 + i * 0.5,
			10.2 + i * 0.5);
	t = screen_new(f, 80, 24);
	screen_keys(&t, ": type rank 0");
	screen_keys(&t, "Enter 3 Enter g / type beta");
	screen_keys(&t, "Enter");
	screen_says(&t, "1 of 80 events");
	screen_keys(&t, "n n n");
	screen_says(&t, "4 of 80 events");
	screen_keys(&t, "N N N N");
	screen_says(&t, "wrapped, 80 of 80 events");
	screen_keys(&t, "n");
	screen_says(&t, "wrapped, 1 of 80 events");
	screen_free(&t);
}

static bool help_tells(const struct help *help, const char *name)
{
	const struct help_line *line;

	array_for_each (&help->lines, line)
		if (line->right && *line->right && !strcmp(line->left, name))
			return true;
	return false;
}

/* Whoever meets a word on the screen finds it under `?`. */
static void each_word_of_the_legend_is_in_the_help(void **unused)
{
	struct state *state = state_new();
	struct help help = {0};

	help_make(&help, state);
	for (int i = 0; i < TRACK_STATES; i++)
		if (!help_tells(&help, track_state_name((enum track_state)i)))
			fail_msg("no line of %s", track_state_name((enum track_state)i));
	for (int i = 0; i < HELP_SIGNS; i++)
		assert_true(help_tells(&help, help_signs[i].left));
	help_release(&help);
	state_free(state);
}

static void help_is_searched(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, "? / type zoom");
	screen_find(&t, "/zoom");
	screen_find(&t, "1 of 2 lines");
	screen_keys(&t, "Enter");
	assert_true(t.state->help);
	screen_find(&t, "> w +              zoom in");
	screen_keys(&t, "n");
	screen_find(&t, "> s -              zoom out");
	screen_says(&t, "2 of 2 lines");
	screen_keys(&t, "n N N");
	screen_says(&t, "1 of 2 lines");
	screen_keys(&t, "/ type nowhere");
	screen_keys(&t, "Enter");
	screen_says(&t, "not found: nowhere");
	screen_keys(&t, "/ type suspend");
	screen_find(&t, "Ctrl-Z");
	screen_keys(&t, "Esc"); /* back to where it was */
	screen_lacks(&t, "Ctrl-Z");
	assert_true(t.state->help);
	screen_keys(&t, "n");
	screen_says(&t, "nothing was searched for yet");
	screen_keys(&t, "q");
	assert_false(t.state->help);
	assert_int_equal(t.state->rank.i, 3);
	screen_free(&t);
}

static void lines_are_edited(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	screen_keys(&t, ": type rnak 5x");
	screen_keys(&t, "Backspace Ctrl-A Delete Delete Delete");
	screen_keys(&t, "r a n Left Right End Enter");
	assert_int_equal(t.state->rank.i, 5);
	screen_keys(&t, ": Up Ctrl-W 6 Enter");
	assert_int_equal(t.state->rank.i, 6);
	screen_keys(&t, ": Up Up Down Down x Ctrl-U Backspace");
	assert_int_equal(t.state->typing.kind, PROMPT_NONE);
	screen_free(&t);
}

/* -- Commands --------------------------------------------------------------------------------- */

static void command(struct screen_test *t, const char *line)
{
	state_key(t->state, ":");
	for (; *line; line++)
		state_key(t->state, *line == ' ' ? "Space" : (char[2]){*line});
	state_key(t->state, "Enter");
}

static void commands_do_what_they_say(void **unused)
{
	struct screen_test t = screen_of_skew();

	(void)unused;
	command(&t, "6");
	assert_int_equal(t.state->rank.i, 6);
	command(&t, "rank 99");
	screen_says(&t, "there is no rank 99");
	command(&t, "pane stacks");
	assert_int_equal(t.state->pane, PANE_STACKS);
	command(&t, "theme light");
	assert_int_equal(state_theme(t.state), THEME_LIGHT);
	command(&t, "utf8");
	assert_true(t.state->utf8);
	command(&t, "ascii");
	assert_false(t.state->utf8);
	command(&t, "export /tmp/x.txt");
	screen_asks(&t, EFFECT_EXPORT, "/tmp/x.txt");
	command(&t, "mouse");
	screen_asks(&t, EFFECT_MOUSE, "on");
	command(&t, "mouse off");
	screen_asks(&t, EFFECT_MOUSE, "off");
	command(&t, "filter rank:2");
	assert_int_equal(t.state->rows->ranks, 1);
	command(&t, "filter");
	assert_int_equal(t.state->rows->ranks, 8);
	command(&t, "search dynamo");
	screen_says(&t, "dynamo");
	command(&t, "qui");
	screen_asks(&t, EFFECT_QUIT, "");
	command(&t, "rank 0-3");
	screen_says(&t, ":filter rank:0-3");
	command(&t, "frobnicate now");
	screen_says(&t, "no command \"frobnicate\"");
	command(&t, "help");
	assert_true(t.state->help);
	screen_free(&t);
}

static void times_are_read(void **unused)
{
	struct screen_test t = screen_of_skew();
	int64_t from = t.state->bounds.from, to = t.state->bounds.to, when;
	struct str real = {0};

	(void)unused;
	assert_true(state_read_time(t.state, "+12.5s", &when));
	assert_int_equal(when, from + 12500000000);
	assert_true(state_read_time(t.state, "+1:02", &when));
	assert_int_equal(when, from + 62 * S);
	assert_true(state_read_time(t.state, "30", &when));
	assert_int_equal(when, from + 30 * S);
	assert_true(state_read_time(t.state, "-250ms", &when));
	assert_int_equal(when, to - S / 4);
	draw_real(&real, from + 20 * S, S);
	assert_true(state_read_time(t.state, str_text(&real), &when));
	assert_int_equal(when / S, (from + 20 * S) / S);
	str_release(&real);
	assert_true(state_read_time(t.state, "9000000000s", &when));
	for (const char *const *bad = (const char *const[]){"", "x", "+", "1:2:3:4", "5parsec",
		     "99999999999999999999", "1:", ":1", "3 s x", NULL}; *bad; bad++)
		assert_false(state_read_time(t.state, *bad, &when));
	command(&t, "t +13");
	assert_int_equal(t.state->when, from + 13 * S);
	command(&t, "t soon");
	screen_says(&t, "t wants");
	screen_free(&t);
}

/* Two hours are in sight, and the cursor is in the second. */
static void times_are_read_as_the_ruler_shows_them(void **unused)
{
	struct screen_test t = screen_of_skew();
	int64_t from = t.state->bounds.from, when;
	struct str shown = {0};

	(void)unused;
	t.state->bounds.to = from + 7200 * S;
	t.state->when = from + 5000 * S;
	for (int64_t at = from + 1800 * S; at <= from + 7200 * S; at += 600 * S) {
		str_cut(&shown, 0);
		draw_relative(&shown, (uint64_t)(at - from), (uint64_t)S);
		assert_true(state_read_time(t.state, str_text(&shown), &when));
		assert_int_equal(when, at);
		str_cut(&shown, 0);
		draw_real(&shown, at, 1);
		assert_true(state_read_time(t.state, str_text(&shown), &when));
		assert_int_equal(when, at);
		str_add(&shown, " UTC");
		assert_true(state_read_time(t.state, str_text(&shown), &when));
		assert_int_equal(when, at);
	}
	str_release(&shown);
	screen_free(&t);
}

/* On the third day of a job a time of day is one of that day. */
static void a_time_of_day_is_the_nearest(void **unused)
{
	struct screen_test t = screen_of_skew();
	int64_t from = t.state->bounds.from, day = 86400 * S, when;
	struct str shown = {0};

	(void)unused;
	t.state->bounds.to = from + 4 * day;
	t.state->when = from + 2 * day;
	for (int64_t at = t.state->when - 11 * day / 24; at < t.state->when + 11 * day / 24;
		at += day / 24) {
		str_cut(&shown, 0);
		draw_real(&shown, at, 1);
		assert_true(state_read_time(t.state, str_text(&shown), &when));
		assert_int_equal(when, at);
	}
	str_release(&shown);
	screen_free(&t);
}

/* Of several at one moment each has its turn, by rank; at the end there is none. */
static void what_is_odd_is_gone_through(void **unused)
{
	struct facts *f = screen_skew();
	struct screen_test t;

	(void)unused;
	facts_note(f, 5, "ValueError: one", 20);
	facts_note(f, 2, "ValueError: two", 20);
	facts_note(f, 1, "ValueError: three", 30);
	t = screen_new(f, 100, 30);
	screen_keys(&t, "Home e");
	screen_says(&t, "two");
	assert_int_equal(t.state->rank.i, 2);
	screen_keys(&t, "e");
	screen_says(&t, "one");
	assert_int_equal(t.state->rank.i, 5);
	screen_keys(&t, "e");
	screen_says(&t, "three");
	screen_keys(&t, "e");
	screen_says(&t, "no exception, signal, death or gap after");
	screen_keys(&t, "E");
	screen_says(&t, "one");
	screen_free(&t);
}

/* Of more jobs than there is room for the list scrolls, and Enter asks for the chosen one. */
static void a_list_of_jobs_scrolls(void **unused)
{
	struct screen_test t = screen_of_skew();
	const char *argument;
	struct str list = {0};

	(void)unused;
	for (int i = 1; i <= 60; i++)
		str_printf(&list, "%d\tnight-%d  night-%d.inq%s", i, i, i, i < 60 ? "\n" : "");
	state_list_jobs(t.state, str_text(&list));
	screen_find(&t, "inquest view: jobs   (1-22 of 60)");
	screen_find(&t, "night-1  night-1.inq");
	screen_lacks(&t, "night-23");
	for (int i = 0; i < 22; i++)
		screen_keys(&t, "j");
	screen_find(&t, "jobs   (2-23 of 60)");
	screen_find(&t, "night-23  night-23.inq");
	screen_keys(&t, "k k Enter");
	screen_asks(&t, EFFECT_JOB, "21");
	screen_lacks(&t, "inquest view: jobs");
	state_list_jobs(t.state, str_text(&list));
	screen_keys(&t, "G");
	screen_find(&t, "jobs   (39-60 of 60)");
	screen_keys(&t, "PageUp PageUp PageUp PageUp k Enter");
	screen_asks(&t, EFFECT_JOB, "1");
	state_list_jobs(t.state, str_text(&list));
	screen_keys(&t, "/ \n type night-47 \n Enter Enter");
	screen_asks(&t, EFFECT_JOB, "47");
	state_list_jobs(t.state, str_text(&list));
	state_mouse(t.state, 5, 4, 0, false);
	screen_asks(&t, EFFECT_JOB, "4");
	/* Keys are keys again, and another key closes the list without asking for anything. */
	state_list_jobs(t.state, str_text(&list));
	screen_keys(&t, "x");
	assert_int_equal(state_effect(t.state, &argument), EFFECT_NONE);
	screen_keys(&t, "?");
	screen_find(&t, "inquest view: keys");
	screen_lacks(&t, "night-1");
	str_release(&list);
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_odd_is_gone_through),
		cmocka_unit_test(search_finds_ranks_and_ops),
		cmocka_unit_test(search_finds_hosts_groups_and_frames),
		cmocka_unit_test(filters_hide_rows_and_say_so),
		cmocka_unit_test(filters_see_what_search_finds),
		cmocka_unit_test(lines_of_panes_are_counted),
		cmocka_unit_test(events_are_counted),
		cmocka_unit_test(each_word_of_the_legend_is_in_the_help),
		cmocka_unit_test(help_is_searched),
		cmocka_unit_test(lines_are_edited),
		cmocka_unit_test(commands_do_what_they_say),
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(times_are_read_as_the_ruler_shows_them),
		cmocka_unit_test(a_time_of_day_is_the_nearest),
		cmocka_unit_test(a_list_of_jobs_scrolls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
