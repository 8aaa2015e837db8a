/* SPDX-License-Identifier: Apache-2.0 */
/* State becomes cells: screens as text, over jobs made by hand. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

#define S 1000000000LL

/* -- The first screen ------------------------------------------------------------------------- */

/* The rows and what surrounds them; the verdict's own words are tested with the panes. */
static void the_first_screen_of_eight(void **unused)
{
	static const char *const lines[] = {
		" RANK 3 STILL COMPILES (inductor codegen graph 0/0, open 1:36); 7 ranks wait",
		" UNKNOWN if it resolves  compile-skew supported       test  RECORDED 2023-11-14",
		"   0:00           0:10 /0:13.0 FORK     1:00      1:40 end for wait in",
		"   22:13:20            /22:13:33.0            22:15:00 UTC 2023-11-14",
		">3!:::dddcccccccccccccc/cccccccccccccccccccccccccccccc>   1:36   0% codegen 0/0",
		" 0 :::dddccccccccccccc#/|wwwwwwwwwwwwwwwwwwwwwwwwwwwww>   1:27  87% "
		"AllReduce #1",
		NULL};
	struct screen_test t = screen_new(screen_skew(), 80, 24);

	(void)unused;
	for (int y = 0; lines[y]; y++)
		assert_string_equal(screen_line(&t, y), lines[y]);
	for (int rank = 1, y = 6; rank < 8; rank += rank == 2 ? 2 : 1, y++) {
		assert_int_equal(screen_line(&t, y)[1], '0' + rank);
		assert_string_equal(screen_line(&t, y) + 2, lines[5] + 2);
	}
	assert_string_equal(screen_line(&t, 12),
		" w ..................../777777777777777777777777777777  7 waiting");
	assert_string_equal(screen_line(&t, 13),
		" w waiting c codegen d dynamo # own code : starting / 650 ms | 2.9 s/column");
	assert_int_equal(strncmp(screen_line(&t, 14),
				 "-[1 verdict]-2 stacks--3 events--4 groups--5 receipt", 52),
		0);
	/* The evidence is longer than its pane: what to do stands above it, in sight. */
	assert_int_equal(screen_find(&t, " next "), 16);
	assert_int_equal(screen_find(&t, "peers compiled 8 s"), 18);
	assert_string_equal(screen_line(&t, 23),
		" ! culprit  ] waits-for  Enter evidence  Tab pane  ? help  q close pane  z hang");
	screen_free(&t);
}

static void the_same_in_forty_columns(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 40, 12);

	(void)unused;
	assert_string_equal(screen_text(&t),
		" RANK 3 STILL COMPILES; 7 ranks wait\n"
		" UNKNOWN  compile-skew supported   test\n"
		"         0:00  /      1:40 end\n"
		">3      !ddcccc/cccccccccc> codegen 0/0\n"
		" 0-2,4-7 ddcccc/|wwwwwwwww> AllReduce #1\n"
		" w waiting > open  2 of 2 rows, 8 ranks\n"
		"\n\n\n\n"
		"--1 verdict--2 stacks--3 events--4 group\n"
		" ! culprit  ] waits-for  Enter evidence\n");
	screen_free(&t);
}

static void the_same_in_blocks(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 160, 30);

	(void)unused;
	state_set_utf8(t.state, true);
	/* A phase has its name where there is room. */
	screen_find(&t, "▒codegen▒▒▒▒▒▒▒▒▒▒╎▒codegen▒▒▒");
	screen_find(&t, "██╎│░░░░");
	screen_find(&t, "[·▒▒▒▒▒▒▒░░░░"); /* the minimap */
	screen_find(&t, "░ waiting ▒ compile █ own code · starting ╎ ");
	screen_find(&t, "─[1 verdict]─2 stacks──3 events");
	assert_true(screen_find(&t, "──stacks──") > 10); /* two panes at once */
	screen_free(&t);
}

static void a_terminal_too_small_says_what_it_needs(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 32, 6);

	(void)unused;
	assert_string_equal(screen_line(&t, 0), "terminal 32x6, need 40x8");
	state_resize(t.state, 80, 24);
	assert_int_equal(screen_find(&t, ">3!"), t.state->layout.rows.y);
	screen_free(&t);
}

/* -- Title ------------------------------------------------------------------------------------ */

