/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks share a row, in which order, and which a filter leaves. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>

#include "base/str.h"
#include "tests/unit/facts.h"
#include "viewer/state/rows.h"

struct look {
	struct job *job;
	struct verdicts *verdicts;
	struct tracks *tracks;
};

static struct look look_at(struct facts *f)
{
	struct look look = {.job = facts_job(f)};

	look.verdicts = verdicts_of(look.job);
	look.tracks = tracks_new(look.verdicts);
	facts_free(f);
	return look;
}

static void look_away(struct look *look)
{
	tracks_free(look->tracks);
	verdicts_free(look->verdicts);
	job_free(look->job);
}

/* Rank 3 compiles, all others wait in the first AllReduce. */
static struct facts *skewed(int n)
{
	struct facts *f = facts_new(n);

	for (int rank = 0; rank < n; rank++)
		facts_span(f, rank, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10,
			rank == 3 ? FACTS_OPEN : 30);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
	return f;
}

/* "3! | 0-2,4-7": "!" a culprit, "+" open, "*" pinned, ">" below a fold; and what must hold. */
static void expect_rows(const struct look *look, const struct rows_wish *wish, const char *wanted)
{
	struct rows *rows = rows_new(look->tracks, look->verdicts, wish);
	struct str text = {0};
	size_t ranks = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->at[i];

		str_printf(&text, "%s%s%s%s%s%s", i ? " | " : "", row->depth ? ">" : "", row->label,
			row->culprit ? "!" : "", row->open ? "+" : "", row->tagged ? "*" : "");
		ranks += row->depth ? 0 : row->n;
		assert_true(row->n > 0);
		for (size_t k = 0; k < row->n; k++)
			assert_int_equal(rows_of_rank(rows, row->ranks[k]),
				row->open ? (ptrdiff_t)(i + 1 + k) : (ptrdiff_t)i);
	}
	assert_string_equal(str_text(&text), wanted);
	assert_int_equal(rows->ranks, ranks);
	assert_int_equal(rows->ranks + rows->hidden, look->tracks->n);
	str_release(&text);
	rows_free(rows);
}

/* The classes, if nobody were a culprit. */
static void expect_blameless(const struct look *look, const char *wanted)
{
	struct verdicts nobody = *look->verdicts;
	struct look blameless = *look;

	nobody.n = 0;
	blameless.verdicts = &nobody;
	expect_rows(&blameless, &(struct rows_wish){.room = 2}, wanted);
}

static void eight_ranks_are_eight_rows_and_the_culprit_is_first(void **state)
{
	struct look look = look_at(skewed(8));

	expect_rows(&look, &(struct rows_wish){.room = 8}, "3! | 0 | 1 | 2 | 4 | 5 | 6 | 7");
	look_away(&look);
}

static void what_does_not_fit_is_folded_by_class(void **state)
{
	struct look look = look_at(skewed(8));
	struct rows *rows;

	expect_rows(&look, &(struct rows_wish){.room = 7}, "3! | 0-2,4-7");
	rows = rows_new(look.tracks, look.verdicts, &(struct rows_wish){.room = 7});
	assert_int_equal(rows->by, ROWS_BY_CLASS);
	assert_true(rows->at[1].victim);
	assert_false(rows->at[0].victim);
	assert_int_equal(rows_of_rank(rows, NO_RANK), -1);
	assert_int_equal(rows_of_rank(rows, rank_index(8)), -1);
	rows_free(rows);
	look_away(&look);
}

static void classes_are_states_and_what_they_do_without_ids(void **state)
{
	struct facts *f = facts_new(12);
	struct look look;

	/* Pipelines: all receive, each from another peer; two send; one is dead; one compiles. */
	for (int rank = 1; rank < 8; rank++)
		facts_p2p(f, 0, rank, JOB_OP_RECV, rank - 1, 30, true);
	facts_p2p(f, 0, 8, JOB_OP_SEND, 9, 30, true);
	facts_p2p(f, 0, 9, JOB_OP_SEND, 10, 30, true);
	facts_span(f, 10, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10, FACTS_OPEN);
	facts_span(f, 11, JOB_SPAN_COMPILE, "inductor codegen", "7/1", 12, FACTS_OPEN);
	look = look_at(f);
	expect_blameless(&look, "0 | 8-9 | 10-11 | 1-7");
	look_away(&look);
}

