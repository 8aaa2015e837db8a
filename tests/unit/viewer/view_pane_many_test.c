/* SPDX-License-Identifier: Apache-2.0 */
/* Panes of many events, of strangers' names, and of ten thousand ranks. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/unit/many_ranks.h"
#include "tests/unit/pane_look.h"
#include "viewer/draw.h"
#include "viewer/state/state-private.h"
#include "words/escape.h"

/* -- many events ------------------------------------------------------------------------------- */

static size_t items_of(const struct look *look, enum pane_number pane, size_t *ret_from,
	size_t *ret_to)
{
	struct pane_lines lines = {.here = -1};
	size_t items;

	panes[pane].fill(&look->scene, &look->place, &lines);
	items = lines.items;
	*ret_from = lines.from;
	*ret_to = lines.to;
	assert_true(lines.here < 0 || lines.all.items[lines.here].item < lines.to);
	pane_lines_release(&lines);
	return items;
}

static void of_many_events_there_are_lines_around_the_users(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;
	size_t from, to;
	(void)state;

	for (int i = 0; i < 110; i++)
		facts_span(f, 0, JOB_SPAN_USER, "s", "", 1 + i * 0.5, 1.2 + i * 0.5);
	look_at(&look, f);
	look.place.rank = rank_index(0);
	assert_int_equal(items_of(&look, PANE_EVENTS, &from, &to), 220);
	assert_int_equal(from, 119);
	assert_int_equal(to, 220);
	look.place.when = facts_ns(1);
	items_of(&look, PANE_EVENTS, &from, &to);
	assert_int_equal(from, 0);
	assert_int_equal(to, 100);
	look.place.seek = false;
	look.place.item = 150;
	items_of(&look, PANE_EVENTS, &from, &to);
	assert_int_equal(from, 50);
	assert_int_equal(to, 220);
	look_away(&look);
}

/* -- panes that come back ---------------------------------------------------------------------- */

static char *screen_of(struct state *state)
{
	struct cells cells = {0};
	struct str text = {0};

	draw_screen(state, &cells);
	cells_text(&cells, &text);
	cells_release(&cells);
	return text.text;
}

/* What was made of a pane is kept while another is seen: it must not be seen of another rank. */
static void a_pane_that_comes_back_is_of_the_rank_that_is_chosen(void **state)
{
	static const char *const walks[][8] = {
		{"4", "j", "1", "3", "4"}, {"j", "4"},
		{"1", "5", "j", "2", "k", "3", "4"}, {"4"},
		{"3", "d", "d", "1", "j", "3"}, {"d", "d", "j", "3"}};
	struct facts *f = facts_new(6);
	struct look look;
	(void)state;

	for (int rank = 0; rank < 6; rank++)
		facts_span(f, rank, JOB_SPAN_USER, "s", "", 1 + rank, 2 + rank);
	look_at(&look, f);
	for (size_t i = 0; i < sizeof(walks) / sizeof(*walks); i += 2) {
		char *seen[2];

		for (size_t k = 0; k < 2; k++) {
			struct state *view = state_new();

			state_resize(view, 160, 50);
			state_load(view, look.scene.job, look.scene.verdicts, "a job", false, 0);
			for (size_t key = 0; walks[i + k][key]; key++) {
				state_key(view, walks[i + k][key]);
				free(screen_of(view));
			}
			seen[k] = screen_of(view);
			state_free(view);
		}
		assert_string_equal(seen[0], seen[1]);
		free(seen[0]);
		free(seen[1]);
	}
	look_away(&look);
}

/* -- paging ------------------------------------------------------------------------------------ */

#define THOUSANDS 5000

/* A rank whose events are all of one moment: no time tells them apart. */
static struct state *at_one_moment(struct look *look, struct job_note *notes)
{
	struct state *state = state_new();
	struct facts *f = facts_new(2);

	look_at(look, f);
	for (int i = 0; i < THOUSANDS; i++)
		notes[i] = (struct job_note){
			.rank = {1}, .text = "note", .when = facts_ns(50), .cite = "ring:1:note"};
	notes[4321].text = "needle";
	look->job->notes = notes;
	look->job->nnotes = THOUSANDS;
	state_resize(state, 100, 40);
	state_load(state, look->job, look->verdicts, "x.inq", false, look->job->gathered);
	state_key(state, "G");
	state_key(state, "3");
	state_key(state, "O");
	return state;
}