static void the_title_says_wait_or_kill_and_counts_down(void **unused)
{
	struct screen_test t = screen_live(screen_skew(), 80, 24);
	struct verdict *verdict = (struct verdict *)&t.verdicts->at[0]; /* the test's own */

	(void)unused;
	verdict->outlook = VERDICT_WAIT;
	verdict->confidence = VERDICT_ESTABLISHED;
	verdict->watchdog = VERDICT_LIMIT_WATCHDOG;
	verdict->watchdog_left = 1176 * S;
	assert_string_equal(screen_line(&t, 1),
		" WAIT  compile-skew ESTABLISHED                      test  LIVE  watchdog 19:36");
	state_set_now(t.state, t.job->gathered + 36 * S);
	assert_non_null(strstr(screen_line(&t, 1), "watchdog 19:00"));
	state_set_now(t.state, t.job->gathered + 4000 * S);
	assert_non_null(strstr(screen_line(&t, 1), "watchdog due"));
	verdict->outlook = VERDICT_KILL;
	assert_non_null(strstr(screen_line(&t, 1), " KILL  compile-skew"));
	screen_free(&t);
}

/* Between two looks as well: pane and title are never of two minds. */
static void the_verdict_counts_down_as_the_title_does(void **unused)
{
	struct screen_test t = screen_live(screen_skew(), 160, 50);
	struct verdict *verdict = (struct verdict *)&t.verdicts->at[0];

	(void)unused;
	verdict->watchdog = VERDICT_LIMIT_WATCHDOG;
	verdict->watchdog_left = 1176 * S;
	for (int i = 0; i < 2; i++) {
		state_set_now(t.state, t.job->gathered + (i ? 96 : 36) * S);
		screen_find(&t, i ? "LIVE  watchdog 18:00" : "LIVE  watchdog 19:00");
		screen_find(&t, i ? "watchdog kills in 18:00" : "watchdog kills in 19:00");
		screen_keys(&t, "2"); /* it stands beside */
	}
	screen_free(&t);
}

/* Neither WAIT nor KILL is no answer that may be left out: what is known is said. */
static void the_title_says_that_the_outlook_is_unknown(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 80, 24);
	struct verdict *verdict = (struct verdict *)&t.verdicts->at[0];

	(void)unused;
	verdict->outlook = VERDICT_OUTLOOK_UNKNOWN;
	verdict->confidence = VERDICT_SUPPORTED;
	assert_string_equal(screen_line(&t, 1),
		" UNKNOWN if it resolves  compile-skew supported       test  RECORDED 2023-11-14");
	screen_keys(&t, "j"); /* the pane is made anew */
	screen_free(&t);
	t = screen_new(screen_skew(), 40, 24);
	verdict = (struct verdict *)&t.verdicts->at[0];
	verdict->outlook = VERDICT_OUTLOOK_UNKNOWN;
	verdict->confidence = VERDICT_SUPPORTED;
	assert_string_equal(screen_line(&t, 1), " UNKNOWN  compile-skew supported   test");
	screen_free(&t);
}

/* What matters stays, from the widest to the narrowest: answer, outlook, class, how sure. */
static void the_title_keeps_what_matters(void **unused)
{
	static const int sizes[][2] = {{240, 60}, {140, 40}, {80, 24}, {80, 9}, {40, 24}, {40, 10}};

	(void)unused;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct screen_test t = screen_live(screen_skew(), sizes[i][0], sizes[i][1]);
		struct verdict *verdict = (struct verdict *)&t.verdicts->at[0];

		verdict->outlook = VERDICT_KILL;
		verdict->confidence = VERDICT_ESTABLISHED;
		verdict->class = VERDICT_COLLECTIVE_MISMATCH; /* the longest there is */
		verdict->watchdog = VERDICT_LIMIT_WATCHDOG;
		verdict->watchdog_left = 1176 * S;
		t.job->attempt = 2;
		t.job->name = "a-name-that-is-longer-than-anybody-would-ever-type";
		screen_find(&t, "RANK 3 ISSUED ANOTHER OPERATION");
		screen_find(&t, " KILL  ");
		screen_find(&t, "collective-mismatch ESTABLISHED");
		if (sizes[i][0] >= 80 && sizes[i][1] > 9)
			screen_find(&t, "attempt 2  LIVE  watchdog 19:36");
		if (sizes[i][0] >= 140)
			screen_find(&t, "a-name");
		screen_free(&t);
	}
	/* The least there is: who, and what to do. */
	struct screen_test t = screen_new(screen_skew(), 40, 8);

	assert_string_equal(screen_line(&t, 0), " UNKNOWN  RANK 3 STILL COMPILES    test");
	screen_free(&t);
}

