/* SPDX-License-Identifier: Apache-2.0 */
/* What is drawn over what goes on: steps and exceptions; and what became of ops and of records. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "tests/unit/view_screen.h"
#include "viewer/state/range.h"
#include "viewer/state/state-private.h"

/* The cells of the line that begins so. */
static const char *cells_of(struct screen_test *t, const char *begin)
{
	return screen_line(t, screen_find(t, begin)) + t->state->label_w;
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

/* Rank 1 has done so many steps, evenly between those seconds. */
static void give_steps(struct screen_test *t, struct job_step *steps, size_t n, double from,
	double to)
{
	for (size_t i = 0; i < n; i++)
		steps[i] = (struct job_step){.rank = {1},
			.n = i + 1,
			.events = i + 1,
			.first = JOB_UNKNOWN,
			.when = facts_ns(from + (to - from) * (double)i / (double)n),
			.cite = "ring:1:step"};
	t->job->steps = steps;
	t->job->nsteps = n;
	state_load(t->state, t->job, t->verdicts, "x.inq", false, t->job->gathered);
}

static struct screen_test waiting(int w)
{
	struct facts *f = facts_new(4);

	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 5);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 60);
	return screen_new(f, w, 24);
}

/* -- Steps ------------------------------------------------------------------------------------ */

static void steps_are_seen_at_every_zoom(void **unused)
{
	static const int widths[] = {60, 80, 100, 140, 240, 400};
	struct job_step steps[2];

	(void)unused;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct screen_test t = waiting(widths[i]);

		give_steps(&t, steps, 2, 20, 60);
		assert_int_equal(count(cells_of(&t, " 1 "), '+'), 2);
		assert_int_equal(count(cells_of(&t, " 0 "), '+'), 0);
		screen_find(&t, "+ step");
		/* As a row of all ranks too. */
		screen_keys(&t, ": type by host");
		screen_keys(&t, "Enter 0");
		assert_int_equal(count(cells_of(&t, " hostA: 0-1,3 "), '+'), 2);
		screen_free(&t);
	}
}

/* What goes on is still what one sees; zoomed in, all steps in sight are drawn. */
static void ten_thousand_steps_drown_nothing(void **unused)
{
	struct job_step *steps = alloc_zeroed(10000, sizeof(*steps));
	struct screen_test t = waiting(80);
	size_t waits = count(cells_of(&t, " 1 "), 'w');

	(void)unused;
	give_steps(&t, steps, 10000, 10, 50);
	assert_int_equal(count(cells_of(&t, " 1 "), '+'), 2);
	assert_int_equal(count(cells_of(&t, " 1 "), 'w'), waits);
	assert_non_null(strstr(cells_of(&t, " 1 "), "##########"));
	screen_find(&t, "+ first, last step");
	screen_keys(&t, ": type t +20");
	screen_keys(&t, "Enter");
	for (int i = 0; i < 13; i++)
		screen_keys(&t, "w");
	assert_in_range(count(cells_of(&t, " 1 "), '+'), 3, 12);
	screen_find(&t, "+ step");
	screen_free(&t);
	free(steps);
}

/* Rank 1 has them in its diary, a second each from then on; its mark has the first and the last. */
static void give_diary(struct screen_test *t, struct job_call *calls, struct job_step *step,
	size_t n, double from)
{
	for (size_t i = 0; i < n; i++)
		calls[i] = (struct job_call){.rank = {1},
			.kind = JOB_CALL_STEP,
			.name = "",
			.group = JOB_NONE,
			.index = i + 1,
			.entered = facts_ns(from + (double)i),
			.returned = facts_ns(from + (double)i),
			.cite = "ring:1:lane0"};
	*step = (struct job_step){.rank = {1},
		.n = n,
		.events = n,
		.first = calls[0].entered,
		.when = calls[n - 1].entered,
		.cite = "ring:1:step"};
	t->job->calls = calls;
	t->job->ncalls = n;
	t->job->steps = step;
	t->job->nsteps = 1;
	state_load(t->state, t->job, t->verdicts, "x.inq", false, t->job->gathered);
	screen_keys(t, ": type rank 1");
	screen_keys(t, "Enter");
}

