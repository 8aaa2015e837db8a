/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is drawn is what was recorded (law 12): every recorded job, and jobs of chance, at many
 * zooms and widths, each cell held against an oracle that knows the facts and not the viewer. And
 * the oracle itself: mistakes that the viewer once made are planted into what it is given to draw.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "evidence/format/bundle.h"
#include "tests/unit/facts.h"
#include "tests/viewer/oracle.h"
#include "viewer/draw.h"
#include "viewer/state/state-private.h"

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % (below ? below : 1);
}

static unsigned rounds(void)
{
	const char *wish = getenv("TRUTH_ROUNDS");

	return wish ? (unsigned)strtoul(wish, NULL, 10) : 6;
}

/* -- screens against the oracle ---------------------------------------------------------------- */

struct trial {
	const char *name;
	const struct job *truth; /* what the oracle is told */
	struct state *state;	 /* what draws what it was given */
	struct cells cells;
	struct oracle **oracles; /* by rank */
	int split;	/* the column of the break on this screen; -1 */
	int64_t moved;	/* a mistake: the axis is broken so much later than is drawn */
	uint64_t checked;
	uint64_t folded; /* of them in rows of several ranks */
	uint64_t broken; /* screens with a break */
	unsigned wrong;
	bool quiet;
};

static char letter_at(const struct trial *t, int x, int y)
{
	const char *letters = strchr("?:#=g-ikuwb~X|+EFLRK", *t->cells.at[y * t->cells.w + x].text);

	return letters && *letters ? *letters : 'c';
}

static void complain(struct trial *t, struct rank_index rank, int column, const char *what)
{
	if (!t->wrong++ && !t->quiet)
		print_message("%s: rank %d, column %d of %d, window %" PRId64 "+%" PRIu64 ": %s\n",
			t->name, rank.i, column, t->state->cells_w,
			t->state->window.from - t->state->bounds.from,
			window_span(t->state->window), what);
}

/* The row, with a sign under the column. */
static void show(const struct trial *t, int column, int y)
{
	const struct state *state = t->state;

	for (int x = 0; x < t->cells.w; x++)
		print_message("%s", t->cells.at[y * t->cells.w + x].text);
	print_message("\n%*s^\n", state->layout.rows.x + state->label_w + column, "");
}

static int64_t part_of(int64_t from, int64_t to, int column, int columns)
{
	return from + (int64_t)((long double)window_between(from, to) * column / columns);
}

/* A column's time by the rule alone: the window in equal parts, on each side of the break. */
static int64_t edge(const struct trial *t, int column)
{
	struct window window = t->state->window;
	int64_t fork = t->state->forked + t->moved;

	if (t->split < 0)
		return part_of(window.from, window.to, column, t->state->cells_w);
	if (column <= t->split)
		return part_of(window.from, fork, column, t->split);
	return part_of(fork, window.to, column - t->split - 1, t->state->cells_w - t->split - 1);
}

/* Where the break stands on a line of the screen; there is one at most. */
static int break_at(struct trial *t, int y)
{
	int x = t->state->layout.rows.x + t->state->label_w, found = -1;

	for (int column = 0; column < t->state->cells_w; column++)
		if (*t->cells.at[y * t->cells.w + x + column].text == '/') {
			if (found >= 0)
				complain(t, rank_index(0), column, "two breaks");
			found = column;
		}
	return found;
}

static void check_row(struct trial *t, size_t row, int line)
{
	const struct state *state = t->state;
	struct rank_index rank = state->rows->at[row].ranks[0];
	int x = state->layout.rows.x + state->label_w;
	int y = state->layout.rows.y + line;

	if (break_at(t, y) != t->split)
		complain(t, rank, t->split, "the break is elsewhere");
	for (int column = 0; column < state->cells_w; column++) {
		int64_t from = edge(t, column), to = edge(t, column + 1);
		char drawn = letter_at(t, x + column, y);
		const char *what;

		if (column == t->split)
			continue;
		what = oracle_objects(t->oracles[rank.i], from, to > from ? to : from + 1, drawn,
			column ? letter_at(t, x + column - 1, y) : ' ',
			column + 1 < state->cells_w ? letter_at(t, x + column + 1, y) : ' ');
		t->checked++;
		if (what) {
			complain(t, rank, column, what);
			if (t->wrong == 1 && !t->quiet)
				show(t, column, y);
		}
	}
}