static void the_title_says_which_job_of_how_many(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 80, 24);

	(void)unused;
	state_set_others(t.state, 2, "2 jobs left out: moe-7 in b.inq");
	assert_non_null(strstr(screen_line(&t, 1), "test  RECORDED 2023-11-14  1 of 3 jobs"));
	screen_find(&t, " others   2 jobs left out: moe-7 in b.inq");
	screen_keys(&t, "5");
	screen_find(&t, " others   2 jobs left out: moe-7 in b.inq");
	state_set_others(t.state, 0, NULL);
	screen_lacks(&t, "others");
	screen_free(&t);
}

static void a_job_that_ends_while_it_is_followed_is_live_no_more(void **unused)
{
	struct screen_test t = screen_live(screen_skew(), 140, 24);

	(void)unused;
	assert_non_null(strstr(screen_line(&t, 1), "  LIVE"));
	assert_non_null(strstr(screen_line(&t, 2), " now"));
	t.job->ended = JOB_YES;
	assert_non_null(strstr(screen_line(&t, 1), "  ENDED"));
	assert_null(strstr(screen_line(&t, 1), "LIVE"));
	assert_non_null(strstr(screen_line(&t, 2), " end"));
	screen_free(&t);
}

/* Rows know of the last attempt only: where the one before it ended, the ruler has a mark. */
static void the_end_of_an_earlier_attempt_is_marked(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 120, 24);
	struct job_process all[16];
	int64_t middle = t.state->bounds.from + (t.state->bounds.to - t.state->bounds.from) / 2;

	(void)unused;
	memcpy(all, t.job->processes, t.job->nprocesses * sizeof(*all));
	all[t.job->nprocesses] = (struct job_process){.rank = NO_RANK,
		.role = JOB_ROLE_RANK,
		.end = JOB_SIGNALED,
		.status = 11,
		.ended = middle};
	t.job->processes = all;
	t.job->nprocesses++;
	assert_null(strstr(screen_line(&t, 2), "attempt"));
	t.job->attempt = 2;
	assert_non_null(strstr(screen_line(&t, 2), "|attempt 2"));
	assert_null(strstr(screen_line(&t, 3), "attempt"));
	assert_non_null(strstr(screen_line(&t, 1), "attempt 2"));
	screen_keys(&t, "5");
	screen_find(&t, "attempt 2 (1 ended 22:14:");
	screen_find(&t, "UTC, SIGSEGV)");
	/* Near the right edge there is room on the left only; out of sight it is not there. */
	all[t.job->nprocesses - 1].ended = t.state->bounds.to - 13 * S;
	assert_non_null(strstr(screen_line(&t, 2), "attempt 1|"));
	screen_keys(&t, "Home w w w");
	assert_null(strstr(screen_line(&t, 2), "attempt"));
	/* It may have been over before all that is seen, and nobody may know when. */
	all[t.job->nprocesses - 1].ended = t.state->bounds.from - 1;
	assert_non_null(strstr(screen_line(&t, 2), " <attempt 1"));
	all[t.job->nprocesses - 1].ended = JOB_UNKNOWN;
	assert_non_null(strstr(screen_line(&t, 2), " <attempt 1"));
	screen_keys(&t, "End");
	assert_null(strstr(screen_line(&t, 2), "attempt"));
	screen_free(&t);
}

/* -- Rows ------------------------------------------------------------------------------------- */

static void what_is_not_drawn_is_said(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 80, 14);
	int rows;

	(void)unused;
	screen_keys(&t, ": type by flat");
	screen_keys(&t, "Enter");
	rows = t.state->layout.rows.h;
	assert_true(rows < 8);
	screen_find(&t, " of 8 rows");
	screen_lacks(&t, "8 of 8 rows");
	screen_find(&t, ">3!");
	screen_lacks(&t, " 7 :");
	screen_keys(&t, "G");
	screen_find(&t, ">7 ");
	screen_free(&t);
}

static void pinned_rows_stay_in_sight(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 80, 16);

	(void)unused;
	screen_keys(&t, ": type by flat");
	screen_keys(&t, "Enter G Space u G Space");
	screen_find(&t, ">7 ");
	screen_keys(&t, "G");
	screen_find(&t, "*7 ");
	screen_find(&t, ">6 ");
	screen_free(&t);
}