/* The last in sight with its word; of many so many as there is room for, and round ones. */
static void the_ruler_numbers_steps(void **unused)
{
	struct job_call calls[60];
	struct screen_test t = waiting(120);
	const char *line;
	struct job_step step;
	int at;

	(void)unused;
	state_resize(t.state, 120, 40);
	give_diary(&t, calls, &step, 60, 10);
	at = screen_find(&t, "step 60");
	line = screen_line(&t, at);
	assert_non_null(strstr(line, " 20 "));
	assert_non_null(strstr(line, " 40 "));
	assert_null(strstr(line, " 41 "));
	assert_null(strstr(line, "first step"));
	/* Near enough, each of them. */
	screen_keys(&t, "f w w w w");
	line = screen_line(&t, at);
	assert_non_null(strstr(line, "step "));
	screen_free(&t);
}

/* On a line that has times as well, only what bears its word. */
static void a_small_ruler_has_no_bare_numbers(void **unused)
{
	struct job_call calls[60];
	struct screen_test t = waiting(120);
	struct job_step step;

	(void)unused;
	give_diary(&t, calls, &step, 60, 25);
	assert_null(strstr(screen_line(&t, screen_find(&t, "step 60")), " 20 "));
	screen_free(&t);
}

/* A range has all of them, and none twice. */
static void each_step_counts_once(void **unused)
{
	struct job_call calls[12];
	struct screen_test t = waiting(120);
	struct job_step step;
	struct range range;

	(void)unused;
	give_diary(&t, calls, &step, 12, 10);
	range = range_of(&t.state->tracks->at[1], facts_ns(12.5), facts_ns(18.5));
	assert_int_equal(range.steps, 6);
	range = range_of(&t.state->tracks->at[1], t.state->bounds.from, t.state->bounds.to);
	assert_int_equal(range.steps, 12);
	screen_free(&t);
}

/* -- Exceptions ------------------------------------------------------------------------------- */

static struct screen_test raised(int w, double at)
{
	struct facts *f = facts_new(4);

	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 5);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 60);
	facts_note(f, 2, "exception: ValueError: Expected target size [32, 4096]", at);
	facts_end(f, 2, JOB_EXITED, 1, at + 0.001);
	return screen_new(f, w, 24);
}

/* And the death that follows within the same cell, also in the last one. */
static void an_exception_is_seen_at_every_zoom(void **unused)
{
	static const int widths[] = {40, 80, 140, 240};
	static const double times[] = {6, 59, 99.99};

	(void)unused;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++) {
			struct screen_test t = raised(widths[i], times[k]);
			const char *cells, *e;

			screen_keys(&t, "0");
			cells = cells_of(&t, ">2!");
			e = strchr(cells, 'E');
			assert_non_null(e);
			assert_int_equal(e[1], 'X');
			screen_find(&t, "E exception");
			if (widths[i] >= 80)
				assert_non_null(strstr(e, " exit 1 ValueError"));
			screen_free(&t);
		}
}

/* -- What became of an op --------------------------------------------------------------------- */

/* All complete #1, as far as that is followed. Rank 1 has returned from #2 a moment ago. */
static struct screen_test ops(bool followed)
{
	struct facts *f = facts_new(4);
	struct screen_test t;

	f->completion = followed;
	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 99);
	facts_enter(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 99.5)->completed =
		followed ? JOB_NO : JOB_MAYBE;
	facts_outside(f, 1, 99.9);
	t = screen_new(f, 80, 24);
	screen_keys(&t, "0 End w w w w w w");
	return t;
}