static void deaths_differ_by_how(void **state)
{
	struct facts *f = facts_new(6);
	struct look look;

	facts_end(f, 1, JOB_EXITED, 1, 50);
	facts_end(f, 2, JOB_EXITED, 0, 50);
	facts_end(f, 4, JOB_EXITED, 0, 51);
	facts_end(f, 5, JOB_SIGNALED, SIGKILL, 50);
	look = look_at(f);
	expect_blameless(&look, "1 | 5 | 0,3 | 2,4");
	look_away(&look);
}

static void a_fold_opens_into_its_ranks(void **state)
{
	struct look look = look_at(skewed(6));
	bool expanded[6] = {true, true, false, true};

	expect_rows(&look,
		&(struct rows_wish){.by = ROWS_BY_CLASS, .by_chosen = true, .expanded = expanded},
		"3! | 0-2,4-5+ | >0 | >1 | >2 | >4 | >5");
	expect_rows(&look,
		&(struct rows_wish){.by = ROWS_BY_HOST, .by_chosen = true, .all_expanded = true},
		"hostA: 3! | hostA: 0-2,4-5+ | >0 | >1 | >2 | >4 | >5");
	look_away(&look);
}

static void pinned_ranks_are_on_top(void **state)
{
	struct look look = look_at(skewed(6));
	bool tagged[6] = {[2] = true, [5] = true};

	expect_rows(&look, &(struct rows_wish){.room = 6, .tagged = tagged},
		"2* | 5* | 3! | 0 | 1 | 4");
	expect_rows(&look, &(struct rows_wish){.room = 2, .tagged = tagged},
		"2,5* | 3! | 0-1,4");
	look_away(&look);
}

static void hosts_are_rows_by_name(void **state)
{
	struct facts *f = skewed(8);
	struct look look;

	for (int rank = 4; rank < 8; rank++)
		facts_move(f, rank, 1);
	f->nhosts = 2;
	look = look_at(f);
	expect_rows(&look, &(struct rows_wish){.by = ROWS_BY_HOST, .by_chosen = true},
		"hostA: 3! | hostA: 0-2 | hostB");
	look_away(&look);
}

static void groups_are_the_largest_that_are_not_all(void **state)
{
	struct facts *f = skewed(8);
	struct look look;
	int a, b;

	a = facts_group_of(f, 4, 0, 1, 2, 3);
	b = facts_group_of(f, 3, 4, 5, 6);
	facts_group_of(f, 2, 0, 1);
	f->group_names[a] = "dp0";
	f->group_names[b] = "dp1";
	look = look_at(f);
	expect_rows(&look, &(struct rows_wish){.by = ROWS_BY_GROUP, .by_chosen = true},
		"dp0: 3! | dp0: 0-2 | dp1: 4-6 | world: 7");
	look_away(&look);
}

/* -- filters ----------------------------------------------------------------------------------- */

static void expect_left(const struct look *look, const char *filter, const char *wanted)
{
	struct rows *rows;
	struct str why = {0}, text = {0};

	assert_true(rows_filter_is_valid(filter, &why));
	assert_string_equal(str_text(&why), "");
	rows = rows_new(look->tracks, look->verdicts,
		&(struct rows_wish){.by = ROWS_FLAT, .by_chosen = true, .filter = filter});
	for (size_t i = 0; i < look->tracks->n; i++)
		if (rows_of_rank(rows, rank_index(i)) >= 0)
			str_printf(&text, "%s%d", text.len ? "," : "", (int)i);
	assert_string_equal(str_text(&text), wanted);
	assert_int_equal(rows->n, rows->ranks);
	str_release(&text);
	rows_free(rows);
}

static void filters_leave_whom_they_name(void **state)
{
	struct facts *f = skewed(8);
	struct look look;
	int group;

	for (int rank = 4; rank < 8; rank++)
		facts_move(f, rank, 1);
	f->nhosts = 2;
	facts_end(f, 6, JOB_SIGNALED, SIGKILL, 90);
	group = facts_group_of(f, 2, 1, 2);
	f->group_names[group] = "tp-0";
	look = look_at(f);
	expect_left(&look, "", "0,1,2,3,4,5,6,7");
	expect_left(&look, "  ", "0,1,2,3,4,5,6,7");
	expect_left(&look, "rank:0-2,5", "0,1,2,5");
	expect_left(&look, "rank:900", "");
	expect_left(&look, "!rank:0-6", "7");
	expect_left(&look, "host:hostB", "4,5,6,7");
	expect_left(&look, "@hosta", "0,1,2,3");
	expect_left(&look, "@host*", "0,1,2,3,4,5,6,7");
	expect_left(&look, "@host", "");
	expect_left(&look, "state:waiting", "0,1,2,4,5,7");
	expect_left(&look, "state:dead", "6");
	expect_left(&look, "!state:waiting", "3,6");
	expect_left(&look, "group:tp-0", "1,2");
	expect_left(&look, "group:tp*", "1,2");
	expect_left(&look, "codegen", "3");
	expect_left(&look, "ALLREDUCE", "0,1,2,4,5,7");
	expect_left(&look, "tp-", "1,2");
	expect_left(&look, "state:waiting @hostB !rank:4", "5,7");
	expect_left(&look, "nothing-is-called-so", "");
	look_away(&look);
}

