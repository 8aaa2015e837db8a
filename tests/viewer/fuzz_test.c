/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any keys, on any job, at any size: what is drawn is always a whole screen of clean characters.
 * `FUZZ_ROUNDS=1000 FUZZ_SEED=7 tests/viewer/fuzz_test` tries more, or others.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaos.h"
#include "job/build.h"
#include "verdict/verdict.h"
#include "viewer/draw.h"

#define KEYS_PRESSED 60

struct screen_under {
	struct state *state;
	struct cells cells;
	struct job *job;
	struct verdicts *verdicts;
	int w, h;
};

static unsigned long number_in(const char *variable, unsigned long otherwise)
{
	const char *said = getenv(variable);

	return said && *said ? strtoul(said, NULL, 10) : otherwise;
}

/* Bytes of a well-formed character that is no control; 0 where there is none. */
static size_t clean_char(const unsigned char *at)
{
	size_t n = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

	if (*at < 0x20 || *at == 0x7f || (*at >= 0x80 && *at < 0xc2) || *at > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if (*at == 0xc2 && at[1] < 0xa0)
		return 0; /* C1 controls */
	return n;
}

static void expect_clean(const struct cells *cells)
{
	for (int i = 0; i < cells->w * cells->h; i++) {
		const struct cell *cell = &cells->at[i];
		const unsigned char *at = (const unsigned char *)cell->text;

		assert_non_null(memchr(cell->text, '\0', sizeof(cell->text)));
		assert_true(cell->style < STYLES);
		while (*at) {
			size_t n = clean_char(at);

			assert_int_not_equal(n, 0);
			assert_true(cells->utf8 || *at < 0x80);
			at += n;
		}
	}
}

static void draw_it(struct screen_under *under)
{
	struct str text = {0};
	int lines = 0;

	draw_screen(under->state, &under->cells);
	assert_int_equal(under->cells.w, under->w);
	assert_int_equal(under->cells.h, under->h);
	expect_clean(&under->cells);
	cells_text(&under->cells, &text);
	for (size_t i = 0; i < text.len; i++)
		lines += text.text[i] == '\n';
	assert_int_equal(lines, under->h);
	str_release(&text);
}

static void resize_it(struct screen_under *under, uint64_t *draw)
{
	bool small = chaos_draw(draw, 3) == 0;

	under->w = 1 + (int)chaos_draw(draw, small ? 45 : 400);
	under->h = 1 + (int)chaos_draw(draw, small ? 10 : 120);
	state_resize(under->state, under->w, under->h);
}

/* Another look at the job, or at quite another one. */
static void load_it(struct screen_under *under, uint64_t *draw, int nranks)
{
	struct job *job = chaos_job(draw, nranks, nranks > 500 ? 3 : 20);
	struct verdicts *verdicts = verdicts_of(job);

	state_load(under->state, job, verdicts, chaos_name(draw), chaos_draw(draw, 2),
		job->gathered);
	verdicts_free(under->verdicts);
	job_free(under->job);
	under->job = job;
	under->verdicts = verdicts;
}

/* A key of the table, or a character by chance. */
static void press(struct screen_under *under, uint64_t *draw)
{
	const char *keys = keys_of((enum request)(1 + chaos_draw(draw, REQUESTS - 1)));
	const char *argument;
	char name[16];

	switch (chaos_draw(draw, 8)) {
	case 0:
		snprintf(name, sizeof(name), "%c", (char)(' ' + chaos_draw(draw, 95)));
		break;
	case 1:
		snprintf(name, sizeof(name), "%s", chaos_draw(draw, 2) ? "Enter" : "Esc");
		break;
	default:
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(keys, " "), keys);
	}
	state_key(under->state, name);
	while (state_effect(under->state, &argument) != EFFECT_NONE)
		state_say(under->state, chaos_name(draw));
}

static void point(struct screen_under *under, uint64_t *draw)
{
	state_mouse(under->state, (int)chaos_draw(draw, 420) - 10, (int)chaos_draw(draw, 140) - 10,
		(int)chaos_draw(draw, 3) - 1, chaos_draw(draw, 2));
}

static void play(uint64_t seed, int nranks)
{
	uint64_t draw = seed * 0x9e3779b97f4a7c15u + 1;
	struct screen_under under = {.state = state_new()};

	state_set_utf8(under.state, chaos_draw(&draw, 2));
	resize_it(&under, &draw);
	load_it(&under, &draw, nranks);
	draw_it(&under);
	for (int i = 0; i < KEYS_PRESSED; i++) {
		switch (chaos_draw(&draw, 12)) {
		case 0:
			resize_it(&under, &draw);
			break;
		case 1:
			point(&under, &draw);
			break;
		default:
			press(&under, &draw);
		}
		if (nranks <= 100 && chaos_draw(&draw, 30) == 0)
			load_it(&under, &draw, 1 + (int)chaos_draw(&draw, (uint64_t)nranks));
		draw_it(&under);
	}
	state_free(under.state);
	cells_release(&under.cells);
	verdicts_free(under.verdicts);
	job_free(under.job);
}

static void small_jobs(void **unused)
{
	unsigned long first = number_in("FUZZ_SEED", 1), rounds = number_in("FUZZ_ROUNDS", 60);

	for (unsigned long seed = first; seed < first + rounds; seed++) {
		uint64_t draw = seed * 77 + 1;

		print_message("seed %lu\n", seed);
		play(seed, 1 + (int)chaos_draw(&draw, chaos_draw(&draw, 2) ? 12 : 100));
	}
}

static void large_jobs(void **unused)
{
	unsigned long seed = number_in("FUZZ_SEED", 1);

	play(seed, 1024);
	play(seed + 1, 10000);
}

static void no_ranks_at_all(void **unused)
{
	struct screen_under under = {.state = state_new()};
	uint64_t draw = 5;

	resize_it(&under, &draw);
	under.job = job_seal(job_builder_new());
	under.verdicts = verdicts_of(under.job);
	state_load(under.state, under.job, under.verdicts, "", false, JOB_UNKNOWN);
	for (int i = 0; i < 300; i++) {
		press(&under, &draw);
		if (i % 20 == 0)
			resize_it(&under, &draw);
		draw_it(&under);
	}
	state_free(under.state);
	cells_release(&under.cells);
	verdicts_free(under.verdicts);
	job_free(under.job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_ranks_at_all),
		cmocka_unit_test(small_jobs),
		cmocka_unit_test(large_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