/* Of many: each letter is true of one of them, and hides nothing worse of any other. */
static const char *objects_to_fold(const struct trial *t, const struct row *row, int64_t from,
	int64_t to, const char letters[3], struct rank_index *ret_rank)
{
	const char *what = "";

	for (size_t i = 0; i < row->n; i++) {
		const struct oracle *oracle = t->oracles[row->ranks[i].i];

		*ret_rank = row->ranks[i];
		if (oracle_is_hidden(oracle, from, to, letters[1], letters[0], letters[2]))
			return "something worse of one of them is hidden";
		if (what)
			what = oracle_objects(
				oracle, from, to, letters[1], letters[0], letters[2]);
	}
	return what;
}

static void check_fold(struct trial *t, const struct row *row, int line)
{
	const struct state *state = t->state;
	int x = state->layout.rows.x + state->label_w, y = state->layout.rows.y + line;

	for (int column = 0; column < state->cells_w; column++) {
		int64_t from = edge(t, column), to = edge(t, column + 1);
		char letters[3] = {column ? letter_at(t, x + column - 1, y) : ' ',
			letter_at(t, x + column, y),
			column + 1 < state->cells_w ? letter_at(t, x + column + 1, y) : ' '};
		struct rank_index rank = NO_RANK;
		const char *what;

		if (column == t->split)
			continue;
		what = objects_to_fold(t, row, from, to > from ? to : from + 1, letters, &rank);
		t->checked++;
		t->folded++;
		if (what) {
			complain(t, rank, column, what);
			if (t->wrong == 1 && !t->quiet)
				show(t, column, y);
		}
	}
}

static void check_screen(struct trial *t)
{
	draw_screen(t->state, &t->cells);
	t->split = break_at(t, t->state->layout.rows.y);
	t->broken += t->split >= 0;
	for (int line = 0; line < t->state->layout.rows.h; line++) {
		ptrdiff_t row = state_row_at(t->state, line);

		if (row >= 0 && t->state->rows->at[row].n == 1)
			check_row(t, (size_t)row, line);
		else if (row >= 0)
			check_fold(t, &t->state->rows->at[row], line);
	}
}

static void press(struct state *state, const char *text)
{
	struct key *keys = NULL;
	size_t n = 0, line = 0;

	assert_int_equal(keys_parse(text, &keys, &n, &line), 0);
	for (size_t i = 0; i < n; i++)
		state_key(state, keys[i].name);
	free(keys);
}

/* The whole, and windows of all spans: also narrower than anything that was recorded. */
static void check_windows(struct trial *t, unsigned n, uint32_t *seed)
{
	struct state *state = t->state;
	uint64_t whole = window_span(state->bounds);

	check_screen(t);
	state_fit(state);
	check_screen(t);
	for (unsigned i = 0; i < n; i++) {
		uint64_t span = whole >> draw(seed, 16);
		int64_t from = state->bounds.from +
			       (int64_t)((double)whole * draw(seed, 1 << 20) / (1 << 20));

		state->window = window_within(
			state->bounds, from, span > 64 ? span : 64);
		if (draw(seed, 2))
			state_break(state);
		check_screen(t);
	}
	state_fit(state);
}

/* What a check is given beside the jobs, and what it comes to. */
struct check {
	unsigned windows;
	uint32_t *seed;
	int64_t moved;
	bool quiet;
	uint64_t checked, folded, broken;
};

/* Draws one job and holds it against another, which is the same but where a mistake is planted. */
static unsigned check_job(const char *name, const struct job *drawn, const struct job *truth,
	struct check *check)
{
	static const int widths[] = {80, 61, 120, 200};
	struct verdicts *verdicts = verdicts_of(drawn);
	struct trial t = {.name = name,
		.truth = truth,
		.state = state_new(),
		.moved = check->moved,
		.quiet = check->quiet};

	state_resize(t.state, 80, 60);
	state_load(t.state, drawn, verdicts, name, false, drawn->gathered);
	press(t.state, ": type by flat");
	press(t.state, "Enter");
	t.oracles = alloc_zeroed(truth->nranks + 1, sizeof(struct oracle *));
	job_for_each_rank(truth, rank)
		t.oracles[rank.i] = oracle_new(
			truth, rank, t.state->bounds.from, t.state->bounds.to);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		state_resize(t.state, widths[i], 24 + (int)draw(check->seed, 30));
		check_windows(&t, check->windows, check->seed);
	}
	press(t.state, ": type by host");
	press(t.state, "Enter");
	check_windows(&t, check->windows, check->seed);
	job_for_each_rank(truth, rank)
		oracle_free(t.oracles[rank.i]);
	free(t.oracles);
	cells_release(&t.cells);
	state_free(t.state);
	verdicts_free(verdicts);
	check->checked += t.checked;
	check->folded += t.folded;
	check->broken += t.broken;
	return t.wrong;
}