static void what_is_no_filter_is_refused_in_words(void **state)
{
	static const char *const bad[] = {"rank:", "rank:x", "rank:3-", "rank:3-1", "rank:3,",
		"rank:99999999999", "rank:1 rank:,", "state:", "state:sleepy", "host:", "@", "!",
		"!rank:", "group:", "stat:hung", "!node:3"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct str why = {0};

		assert_false(rows_filter_is_valid(bad[i], &why));
		assert_true(why.len > 0);
		str_release(&why);
	}
}

static void hidden_ranks_are_counted(void **state)
{
	struct look look = look_at(skewed(8));
	struct rows *rows = rows_new(look.tracks, look.verdicts,
		&(struct rows_wish){.room = 3, .filter = "rank:3-5"});

	assert_int_equal(rows->ranks, 3);
	assert_int_equal(rows->hidden, 5);
	assert_int_equal(rows->by, ROWS_FLAT); /* what is left fits */
	rows_free(rows);
	look_away(&look);
}

static void names_from_outside_are_escaped(void **state)
{
	struct facts *f = skewed(4);
	struct look look;

	f->group_names[facts_group_of(f, 2, 0, 1)] = "evil\033[2J";
	look = look_at(f);
	expect_rows(&look,
		&(struct rows_wish){.by = ROWS_BY_GROUP, .by_chosen = true, .filter = "!rank:2-3"},
		"evil\\x1b[2J: 0-1");
	look_away(&look);
}

/* Who came to one operation with other arguments is seen in the row, with nothing blamed. */
static void arguments_that_differ_stand_in_the_row(void **state)
{
	struct facts *f = facts_new(3);
	struct look look;
	struct rows *rows;

	for (int rank = 0; rank < 3; rank++)
		facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, rank == 1 ? 31 : 32, 20)->sig.dtype =
			rank == 2 ? 6 : 7;
	look = look_at(f);
	rows = rows_new(look.tracks, look.verdicts,
		&(struct rows_wish){.by = ROWS_FLAT, .by_chosen = true, .room = 9});
	for (size_t i = 0; i < rows->n; i++) {
		struct rank_index rank = rows->at[i].ranks[0];

		assert_string_equal(rows->at[i].words,
			rank.i == 0   ? "AllReduce #1 count 32 float32"
			: rank.i == 1 ? "AllReduce #1 count 31 float32"
				    : "AllReduce #1 count 32 float16");
	}
	rows_free(rows);
	look_away(&look);
}

static void names_are_there_for_all(void **state)
{
	for (int i = -1; i <= ROWS_BYS; i++)
		assert_true(*rows_by_name((enum rows_by)i));
	rows_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_ranks_are_eight_rows_and_the_culprit_is_first),
		cmocka_unit_test(what_does_not_fit_is_folded_by_class),
		cmocka_unit_test(classes_are_states_and_what_they_do_without_ids),
		cmocka_unit_test(deaths_differ_by_how),
		cmocka_unit_test(a_fold_opens_into_its_ranks),
		cmocka_unit_test(pinned_ranks_are_on_top),
		cmocka_unit_test(hosts_are_rows_by_name),
		cmocka_unit_test(groups_are_the_largest_that_are_not_all),
		cmocka_unit_test(filters_leave_whom_they_name),
		cmocka_unit_test(what_is_no_filter_is_refused_in_words),
		cmocka_unit_test(hidden_ranks_are_counted),
		cmocka_unit_test(names_from_outside_are_escaped),
		cmocka_unit_test(arguments_that_differ_stand_in_the_row),
		cmocka_unit_test(names_are_there_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