static void press(struct state *state, const char *key, int times)
{
	for (int i = 0; i < times; i++)
		state_key(state, key);
}

/* Each is come by, and the screen stays where it is but for the line. */
static void events_of_one_moment_can_be_paged(void **unused)
{
	struct job_note *notes = alloc_zeroed(THOUSANDS, sizeof(*notes));
	struct look look;
	struct state *state = at_one_moment(&look, notes);
	(void)unused;

	press(state, "g", 1);
	assert_int_equal(state->line_top[PANE_EVENTS], 0);
	for (size_t before = 0; before + 1 < THOUSANDS; before = state->item[PANE_EVENTS]) {
		press(state, "j", 1);
		/* The one that the cursor is at has more lines. */
		assert_in_range(state->item[PANE_EVENTS], before, before + 1);
		assert_true(state->lines.lines.all.nr < 400);
		assert_true(state->line[PANE_EVENTS] >= state->line_top[PANE_EVENTS]);
	}
	press(state, "g", 1);
	assert_int_equal(state->line_top[PANE_EVENTS], 0);
	press(state, "G", 1);
	assert_int_equal(state->item[PANE_EVENTS], THOUSANDS - 1);
	press(state, "Ctrl-U", 2);
	assert_in_range(state->item[PANE_EVENTS], THOUSANDS - 60, THOUSANDS - 10);
	press(state, "k", THOUSANDS + 10);
	assert_int_equal(state->line[PANE_EVENTS], 0);
	state_free(state);
	look_away(&look);
	free(notes);
}

static void what_has_no_line_now_is_found(void **unused)
{
	static const char *const keys[] = {"/", "n", "e", "e", "d", "l", "e", "Enter"};
	struct job_note *notes = alloc_zeroed(THOUSANDS, sizeof(*notes));
	struct look look;
	struct state *state = at_one_moment(&look, notes);
	(void)unused;

	press(state, "g", 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		state_key(state, keys[i]);
	assert_non_null(strstr(state_line(state)->text, "needle"));
	assert_int_equal(state->item[PANE_EVENTS], 4321);
	/* It is the cursor's then: all of its fields are seen. */
	state_key(state, "Enter");
	assert_int_equal(state->lines.lines.all.items[state->lines.lines.here].item, 4321);
	press(state, "G", 1);
	state_key(state, "n");
	assert_int_equal(state->item[PANE_EVENTS], 4321);
	state_key(state, "N");
	assert_int_equal(state->item[PANE_EVENTS], 4321);
	state_free(state);
	look_away(&look);
	free(notes);
}

/* In the pane, Enter on a line of the verdict and then another pane: it is where the event is. */
static void a_pane_opens_where_the_cursor_is(void **unused)
{
	static const char *const keys[] = {"O", "1", "j", "Enter", "3"};
	struct cells cells = {0};
	struct str text = {0};
	struct look look;
	struct state *state = state_new();
	struct facts *f = facts_new(2);
	(void)unused;

	for (int i = 0; i < 40; i++)
		facts_span(f, 1, JOB_SPAN_USER, "s", "", 1 + i, 1.5 + i);
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 52);
	look_at(&look, f);
	state_resize(state, 80, 20);
	state_load(state, look.job, look.verdicts, "x.inq", false, look.job->gathered);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		state_key(state, keys[i]);
	draw_screen(state, &cells);
	cells_text(&cells, &text);
	assert_non_null(strstr(str_text(&text), ">+0:52.000  22:14:12.000 died      SIGKILL"));
	assert_non_null(strstr(str_text(&text), "pid 1001; lived 52 s"));
	str_release(&text);
	cells_release(&cells);
	state_free(state);
	look_away(&look);
}

/* -- strangers --------------------------------------------------------------------------------- */

#define HOSTILE "\x1b[2J\xff\xe2\x80\xae%s%n\u4e2d\xcc\x81\n\t"