/* -- recorded jobs ----------------------------------------------------------------------------- */

static const char *folder(void)
{
	static char path[4096];
	const char *top = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/fixtures/recorded", top ? top : ".");
	return path;
}

static struct job *read_job(const char *name)
{
	struct evidence evidence = {0};
	struct complaint why = {0};
	struct job *job = NULL;
	char path[8192];

	snprintf(path, sizeof(path), "%s/%s", folder(), name);
	if (bundle_read(path, &evidence, &why) >= 0)
		job = decode_job_with_calls(&evidence);
	evidence_release(&evidence);
	complaint_release(&why);
	return job;
}

static void every_recorded_job_is_drawn_as_it_was(void **state)
{
	struct dirent **entries = NULL;
	int n = scandir(folder(), &entries, NULL, alphasort), jobs = 0;
	unsigned wrong = 0;
	uint32_t seed = 14;
	struct check check = {.windows = rounds(), .seed = &seed};

	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(entries[i]->d_name, '.');
		struct job *job = dot && !strcmp(dot, ".inq") ? read_job(entries[i]->d_name) : NULL;

		if (job) {
			wrong += check_job(entries[i]->d_name, job, job, &check);
			jobs++;
		}
		job_free(job);
		free(entries[i]);
	}
	free(entries);
	print_message("%d recorded jobs, %" PRIu64 " cells, %" PRIu64 " of them of several ranks, "
		      "%" PRIu64 " screens with a break\n",
		jobs, check.checked, check.folded, check.broken);
	assert_true(jobs > 50);
	assert_true(check.broken > 400);
	assert_int_equal(wrong, 0);
}

/* -- jobs of chance ---------------------------------------------------------------------------- */

static void add_chance(struct facts *f, int rank, uint32_t *seed)
{
	double at = 5 + draw(seed, 900) / 10.0;

	switch (draw(seed, 6)) {
	case 0:
		facts_span(f, rank, JOB_SPAN_COMPILE, "codegen", "0/0", at,
			draw(seed, 3) ? at + draw(seed, 50) / 10.0 : FACTS_OPEN);
		break;
	case 1:
		facts_span(f, rank, JOB_SPAN_INPUT, "loader", "", at, at + draw(seed, 99) / 100.0);
		break;
	case 2:
		facts_span(f, rank, JOB_SPAN_CHECKPOINT, "save", "", at, at + 1);
		break;
	case 3:
		facts_step(f, rank, draw(seed, 9));
		break;
	case 4:
		facts_sync(f, rank, 90 + draw(seed, 90) / 10.0);
		break;
	default:
		break;
	}
}

static struct job *job_of_chance(uint32_t *seed)
{
	struct facts *f = facts_new(2 + (int)draw(seed, 6));
	int n = f->n;
	struct job *job;

	facts_rounds(f, 0, 1 + (int)draw(seed, 20), 10 + draw(seed, 100) / 10.0,
		0.2 + draw(seed, 30) / 10.0);
	if (draw(seed, 2))
		facts_enter_but(f, 0, (int)draw(seed, (uint32_t)n), JOB_OP_ALLREDUCE, 64, 95);
	for (uint32_t i = draw(seed, 12); i > 0; i--)
		add_chance(f, (int)draw(seed, (uint32_t)n), seed);
	if (!draw(seed, 3))
		facts_end(f, (int)draw(seed, (uint32_t)n), JOB_SIGNALED, 11, 96 + draw(seed, 4));
	if (!draw(seed, 4)) {
		struct facts_member *m = &f->members[0][draw(seed, (uint32_t)n)];

		if (m->nops > 5) { /* #3 is not kept */
			memmove(&m->ops[2], &m->ops[3], (m->nops - 3) * sizeof(*m->ops));
			m->nops--;
		}
	}
	job = facts_job(f);
	facts_free(f);
	return job;
}

static void jobs_of_chance_are_drawn_as_they_were(void **state)
{
	unsigned wrong = 0;
	uint32_t seed = 4711;
	struct check check = {.windows = 4, .seed = &seed};

	for (unsigned i = 0; i < 20 * rounds(); i++) {
		uint32_t start = seed;
		struct job *job = job_of_chance(&seed);
		unsigned more;

		check.quiet = wrong > 0;
		more = check_job("chance", job, job, &check);

		if (more && !wrong)
			print_message("job number %u, seed %" PRIu32 "\n", i, start);
		wrong += more;
		job_free(job);
	}
	print_message("%" PRIu64 " cells, %" PRIu64 " screens with a break\n", check.checked,
		check.broken);
	assert_int_equal(wrong, 0);
}