static void what_is_not_complete_and_own_code_differ(void **unused)
{
	struct screen_test t = ops(true);

	(void)unused;
	assert_non_null(strstr(cells_of(&t, ">1 "), "|===="));
	assert_non_null(strstr(cells_of(&t, ">1 "), "=----"));
	screen_find(&t, "= in a call");
	screen_find(&t, "- not completed");
	screen_free(&t);
	/* Where nobody followed it, it is not complete as long as others have not come. */
	t = ops(false);
	assert_non_null(strstr(cells_of(&t, ">1 "), "|===="));
	assert_non_null(strstr(cells_of(&t, ">1 "), "=--"));
	assert_null(strchr(cells_of(&t, " 0 "), '-'));
	screen_free(&t);
}

/* -- Losses ----------------------------------------------------------------------------------- */

/* Of what is lost nobody knows when it was: so the row says it, at any width, folded or not. */
static void what_is_lost_is_seen(void **unused)
{
	static const int widths[] = {40, 80, 140, 240};

	(void)unused;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct facts *f = screen_skew();
		struct screen_test t;

		facts_loss(f, 5, "operations")->count = 300;
		facts_loss(f, 5, "records torn")->count = 12;
		t = screen_new(f, widths[i], 30);
		screen_keys(&t, ": type by flat");
		screen_keys(&t, "Enter");
		assert_int_equal(cells_of(&t, " 5~")[-1], '~');
		assert_int_equal(cells_of(&t, " 6 ")[-1], ' ');
		screen_find(&t, "~ lost: see 5");
		if (widths[i] >= 140)
			screen_find(&t, "AllReduce #1, lost 312");
		screen_keys(&t, ": type by host");
		screen_keys(&t, "Enter 0");
		assert_int_equal(cells_of(&t, "-7~")[-1], '~');
		screen_free(&t);
	}
}

/* Ops that a group's history did not keep: a hole in the row, and a line of the receipt. */
static void what_was_not_kept_is_counted(void **unused)
{
	struct facts *f = facts_new(2);
	struct facts_member *m = &f->members[0][1];
	struct screen_test t;

	(void)unused;
	facts_rounds(f, 0, 9, 20, 8);
	memmove(&m->ops[3], &m->ops[7], 2 * sizeof(*m->ops)); /* #4 to #7 */
	m->nops -= 4;
	t = screen_new(f, 120, 40);
	assert_non_null(strstr(cells_of(&t, " 1 "), "~~~~~"));
	assert_null(strchr(cells_of(&t, ">0 "), '~'));
	screen_find(&t, "~ not kept");
	screen_keys(&t, "5 O");
	screen_find(&t, "of 1 rank, 4 operations of which only the number is known: drawn");
	screen_free(&t);
}

/* What is of no rank has no row: the legend says that there is such. */
static void what_is_lost_of_nobody_is_seen(void **unused)
{
	struct facts *f = screen_skew();
	struct screen_test t;
	struct job_loss loss = {
		.rank = NO_RANK, .what = "an exhibit", .count = 1, .cite = "bundle"};

	(void)unused;
	t = screen_new(f, 80, 30);
	screen_lacks(&t, "~ lost");
	t.job->losses = &loss;
	t.job->nlosses = 1;
	state_load(t.state, t.job, t.verdicts, "x.inq", false, t.job->gathered);
	screen_find(&t, "~ lost: see 5");
	screen_keys(&t, "5 O");
	screen_find(&t, "an exhibit");
	screen_free(&t);
}

/* Which of two groups one waits in decides for whom one waits. */
static void of_several_groups_the_one_is_named(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;
	int pair = facts_group_of(f, 2, 0, 1);

	(void)unused;
	f->group_names[pair] = "tp";
	facts_hold(f, pair, 0, JOB_OP_ALLREDUCE, 4096, 20);
	facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 20);
	t = screen_new(f, 100, 24);
	screen_find(&t, ">   1:20  80% AllReduce #1 tp");
	screen_find(&t, ">   1:20  80% AllReduce #1 world");
	screen_free(&t);
}