static void expect_safe(const struct look *look, int width)
{
	struct look own = *look;

	own.place.width = width;
	for (int all = 0; all < 2; all++) {
		own.place.all = all;
		for (int p = 0; p < PANES; p++) {
			struct pane_lines lines = {.here = -1};
			const struct pane_line *line;

			panes[p].fill(&own.scene, &own.place, &lines);
			assert_true(lines.all.nr > 0);
			assert_true(lines.here < (ptrdiff_t)lines.all.nr);
			array_for_each (&lines.all, line) {
				struct str safe = {0};

				/* It is safe as it is: drawing it changes nothing. */
				escape_text(&safe, line->text, true);
				assert_string_equal(str_text(&safe), line->text);
				/* Of frames the end is cut off where they are drawn. */
				if (width >= 40 && p != PANE_STACKS &&
					escape_width(line->text) >= (size_t)width)
					fail_msg("%s, %d columns: %s", panes[p].name, width,
						line->text);
				str_release(&safe);
			}
			pane_lines_release(&lines);
		}
	}
}

static void hostile_names_are_escaped_and_fit(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;
	(void)state;

	f->group_names[0] = HOSTILE "group" HOSTILE HOSTILE HOSTILE HOSTILE;
	f->group_makers[0] = HOSTILE;
	f->group_ranks[0] = HOSTILE HOSTILE HOSTILE;
	f->hosts[0].name = HOSTILE "host";
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 16, 30);
	f->members[0][0].ops[0].cite = "ring:0:" HOSTILE;
	for (int i = 0; i < 4; i++) {
		facts_span(f, i, JOB_SPAN_COMPILE, HOSTILE "name", HOSTILE "detail", 5 + i,
			i == 2 ? FACTS_OPEN : 20);
		facts_trait(f, i, HOSTILE, HOSTILE "value", i);
		facts_trait(f, i, "cache", HOSTILE "/cache", i);
		facts_say(f, i, HOSTILE "note", 7);
		facts_log(f, i, HOSTILE "log");
		facts_loss(f, i, HOSTILE "loss");
		facts_stack(f, i, i == 2 ? HOSTILE "fn@/me/" HOSTILE ".py:7 < main@/me/t.py:3"
					 : "poll@" HOSTILE ".so < main@/me/t.py:4");
		facts_stack_of(f, i, HOSTILE, 90, "clone@libc.so.6");
	}
	facts_note(f, 2, HOSTILE "exception", 40);
	look_at(&look, f);
	look.scene.origin = HOSTILE "origin";
	for (int width = 0; width < 200; width += width < 60 ? 1 : 7)
		for (int rank = 0; rank < 4; rank++) {
			look.place.rank = rank_index(rank);
			expect_safe(&look, width);
		}
	look_away(&look);
}

/* -- many ranks -------------------------------------------------------------------------------- */

static size_t lines_of(const struct look *look, enum pane_number pane)
{
	struct pane_lines lines = {.here = -1};
	size_t n;

	panes[pane].fill(&look->scene, &look->place, &lines);
	n = lines.all.nr;
	pane_lines_release(&lines);
	return n;
}

static void ten_thousand_alike_are_a_few_lines(void **state)
{
	struct look look;
	char *text;
	(void)state;

	look_at_job(&look, many_ranks_job(&(struct many_ranks){.n = 10000, .missing = 4711}));
	for (int p = 0; p < PANES; p++)
		assert_in_range(lines_of(&look, (enum pane_number)p), 5, 20);
	look_expect(&look, PANE_STACKS,
		" 10000 stacks of main threads, 2 classes\n"
		">4711             still in 3 samples; in poll || stack\n"
		" 0-4710,4712-9999 still in 3 samples; in poll\n"
		">0-9999           main || /me/train.py:2\n"
		">4711               step  <- own code || /me/train.py:4721\n"
		">                   poll || libc.so.6\n"
		" 0-4710,4712-9999   step || /me/train.py:9\n"
		"                    poll || libc.so.6\n");
	look_expect(&look, PANE_GROUPS,
		">world: 10000 ranks, nccl; AllReduce #2: 9999 here, 1 missing; || ring:group\n"
		"   rear #1\n"
		">4711     MISSING in #2; last AllReduce #1, +0:10.000; || ring:op\n"
		"           now own code, step train.py:4721\n"
		" 0-4710,4712-9999 entered AllReduce #2, float32 x4096 sum, +0:20.000, not\n"
		"           completed\n"
		">node588: 8 ranks, nccl; AllReduce #1: 8 here || ring:group\n"
		">4704-4711 entered AllReduce #1, float32 x4096 sum, +0:10.000, completed\n"
		" 1249 groups of 8 ranks, all at AllReduce #1: node0, node1, node2, node3,\n"
		"  node4, node5, node6, node7, node8, node9, node10, node11, node12, "
		"node13, ...\n");
	text = look_page(&look, PANE_VERDICT);
	assert_non_null(strstr(text, " 0-4710,4712-9999 in AllReduce #2 world, 1:20 ||"));
	free(text);
	text = look_page(&look, PANE_RECEIPT);
	assert_non_null(strstr(text, " lost     ranks 0-9999: step of 0 || ring\n"));
	assert_non_null(strstr(text, " host     oom_kill +0; agent alive, last word "));
	free(text);
	look_away(&look);
}