/* Where nothing is known of a rank it is seen that nothing is known. */
static void gaps_are_drawn_as_unknown(void **unused)
{
	struct facts *f = screen_skew();
	struct screen_test t;
	const char *row;

	(void)unused;
	facts_lose_ring(f, 5);
	t = screen_new(f, 80, 24);
	row = screen_line(&t, screen_find(&t, "\n 5 ") + 1);
	assert_non_null(strpbrk(row, "?:"));
	assert_null(strchr(row + 3, 'w'));
	screen_free(&t);
}

/* A death is one event: it is there however far one is away. */
static void a_death_is_seen_at_every_zoom(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;

	(void)unused;
	facts_rounds(f, 0, 20, -80000, 1);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 40);
	facts_signal(f, 2, 11, 0, "python", 39.5);
	facts_end(f, 2, JOB_SIGNALED, 11, 39.5);
	t = screen_new(f, 80, 24);
	screen_keys(&t, "0");
	assert_non_null(strchr(screen_line(&t, screen_find(&t, ">2!")) + 3, 'X'));
	screen_find(&t, "X dead");
	screen_keys(&t, ": type by host");
	screen_keys(&t, "Enter 0");
	screen_find(&t, "X dead");
	screen_free(&t);
}

/* Of many ranks in one row the worst is drawn: here, by the tracks that were made one. */
static void the_worst_wins_in_a_fold(void **unused)
{
	struct facts *f = facts_new(40);
	struct screen_test t;
	struct track_span waits = {0};

	(void)unused;
	facts_enter_but(f, 0, 31, JOB_OP_ALLREDUCE, 4096, 20);
	facts_span(f, 31, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 5, FACTS_OPEN);
	facts_span(f, 12, JOB_SPAN_CHECKPOINT, "save", "", 9, 11);
	t = screen_new(f, 80, 24);
	screen_keys(&t, ": type by class");
	screen_keys(&t, "Enter G");
	assert_true(t.state->rows->at[t.state->row].n > 8);
	for (int64_t at = facts_ns(0); at < facts_ns(100); at += S / 2) {
		struct bin bin =
			folds_bin(t.state->folds, (size_t)t.state->row, at, at + S / 2);
		const struct row *row = &t.state->rows->at[t.state->row];
		enum track_state worst = TRACK_NODATA;

		for (size_t i = 0; i < row->n; i++) {
			struct bin one = pyramid_bin(
				t.state->pyramid, (size_t)row->ranks[i].i, at, at + S / 2);

			worst = one.state > worst ? one.state : worst;
			waits.open |= one.state == TRACK_WAITING;
		}
		assert_int_equal(bin.state, worst);
	}
	assert_true(waits.open);
	screen_free(&t);
}

/* -- Ruler ------------------------------------------------------------------------------------ */

static void assert_time(void (*write)(struct str *into), const char *is)
{
	struct str text = {0};

	write(&text);
	assert_string_equal(str_text(&text), is);
	str_release(&text);
}

static void eleven(struct str *into)
{
	draw_relative(into, 668 * S, S);
}

static void hours(struct str *into)
{
	draw_relative(into, 3723 * S, 60 * S);
}

static void millis(struct str *into)
{
	draw_relative(into, 3 * S + S / 4, 50000000);
}

static void before_the_epoch(struct str *into)
{
	draw_real(into, -S, S);
}

static void earliest(struct str *into)
{
	draw_real(into, INT64_MIN, 86400 * S);
}

static void times_read_well(void **unused)
{
	(void)unused;
	assert_time(eleven, "11:08");
	assert_time(hours, "1:02:03");
	assert_time(millis, "0:03.25");
	assert_time(before_the_epoch, "23:59:59");
	assert_time(earliest, "00:12:43");
}

static void the_ruler_follows_the_zoom(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 80, 24);

	(void)unused;
	screen_keys(&t, "j w w w w w w");
	assert_non_null(strstr(screen_line(&t, 2), "0:13.0"));
	screen_lacks(&t, "1:40 end");
	for (int i = 0; i < 40; i++)
		screen_keys(&t, "w");
	assert_non_null(strstr(screen_line(&t, 2), "0:13.000000"));
	screen_free(&t);
}

static void the_tabs_tell_the_cursors_time(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 100, 30);

	(void)unused;
	screen_find(&t, " 0:13  ");
	screen_find(&t, " UTC ");
	screen_free(&t);
}

/* -- Cells ------------------------------------------------------------------------------------ */

