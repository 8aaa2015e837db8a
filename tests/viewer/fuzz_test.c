/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any keys, on any job of 0 to 10,000 ranks, at any size from 1x1 to 400x120: what is drawn is
 * always a whole screen of characters that a terminal may see, and the cursor is where there is
 * something. Under the sanitizers nothing may be read that is not there.
 *
 * A round is its seed: FUZZ_SEED is the first, FUZZ_ROUNDS how many, and no round is begun after
 * FUZZ_SECONDS. `make fuzz-view` plays for long, from a seed that nobody has seen.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chaos.h"
#include "job/seal/build.h"
#include "verdict/verdict.h"
#include "viewer/draw.h"
#include "viewer/state/state-private.h"
#include "words/escape.h"

#define STEPS	    80
#define STEPS_LARGE 25 /* of jobs that take their time */
#define LARGE	    500

struct game {
	uint64_t draw;
	struct state *state;
	struct cells cells;
	struct job *job;
	struct verdicts *verdicts;
	int w, h;
};

static uint64_t below(struct game *game, uint64_t n)
{
	return chaos_draw(&game->draw, n);
}

/* -- what always holds ------------------------------------------------------------------------ */

/*
 * Bytes of a well-formed character that is no control; 0 where there is none. It is read here anew,
 * since escape_decode() is what drew it.
 */
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

static void check_text(const char *text, bool utf8)
{
	size_t n, size;

	for (; *text; text += n) {
		n = clean_char((const unsigned char *)text);
		assert_int_not_equal(n, 0);
		assert_true(utf8 || n == 1);
		assert_true(escape_is_plain(escape_decode(text, &size)));
		assert_int_equal(size, n);
	}
}

static void check_screen(struct game *game)
{
	const struct cells *cells = &game->cells;
	struct str text = {0};
	int lines = 0;

	assert_int_equal(cells->w, game->w);
	assert_int_equal(cells->h, game->h);
	for (int i = 0; i < cells->w * cells->h; i++) {
		const struct cell *cell = &cells->at[i];

		assert_non_null(memchr(cell->text, '\0', sizeof(cell->text)));
		assert_true(cell->style < STYLES);
		check_text(cell->text, cells->utf8);
	}
	cells_text(cells, &text);
	for (size_t i = 0; i < text.len; i++)
		lines += text.text[i] == '\n';
	assert_int_equal(lines, game->h);
	str_release(&text);
}

static void check_state(const struct state *state)
{
	assert_true(state->window.from < state->window.to);
	assert_true(state->window.from >= state->bounds.from);
	assert_true(state->window.to <= state->bounds.to);
	assert_true(state->when >= state->window.from && state->when <= state->window.to);
	assert_true(state->row < (ptrdiff_t)state->rows->n);
	assert_true(state->rows->n == 0 || (state->row >= 0 && is_rank(state->rank)));
	assert_true(!state_shows_pane(state) || state->line[state->pane] == 0 ||
		    state->line[state->pane] < state->lines.lines.all.nr);
}

static void look(struct game *game)
{
	draw_screen(game->state, &game->cells);
	check_screen(game);
	if (game->job)
		check_state(game->state);
}

/* -- what is done ----------------------------------------------------------------------------- */

static void resize(struct game *game)
{
	bool small = below(game, 3) == 0;

	game->w = 1 + (int)below(game, small ? 45 : 400);
	game->h = 1 + (int)below(game, small ? 10 : 120);
	state_resize(game->state, game->w, game->h);
}

/* Another look at the job, or at quite another one. */
static void load(struct game *game, int nranks)
{
	struct job *job = nranks ? chaos_job(&game->draw, nranks, nranks > LARGE ? 3 : 20)
				 : job_seal(job_builder_new());
	struct verdicts *verdicts = verdicts_of(job);

	state_load(game->state, job, verdicts, chaos_name(&game->draw), below(game, 2),
		job->gathered);
	verdicts_free(game->verdicts);
	job_free(game->job);
	game->job = job;
	game->verdicts = verdicts;
}

/* One of the keys of a request. */
static void press_request(struct game *game)
{
	const char *keys = keys_of((enum request)(1 + below(game, REQUESTS - 1)));
	struct key key;

	for (uint64_t skip = below(game, 3); skip-- && strchr(keys, ' ');)
		keys = strchr(keys, ' ') + 1;
	snprintf(key.name, sizeof(key.name), "%.*s", (int)strcspn(keys, " "), keys);
	state_key(game->state, key.name);
}

/* A character by chance, a key that means something while one types, or no key at all. */
static void press_other(struct game *game)
{
	static const char *const names[] = {"Enter", "Esc", "Backspace", "Delete", "Up", "Down",
		"Left", "Right", "Home", "End", "Ctrl-W", "Ctrl-U", "Space", "F12", "\xe6\xbc\xa2",
		"\xff", "", "no such key", "Alt-x", "resize 3x3"};

	if (below(game, 2))
		state_key(game->state, (char[2]){(char)(' ' + below(game, 95))});
	else
		state_key(game->state, names[below(game, sizeof(names) / sizeof(*names))]);
}