/* -- Hosts ------------------------------------------------------------------------------------ */

/* Two of them, the second looked at ten seconds later: what the first one's ranks do is known. */
static void hosts_are_looked_at_one_after_another(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;
	int pair;

	(void)unused;
	facts_move(f, 2, 1);
	facts_move(f, 3, 1);
	f->hosts[0].gathered = facts_ns(90);
	pair = facts_group_of(f, 2, 0, 1);
	f->group_names[pair] = "tp";
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
	t = screen_new(f, 80, 24);
	assert_int_equal(strncmp(screen_line(&t, screen_find(&t, "3 waiting")), " w ", 3), 0);
	assert_non_null(strchr(cells_of(&t, " 0 "), '?'));
	screen_find(&t, "?>   50 s  55% AllReduce #1 world");
	screen_find(&t, "w>   1:00  60% AllReduce #1 world");
	screen_free(&t);
}

/* -- Words ------------------------------------------------------------------------------------ */

/* Of what does not fit whole words go, from the end. */
static void words_are_never_cut(void **unused)
{
	struct facts *f = facts_new(4);
	struct screen_test t;

	(void)unused;
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 3, 40);
	facts_stack(f, 3,
		"nap@libc.so.6 < read_the_whole_cache@/me/train.py:131 < main@/me/train.py:9");
	t = screen_new(f, 80, 24);
	screen_find(&t, ">   1:14   5% read_the_whole_cache\n");
	state_resize(t.state, 240, 60);
	screen_find(&t, ">   1:14   5% read_the_whole_cache train.py:131");
	screen_free(&t);
}

/* -- Children, lines, recompiles, kills ------------------------------------------------------- */

static size_t count_marks(struct screen_test *t, const char *row, char mark)
{
	const char *cells = screen_line(t, screen_find(t, row) + 1) + t->state->label_w;
	size_t n = 0;

	for (int i = 0; i < t->state->cells_w; i++)
		n += cells[i] == mark;
	return n;
}

static void kills_and_recompiles_are_seen_at_every_zoom(void **unused)
{
	static const int widths[] = {60, 80, 140, 240, 400};
	struct facts *f = facts_new(4);
	struct screen_test t;

	(void)unused;
	facts_span(f, 1, JOB_SPAN_COMPILE, "graph 0/0", "", 2, 4);
	facts_span(f, 1, JOB_SPAN_COMPILE, "graph 0/1", "", 20, 22);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 5);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 60);
	t = screen_new(f, 80, 24);
	t.job->signals = (struct job_signal[]){{.rank = {3},
		.signo = SIGTERM,
		.sender = 77,
		.thread = "",
		.when = facts_ns(40),
		.cite = "ring:3:signal0"}, {.rank = {3},
		.signo = SIGSEGV,
		.thread = "",
		.when = facts_ns(50),
		.cite = "ring:3:signal1"}};
	t.job->nsignals = 2;
	state_load(t.state, t.job, t.verdicts, "x.inq", false, t.job->gathered);
	screen_keys(&t, "0");
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		state_resize(t.state, widths[i], 24);
		assert_int_equal(count_marks(&t, "\n 3 ", 'K'), 1);
		assert_int_equal(count_marks(&t, "\n 1 ", 'R'), 1);
		assert_int_equal(count_marks(&t, "\n 0 ", 'K'), 0);
		assert_int_equal(count_marks(&t, "\n 0 ", 'R'), 0);
	}
	screen_find(&t, "K signal");
	screen_find(&t, "R recompile");
	t.job->nsignals = 0;
	screen_free(&t);
}