/* However different they are; and the selected rank's stack is among what is shown. */
static void ten_thousand_unalike_are_bounded(void **state)
{
	struct look look;
	size_t items, from, to;
	char *text;
	(void)state;

	look_at_job(&look, many_ranks_job(&(struct many_ranks){
				   .n = 10000, .missing = 4711, .unalike = true}));
	look.place.rank = rank_index(9998);
	for (int p = 0; p < PANES; p++)
		assert_in_range(lines_of(&look, (enum pane_number)p), 5, 1100);
	text = look_page(&look, PANE_STACKS);
	assert_non_null(strstr(text, "\n>9998          step  <- own code || /me/train.py:10008\n"));
	assert_null(strstr(text, "train.py:1000 "));
	free(text);
	look.place.all = true;
	for (int p = 0; p < PANES; p++)
		assert_in_range(lines_of(&look, (enum pane_number)p), 5, 1100);
	/* All others are a page further: each rank has a class, and its frames have lines. */
	look.place.seek = false;
	items = items_of(&look, PANE_STACKS, &from, &to);
	assert_in_range(items, 30000, 31000);
	for (size_t seen = 0; seen < items; seen = to) {
		look.place.item = seen;
		items_of(&look, PANE_STACKS, &from, &to);
		assert_true(from <= seen && to > seen);
	}
	from = panes[PANE_STACKS].find(&look.scene, &look.place, "train.py:4999", 0, false);
	to = panes[PANE_STACKS].find(&look.scene, &look.place, "train.py:4999", items - 1, true);
	assert_int_equal(from, to);
	assert_true(from < items);
	look_away(&look);
}

/* Also of a row of a thousand one sees what share of the time they waited. */
static void a_row_of_many_has_its_share(void **unused)
{
	struct look look;
	struct state *state = state_new();
	struct cells cells = {0};
	struct str text = {0};
	(void)unused;

	look_at_job(&look, many_ranks_job(&(struct many_ranks){.n = 1000, .missing = 471}));
	state_resize(state, 100, 24);
	state_load(state, look.scene.job, look.scene.verdicts, "many", false, 0);
	draw_screen(state, &cells);
	cells_text(&cells, &text);
	assert_true(state->rows->at[1].n > 900);
	if (!strstr(str_text(&text), "% AllReduce #2"))
		fail_msg("%s", str_text(&text));
	str_release(&text);
	cells_release(&cells);
	state_free(state);
	look_away(&look);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_many_events_there_are_lines_around_the_users),
		cmocka_unit_test(a_pane_that_comes_back_is_of_the_rank_that_is_chosen),
		cmocka_unit_test(events_of_one_moment_can_be_paged),
		cmocka_unit_test(what_has_no_line_now_is_found),
		cmocka_unit_test(a_pane_opens_where_the_cursor_is),
		cmocka_unit_test(hostile_names_are_escaped_and_fit),
		cmocka_unit_test(ten_thousand_alike_are_a_few_lines),
		cmocka_unit_test(ten_thousand_unalike_are_bounded),
		cmocka_unit_test(a_row_of_many_has_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