/* Commands, filters and searches come whole now and then. */
static void type_line(struct game *game)
{
	static const char *const lines[] = {":rank 5", ":7", ":t +3s", ":t -30",
		":t 03:11:52", ":t 99999999999h", ":by host", ":by group", ":by class", ":by flat",
		":filter state:waiting", ":filter", ":search codegen", ":pane events",
		":theme light", ":utf8", ":ascii", ":export /dev/null", ":mouse", ":zzz",
		"/reduce", "/node1", "/\xff", "/\xe6\xbc\xa2", "&rank:0-7", "&!host:node0",
		"&state:hung", "&((", "&"};
	const char *line = lines[below(game, sizeof(lines) / sizeof(*lines))];

	state_key(game->state, "Esc");
	for (; *line; line++)
		state_key(game->state, *line == ' ' ? "Space" : (char[2]){*line});
	state_key(game->state, below(game, 8) ? "Enter" : "Esc");
}

static void point(struct game *game)
{
	state_mouse(game->state, (int)below(game, 420) - 10, (int)below(game, 140) - 10,
		(int)below(game, 5) - 2, below(game, 2));
	if (below(game, 2))
		state_mouse_up(game->state, (int)below(game, 420) - 10);
}

/* What the loop does between keys: takes what is asked of it, says something, time goes on. */
static void answer(struct game *game)
{
	const char *argument;

	while (state_effect(game->state, &argument) != EFFECT_NONE)
		state_say(game->state, chaos_name(&game->draw));
	if (game->job && game->job->gathered != JOB_UNKNOWN && below(game, 4) == 0)
		state_set_now(game->state, game->job->gathered + (int64_t)below(game, 1 << 30));
}

static void step(struct game *game)
{
	switch (below(game, 16)) {
	case 0:
		resize(game);
		break;
	case 1:
		point(game);
		break;
	case 2:
		type_line(game);
		break;
	case 3:
	case 4:
	case 5:
		press_other(game);
		break;
	default:
		press_request(game);
	}
	if (below(game, 4))
		answer(game);
}

static void play(uint64_t seed, int nranks)
{
	struct game game = {.draw = seed * 0x9e3779b97f4a7c15u + 1, .state = state_new()};
	int steps = nranks > LARGE ? STEPS_LARGE : STEPS;

	print_message("seed %llu, %d ranks\n", (unsigned long long)seed, nranks);
	state_set_utf8(game.state, below(&game, 2));
	resize(&game);
	if (below(&game, 2)) { /* keys before there is anything */
		press_request(&game);
		look(&game);
	}
	load(&game, nranks);
	look(&game);
	while (steps--) {
		step(&game);
		if (nranks <= LARGE && below(&game, 30) == 0)
			load(&game, (int)below(&game, (uint64_t)nranks + 1));
		look(&game);
	}
	state_free(game.state);
	cells_release(&game.cells);
	verdicts_free(game.verdicts);
	job_free(game.job);
}

/* -- how much of it --------------------------------------------------------------------------- */

static uint64_t number_in(const char *variable, uint64_t otherwise)
{
	const char *said = getenv(variable);

	return said && *said ? strtoull(said, NULL, 10) : otherwise;
}

/* Mostly such as one sees whole; of a hundred rounds one is large. */
static int ranks_of(uint64_t seed)
{
	static const int most[] = {12, 12, 100, 100, 250};
	uint64_t draw = seed * 77 + 1;

	if (chaos_draw(&draw, 100) == 0)
		return 1 + (int)chaos_draw(&draw, 10000);
	return (int)chaos_draw(&draw, 1 + (uint64_t)most[chaos_draw(&draw, 5)]);
}

static void of_any_job(void **unused)
{
	uint64_t seed = number_in("FUZZ_SEED", 1);
	uint64_t end = seed + number_in("FUZZ_ROUNDS", 100);
	time_t until = time(NULL) + (time_t)number_in("FUZZ_SECONDS", 30);

	(void)unused;
	for (; seed < end && time(NULL) < until; seed++)
		play(seed, ranks_of(seed));
}

static void of_the_largest(void **unused)
{
	uint64_t seed = number_in("FUZZ_SEED", 1);

	(void)unused;
	play(seed, 1024);
	play(seed, 10000);
}

static void of_nobody(void **unused)
{
	(void)unused;
	for (uint64_t seed = 1; seed <= 5; seed++)
		play(seed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_nobody),
		cmocka_unit_test(of_any_job),
		cmocka_unit_test(of_the_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