static void a_line_is_where_its_own_time_says(void **unused)
{
	static const struct {
		const char *line;
		int64_t when;
	} lines[] = {{"1970-01-01T00:00:01Z", CLOCK_NS_PER_S},
		{"[rank3] 2023-11-14 22:13:20.5 UTC: OOM", INT64_C(1700000000500000000)},
		{"at 2023-11-14T22:13:20,000000001+00:00", INT64_C(1700000000000000001)},
		{"2023-11-14T23:43:20+0130 x", INT64_C(1700000000000000000)},
		{"2023-11-14T17:13:20-05:00", INT64_C(1700000000000000000)},
		{"2024-02-29T00:00:00Z", INT64_C(1709164800000000000)},
		/* Of these nobody knows when they were. */
		{"2023-11-14 22:13:20", JOB_UNKNOWN}, {"2023-11-14 22:13:20,123 INFO", JOB_UNKNOWN},
		{"22:13:20Z", JOB_UNKNOWN}, {"12023-11-14T22:13:20Z", JOB_UNKNOWN},
		{"2023-13-14T22:13:20Z", JOB_UNKNOWN}, {"2023-11-14T24:13:20Z", JOB_UNKNOWN},
		{"2023-11-1", JOB_UNKNOWN}, {"2023-11-14T22:13", JOB_UNKNOWN},
		{"2023-11-14T22:13:20+", JOB_UNKNOWN}, {"2023-11-14T22:13:20+9", JOB_UNKNOWN},
		{"", JOB_UNKNOWN}};

	(void)unused;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (track_time_of_line(lines[i].line) != lines[i].when)
			fail_msg("%s: %lld", lines[i].line,
				(long long)track_time_of_line(lines[i].line));
}

/* A line from before its writer was born, or from after the look, says a wrong time. */
static void a_line_is_not_where_it_cannot_be(void **unused)
{
	static const char *const days[] = {"2001-01-01", "2199-01-01"};
	struct screen_test t = waiting(80);
	struct job_process processes[4];
	struct job_log log = {.rank = {1}, .error = "", .cite = "log:1"};
	char line[64];
	int64_t s;

	(void)unused;
	memcpy(processes, t.job->processes, sizeof(processes));
	log.when = t.job->gathered;
	for (int i = 0; i < 4; i++)
		processes[i].born = facts_ns(0);
	t.job->processes = processes;
	t.job->logs = &log;
	t.job->nlogs = 1;
	log.last_line = line;
	for (size_t i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "%sT00:00:00Z late", days[i]);
		state_load(t.state, t.job, t.verdicts, "x.inq", false, t.job->gathered);
		screen_lacks(&t, "wrote");
	}
	s = facts_ns(30) / CLOCK_NS_PER_S;
	/* Of the day of facts.h only what is before midnight is written here. */
	snprintf(line, sizeof(line), "%sT%02d:%02d:%02dZ hello", "2023-11-14",
		(int)(s / 3600 % 24), (int)(s / 60 % 60), (int)(s % 60));
	state_load(t.state, t.job, t.verdicts, "x.inq", false, t.job->gathered);
	assert_int_equal(count_marks(&t, "\n 1 ", 'L'), 1);
	screen_find(&t, "L wrote");
	t.job->nlogs = 0;
	screen_free(&t);
}

/* -- Names of ops ----------------------------------------------------------------------------- */

/* KiB; what a sanitizer keeps beside it is no matter of ours. */
#ifdef __SANITIZE_ADDRESS__
#define MORE_AT_MOST (64 * 1024)
#else
#define MORE_AT_MOST 2048
#endif

/* How many KiB more the process takes, at most, once tracks are made. */
static long more_for_tracks(const struct verdicts *verdicts)
{
	struct rusage before = {0}, after = {0};
	struct tracks *tracks;

	getrusage(RUSAGE_SELF, &before);
	tracks = tracks_new(verdicts);
	getrusage(RUSAGE_SELF, &after);
	tracks_free(tracks);
	return after.ru_maxrss - before.ru_maxrss;
}