/* -- planted mistakes -------------------------------------------------------------------------- */

/* A copy of its calls and threads, to be spoilt. */
struct spoilt {
	struct job job;
	struct job_call *calls;
	struct job_thread *threads;
	struct job_process *processes;
};

static struct spoilt spoil(const struct job *job)
{
	struct spoilt s = {.job = *job};

	s.job.calls = s.calls = alloc_copy(job->calls, (job->ncalls + 1) * sizeof(*job->calls));
	s.job.threads = s.threads =
		alloc_copy(job->threads, (job->nthreads + 1) * sizeof(*job->threads));
	s.job.processes = s.processes =
		alloc_copy(job->processes, (job->nprocesses + 1) * sizeof(*job->processes));
	return s;
}

static void expect_caught(struct spoilt *s, const struct job *truth, const char *mistake)
{
	uint32_t seed = 9;
	struct check check = {.windows = 4, .seed = &seed, .quiet = true};

	if (!check_job(mistake, &s->job, truth, &check)) {
		print_message("not caught: %s\n", mistake);
		fail();
	}
	free(s->calls);
	free(s->threads);
	free(s->processes);
}

static void mistakes_that_are_planted_are_caught(void **state)
{
	struct job *job = read_job("rank-death.inq");
	struct spoilt s;

	assert_non_null(job);
	s = spoil(job); /* from an entry to the next entry, as it was once drawn */
	for (size_t i = 0; i + 1 < s.job.ncalls; i++)
		if (same_rank(s.calls[i].rank, s.calls[i + 1].rank) &&
			s.calls[i].returned != JOB_UNKNOWN)
			s.calls[i].returned = s.calls[i + 1].entered;
	expect_caught(&s, job, "an op lasts until the next thing recorded");

	s = spoil(job); /* the last op of no width */
	for (size_t i = 0; i < s.job.ncalls; i++)
		if (s.calls[i].returned == JOB_UNKNOWN)
			s.calls[i].returned = s.calls[i].entered;
	for (size_t i = 0; i < s.job.nthreads; i++)
		s.threads[i].state = JOB_THREAD_OUTSIDE;
	expect_caught(&s, job, "the last op has no width");

	s = spoil(job); /* a wait that is dated back to what came before it */
	for (size_t i = 0; i < s.job.ncalls; i++)
		if (s.calls[i].returned == JOB_UNKNOWN)
			s.calls[i].entered -= 300000000;
	for (size_t i = 0; i < s.job.nthreads; i++)
		s.threads[i].since -= 300000000;
	expect_caught(&s, job, "a wait is dated back");

	s = spoil(job); /* a death that is not drawn */
	for (size_t i = 0; i < s.job.nprocesses; i++)
		if (s.processes[i].end > JOB_ALIVE)
			s.processes[i].end = JOB_ALIVE;
	expect_caught(&s, job, "a death is hidden");
	job_free(job);
}

/* What was recorded and is gone must be seen, though nothing else has changed. */
static void a_hole_that_is_hidden_is_caught(void **state)
{
	struct job *job = read_job("rank-death.inq");
	struct spoilt truth, drawn;

	assert_non_null(job);
	truth = spoil(job);
	drawn = spoil(job);
	truth.calls[40].kind = JOB_CALL_HOLE;
	expect_caught(&drawn, &truth.job, "a hole is hidden");
	free(truth.calls);
	free(truth.threads);
	free(truth.processes);
	job_free(job);
}

/* A break at another moment than the ruler says, by a fiftieth of what is behind it. */
static void a_break_that_stands_elsewhere_is_caught(void **state)
{
	struct job *job = read_job("rank-death.inq");
	uint32_t seed = 9;
	struct check check = {
		.windows = 0, .seed = &seed, .moved = 80000000, .quiet = true};

	assert_non_null(job);
	assert_int_not_equal(check_job("break", job, job, &check), 0);
	assert_int_not_equal(check.broken, 0);
	job_free(job);
}

/* -- lanes ------------------------------------------------------------------------------------- */

/* True if a call of the rank and that group is recorded within [from, to]. */
static bool calls_in(const struct job *job, struct rank_index rank, int group, int64_t from,
	int64_t to)
{
	for (size_t i = 0; i < job->ncalls; i++) {
		const struct job_call *call = &job->calls[i];

		if (same_rank(call->rank, rank) && call->group == group && call->entered <= to &&
			(call->returned == JOB_UNKNOWN || call->returned >= from))
			return true;
	}
	return false;
}