static const struct cell *cell_at(struct screen_test *t, int x, int y)
{
	screen_text(t);
	return &t->cells.at[y * t->cells.w + x];
}

static void the_cursor_is_reversed(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 80, 24);
	int x = t.state->label_w + state_axis(t.state).split + 1;
	int y = t.state->layout.rows.y;

	(void)unused;
	assert_true(cell_at(&t, x, y)->reverse);
	/* No label is covered: here stands what it is. */
	assert_false(cell_at(&t, x, t.state->layout.ruler.y)->reverse);
	assert_false(cell_at(&t, x, y + 1)->reverse);
	assert_false(cell_at(&t, x + 1, y)->reverse);
	screen_keys(&t, "h");
	assert_true(cell_at(&t, x - 2, y)->reverse);
	assert_true(cell_at(&t, x - 2, t.state->layout.ruler.y)->reverse);
	screen_keys(&t, "Enter j");
	assert_true(cell_at(&t, 5, t.state->layout.pane.y + 1)->reverse);
	screen_free(&t);
}

static void culprits_and_matches_stand_out(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 80, 24);
	int y = t.state->layout.rows.y;

	(void)unused;
	assert_int_equal(cell_at(&t, 1, y)->style, STYLE_ALARM);
	assert_int_equal(cell_at(&t, 1, y + 1)->style, STYLE_PLAIN);
	screen_keys(&t, "/ 0 Enter");
	assert_int_equal(cell_at(&t, 1, y + 1)->style, STYLE_MATCH);
	assert_int_equal(cell_at(&t, 40, y + 1)->style, STYLE_STATE + (int)TRACK_WAITING);
	screen_free(&t);
}

/* Names come from programs: nothing of them reaches the terminal as it is. */
static void hostile_names_are_harmless(void **unused)
{
	struct facts *f = screen_skew();
	struct screen_test t;

	(void)unused;
	facts_span(f, 3, JOB_SPAN_COMPILE, "\x1b[2J\xe2\x80\xae\xff", "", 50, FACTS_OPEN);
	t = screen_new(f, 120, 40);
	for (int i = 0; i < PANES; i++) {
		state_key(t.state, (char[2]){(char)('1' + i)});
		screen_lacks(&t, "\x1b");
		screen_lacks(&t, "\xff");
		state_set_utf8(t.state, i % 2);
	}
	screen_lacks(&t, "\xe2\x80\xae");
	screen_free(&t);
}

static void a_long_line_of_the_prompt_shows_its_cursor(void **unused)
{
	struct screen_test t = screen_new(screen_skew(), 40, 12);
	bool reversed = false;

	(void)unused;
	screen_keys(&t, ":");
	for (int i = 0; i < 100; i++)
		screen_keys(&t, i % 2 ? "x" : "y");
	screen_text(&t);
	for (int x = 0; x < 40; x++)
		reversed = reversed || t.cells.at[11 * 40 + x].reverse;
	assert_true(reversed);
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_screen_of_eight),
		cmocka_unit_test(the_same_in_forty_columns),
		cmocka_unit_test(the_same_in_blocks),
		cmocka_unit_test(a_terminal_too_small_says_what_it_needs),
		cmocka_unit_test(the_title_says_wait_or_kill_and_counts_down),
		cmocka_unit_test(the_verdict_counts_down_as_the_title_does),
		cmocka_unit_test(the_title_says_that_the_outlook_is_unknown),
		cmocka_unit_test(the_title_keeps_what_matters),
		cmocka_unit_test(the_title_says_which_job_of_how_many),
		cmocka_unit_test(the_end_of_an_earlier_attempt_is_marked),
		cmocka_unit_test(a_job_that_ends_while_it_is_followed_is_live_no_more),
		cmocka_unit_test(what_is_not_drawn_is_said),
		cmocka_unit_test(pinned_rows_stay_in_sight),
		cmocka_unit_test(gaps_are_drawn_as_unknown),
		cmocka_unit_test(a_death_is_seen_at_every_zoom),
		cmocka_unit_test(the_worst_wins_in_a_fold),
		cmocka_unit_test(times_read_well),
		cmocka_unit_test(the_ruler_follows_the_zoom),
		cmocka_unit_test(the_tabs_tell_the_cursors_time),
		cmocka_unit_test(the_cursor_is_reversed),
		cmocka_unit_test(culprits_and_matches_stand_out),
		cmocka_unit_test(hostile_names_are_harmless),
		cmocka_unit_test(a_long_line_of_the_prompt_shows_its_cursor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