/* The number of an op says nothing of how many there are: a place for each up to it is too much. */
static void a_great_number_of_an_op_takes_no_room(void **unused)
{
	struct screen_test t = waiting(80);
	struct job_call calls[3];
	int status;
	pid_t child;

	(void)unused;
	for (unsigned i = 0; i < 3; i++)
		calls[i] = (struct job_call){.rank = {1},
			.sig = {.op = JOB_OP_ALLREDUCE},
			.name = "ncclAllReduce",
			.index = (i + 1) * 349525, /* the last is 2^20 - 1 */
			.entered = facts_ns(20 + i),
			.returned = facts_ns(20.5 + i),
			.cite = "ring:1"};
	t.job->calls = calls;
	t.job->ncalls = 3;
	t.job->calls_told = true;
	child = fork();
	if (!child)
		_exit(more_for_tracks(t.verdicts) > MORE_AT_MOST);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	state_load(t.state, t.job, t.verdicts, "x.inq", false, t.job->gathered);
	screen_keys(&t, "j j 3 O");
	screen_find(&t, "AllReduce #349525");
	screen_find(&t, "AllReduce #1048575");
	t.job->ncalls = 0;
	screen_free(&t);
}

/* -- Lanes ------------------------------------------------------------------------------------- */

static void a_rank_of_several_groups_has_lanes(void **unused)
{
	struct facts *f = facts_new(4);
	int pair = facts_group_of(f, 2, 1, 3);
	struct screen_test t;

	(void)unused;
	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 5);
	facts_round(f, pair, JOB_OP_ALLGATHER, 64, 9);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 60);
	t = screen_new(f, 100, 30);
	/* Rank 0 calls into one group only. */
	screen_keys(&t, "j x");
	screen_says(&t, "this row is no fold, and what it calls is of one group");
	screen_keys(&t, "j x");
	screen_find(&t, "\n  no group ");
	assert_true(t.state->rows->at[t.state->row].laned);
	assert_int_equal(t.state->rows->n, 4 + 3);
	/* One goes through them as through rows, and stays at the rank, whose row is another. */
	screen_keys(&t, "j j");
	assert_true(t.state->rows->at[t.state->row].is_lane);
	assert_int_equal(t.state->rank.i, 1);
	screen_keys(&t, "j j");
	assert_int_equal(t.state->rank.i, 3);
	screen_keys(&t, ": type rank 1");
	screen_keys(&t, "Enter");
	assert_int_equal(t.state->rank.i, 1);
	assert_false(t.state->rows->at[t.state->row].is_lane);
	/* A lane's rank may be closed from each of them, and pinned. */
	screen_keys(&t, "j Space");
	assert_true(t.state->tagged[1]);
	screen_keys(&t, "c");
	assert_int_equal(t.state->rows->n, 4);
	assert_int_equal(t.state->rank.i, 1);
	screen_keys(&t, "c");
	screen_says(&t, "this row is no fold");
	screen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_seen_at_every_zoom),
		cmocka_unit_test(ten_thousand_steps_drown_nothing),
		cmocka_unit_test(the_ruler_numbers_steps),
		cmocka_unit_test(a_small_ruler_has_no_bare_numbers),
		cmocka_unit_test(each_step_counts_once),
		cmocka_unit_test(an_exception_is_seen_at_every_zoom),
		cmocka_unit_test(what_is_not_complete_and_own_code_differ),
		cmocka_unit_test(what_is_lost_is_seen),
		cmocka_unit_test(what_was_not_kept_is_counted),
		cmocka_unit_test(what_is_lost_of_nobody_is_seen),
		cmocka_unit_test(of_several_groups_the_one_is_named),
		cmocka_unit_test(hosts_are_looked_at_one_after_another),
		cmocka_unit_test(words_are_never_cut),
		cmocka_unit_test(kills_and_recompiles_are_seen_at_every_zoom),
		cmocka_unit_test(a_line_is_where_its_own_time_says),
		cmocka_unit_test(a_line_is_not_where_it_cannot_be),
		cmocka_unit_test(a_great_number_of_an_op_takes_no_room),
		cmocka_unit_test(a_rank_of_several_groups_has_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