/* Each cell of a group's lane: a call in it only where one of that group was, and each of those. */
static unsigned check_lane(struct state *state, struct cells *cells, const struct job *job,
	size_t row, int y, uint64_t *checked)
{
	const struct row *lane = &state->rows->at[row];
	struct axis axis = state_axis(state);
	unsigned wrong = 0;

	for (int column = 0; column < state->cells_w; column++) {
		int64_t from = axis_at(&axis, column), to = axis_at(&axis, column + 1);
		char drawn = *cells->at[y * cells->w + state->label_w + column].text;

		if (column == axis.split)
			continue;
		++*checked;
		if ((drawn == '=' || drawn == 'g') &&
			!calls_in(job, lane->ranks[0], lane->group, from - 2, to + 2))
			wrong++;
		if (drawn == ' ' && to - from > 8 &&
			calls_in(job, lane->ranks[0], lane->group, from + 2, to - 2))
			wrong++;
	}
	return wrong;
}

/* Whatever the rank does at a moment is in one lane, as it is in its row, and in no other. */
static unsigned check_moments(struct state *state, size_t parent, uint64_t *checked)
{
	const struct track *track = &state->tracks->at[state->rows->at[parent].ranks[0].i];
	unsigned wrong = 0;

	for (size_t i = 0; i < track->nspans; i++) {
		const struct track_span *span = &track->spans[i];
		int64_t at = span->from + (span->to - span->from) / 2;
		size_t shown = 0;

		if (span->to - span->from < 4 || span->state == TRACK_NODATA ||
			span->state >= TRACK_LOST)
			continue;
		for (size_t row = parent + 1; row < state->rows->n; row++) {
			struct bin bin;

			if (!state->rows->at[row].is_lane)
				break;
			bin = folds_bin(state->folds, row, at, at + 1);
			if (bin.state == TRACK_NODATA)
				continue;
			shown++;
			wrong += bin.state != span->state ||
				 state->rows->at[row].group != span->group;
		}
		wrong += shown != 1;
		++*checked;
	}
	return wrong;
}

static unsigned check_lanes(const struct job *job, uint64_t *checked, unsigned *lanes)
{
	struct verdicts *verdicts = verdicts_of(job);
	struct state *state = state_new();
	struct cells cells = {0};
	unsigned wrong = 0;

	state_set_utf8(state, false);
	state_resize(state, 160, 100);
	state_load(state, job, verdicts, "x.inq", false, job->gathered);
	for (size_t rank = 0; rank < job->nranks; rank++) {
		state_go(state, rank_index(rank), JOB_UNKNOWN);
		state_settle(state);
		state_key(state, "x");
		draw_screen(state, &cells);
		for (int line = 0; line < state->layout.rows.h; line++) {
			ptrdiff_t row = state_row_at(state, line);

			if (row >= 0 && state->rows->at[row].laned)
				wrong += check_moments(state, (size_t)row, checked);
			if (row < 0 || !state->rows->at[row].is_lane)
				continue;
			++*lanes;
			if (state->rows->at[row].group != JOB_NONE)
				wrong += check_lane(state, &cells, job, (size_t)row,
					state->layout.rows.y + line, checked);
		}
		state_key(state, "c");
	}
	cells_release(&cells);
	state_free(state);
	verdicts_free(verdicts);
	return wrong;
}

static void lanes_are_what_the_rank_did_in_each_group(void **state)
{
	static const char *const names[] = {
		"subgroup-hang.inq", "order-inversion-warm.inq", "pipeline-stall.inq"};
	uint64_t checked = 0;
	unsigned lanes = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct job *job = read_job(names[i]);

		assert_non_null(job);
		assert_int_equal(check_lanes(job, &checked, &lanes), 0);
		job_free(job);
	}
	print_message("%u lanes, %" PRIu64 " cells and moments\n", lanes, checked);
	assert_true(lanes > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recorded_job_is_drawn_as_it_was),
		cmocka_unit_test(jobs_of_chance_are_drawn_as_they_were),
		cmocka_unit_test(mistakes_that_are_planted_are_caught),
		cmocka_unit_test(a_hole_that_is_hidden_is_caught),
		cmocka_unit_test(a_break_that_stands_elsewhere_is_caught),
		cmocka_unit_test(lanes_are_what_the_rank_did_in_each_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
