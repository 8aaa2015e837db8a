/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_bench.c: what the viewer makes of a sealed job before it draws (tracks, their pyramid,
 * rows), and whole screens of 240x60, from a key to its cells. Once as wide as jobs get (10,000
 * ranks of 50 events), once as long (64 ranks, 2 M events), with a frame's worth of cells at every
 * zoom; and the stacks pane, where no two ranks stand alike. Jobs are put together in place, one
 * allocation a part as decoding leaves them, so that memory can be compared. What several workers
 * make is timed by the wall, all else by what this thread used.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/figure.h"
#include "job/names.h"
#include "job/seal/build.h"
#include "viewer/draw.h"
#include "viewer/state/rows.h"
#include "viewer/timeline/pyramid.h"

#define ROUNDS	5
#define COLUMNS 240
#define BEGAN	INT64_C(1700000000000000000)

/* -- a job ------------------------------------------------------------------------------------- */

struct crowd {
	struct job *empty; /* what is known of nothing: the rest of `job` */
	struct job job;
	struct verdicts verdicts;
	struct verdict verdict;
	struct job_host host;
	struct job_group group;
	struct job_rank *ranks;
	struct job_process *processes;
	struct job_thread *threads;
	struct job_member *members;
	struct job_op *ops;
	struct job_call *calls;
	struct job_span *spans;
	struct job_step *steps;
	struct job_stack *stacks; /* a rank's each, and none like another */
	struct job_frame *frames;
	uint32_t *on_stacks; /* DEEP of each */
	char *cites;
	struct rank_index culprit;
	struct rank_index *victims;
};

#define CITE  24
#define STEPS 1000 /* of a rank of few */
#define DEEP  3	   /* frames on a stack: a call that waits, the rank's own line, main */

/* Each op is entered a little later by a higher rank; the last one is open, but by the culprit. */
static void fill_rank(struct crowd *crowd, int rank, size_t nops, size_t nspans, int64_t gap)
{
	struct job_op *ops = crowd->ops + (size_t)rank * nops;
	struct job_span *spans = crowd->spans + (size_t)rank * nspans;
	char *cites = crowd->cites + (size_t)rank * (nops + nspans) * CITE;
	bool culprit = rank == crowd->culprit.i;

	for (size_t i = 0; i < nops; i++) {
		crowd->calls[(size_t)rank * nops + i] = (struct job_call){.rank = rank_index(rank),
			.sig = {.op = i % 3 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER},
			.name = "ncclAllReduce",
			.index = i + 1,
			.entered = BEGAN + 1000 + (int64_t)(i + nspans) * gap + rank * 17 % gap,
			.returned = i + 1 < nops ? BEGAN + 1000 + gap / 3 +
							   (int64_t)(i + nspans) * gap +
							   rank * 17 % gap
						 : JOB_UNKNOWN,
			.cite = "ring"};
		snprintf(cites + i * CITE, CITE, "ring:%d:g1:%zu", rank, i + 1);
		ops[i] = (struct job_op){.index = i + 1,
			.sig = {.op = i % 3 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER,
				.dtype = 7,
				.peer = NO_GROUP_RANK,
				.count = 4096},
			.entered = BEGAN + 1000 + (int64_t)(i + nspans) * gap + rank * 17 % gap,
			.returned = i + 1 < nops ? JOB_YES : JOB_NO,
			.order = i + 1,
			.thread = rank,
			.cite = cites + i * CITE};
	}
	for (size_t i = 0; i < nspans; i++) {
		char *cite = cites + (nops + i) * CITE;

		snprintf(cite, CITE, "ring:%d:span%zu", rank, i + 1);
		spans[i] = (struct job_span){.rank = rank_index(rank),
			.process = rank,
			.kind = JOB_SPAN_COMPILE,
			.name = i % 2 ? "inductor codegen" : "aot",
			.detail = "",
			.begun = BEGAN + 1000 + (int64_t)i * gap,
			.ended = BEGAN + 1000 + (int64_t)i * gap + gap / 2,
			.cite = cite};
	}
	crowd->members[rank] = (struct job_member){.seat = group_rank((uint32_t)rank),
		.rank = rank_index(rank),
		.state = JOB_MEMBER_READY,
		.init_since = BEGAN,
		.ready_at = BEGAN,
		.head_known = true,
		.head = nops - culprit,
		.timeout = JOB_UNKNOWN,
		.ops = ops,
		.nops = nops - culprit,
		.cite = "ring:*:g1"};
}

/* `last`: when it entered its last op, in which it stands. */
static void fill_people(struct crowd *crowd, int rank, int64_t last)
{
	crowd->ranks[rank] = (struct job_rank){
		.world_rank = world_rank(rank),
		.named_by_env = true,
		.process = rank,
		.knows = JOB_KNOWS_RING};
	crowd->processes[rank] = (struct job_process){.pid = 1000 + (uint32_t)rank,
		.rank = rank_index(rank),
		.role = JOB_ROLE_RANK,
		.comm = "python",
		.what = "",
		.born = BEGAN,
		.end = JOB_ALIVE,
		.ended = JOB_UNKNOWN,
		.wchan = "",
		.end_cite = "",
		.cite = "proc"};
	crowd->threads[rank] = (struct job_thread){.rank = rank_index(rank),
		.tid = 1000 + (uint32_t)rank,
		.name = "python",
		.state = rank == crowd->culprit.i ? JOB_THREAD_OUTSIDE : JOB_THREAD_IN_CALL,
		.call = rank == crowd->culprit.i ? "" : "ncclAllReduce",
		.detail = "",
		.since = last,
		.cite = "ring"};
	if (rank != crowd->culprit.i)
		crowd->victims[rank - (rank > crowd->culprit.i)] = rank_index(rank);
}

static void fill_steps(struct crowd *crowd, int rank, size_t nsteps, int64_t gap)
{
	for (size_t i = 0; i < nsteps; i++)
		crowd->steps[(size_t)rank * nsteps + i] =
			(struct job_step){.rank = rank_index(rank),
				.n = i + 1,
				.events = i + 1,
				.first = JOB_UNKNOWN,
				.when = BEGAN + 2000 + (int64_t)i * gap,
				.cite = "ring:step"};
}

static void fill_stack(struct crowd *crowd, int rank)
{
	uint32_t *on = crowd->on_stacks + (size_t)rank * DEEP;

	crowd->frames[rank + 2] = (struct job_frame){.kind = JOB_FRAME_PYTHON,
		.function = "step",
		.module = "",
		.file = "/me/train.py",
		.line = rank + 1};
	on[0] = 0;
	on[1] = (uint32_t)rank + 2;
	on[2] = 1;
	crowd->stacks[rank] = (struct job_stack){.rank = rank_index(rank),
		.process = rank,
		.tid = 1000 + (uint32_t)rank,
		.main = true,
		.thread = "",
		.frames = on,
		.nframes = DEEP,
		.merged = true,
		.cut = "",
		.wchan = "",
		.syscall = "",
		.cpu_delta = JOB_UNKNOWN,
		.samples = 1,
		.when = BEGAN,
		.cite = "stack"};
}

static void fill_stacks(struct crowd *crowd, size_t nranks)
{
	crowd->stacks = calloc(nranks, sizeof(*crowd->stacks));
	crowd->frames = calloc(nranks + 2, sizeof(*crowd->frames));
	crowd->on_stacks = calloc(nranks * DEEP, sizeof(*crowd->on_stacks));
	crowd->frames[0] = (struct job_frame){.kind = JOB_FRAME_NATIVE,
		.function = "poll",
		.module = "libc.so.6",
		.file = ""};
	crowd->frames[1] = (struct job_frame){.kind = JOB_FRAME_PYTHON,
		.function = "main",
		.module = "",
		.file = "/me/train.py",
		.line = 1};
	for (size_t i = 0; i < nranks; i++)
		fill_stack(crowd, (int)i);
	crowd->job.stacks = crowd->stacks;
	crowd->job.nstacks = nranks;
	crowd->job.frames = crowd->frames;
	crowd->job.nframes = nranks + 2;
}

static void finish(struct crowd *crowd, size_t nranks, size_t nspans, int64_t end)
{
	crowd->host = (struct job_host){.name = "hostA", .gathered = end, .cite = "gather:hostA"};
	crowd->group = (struct job_group){.name = "world",
		.maker = "nccl",
		.ranks = "",
		.size = (uint32_t)nranks,
		.cite = "ring:*:g1"};
	crowd->empty = job_seal(job_builder_new());
	crowd->job = *crowd->empty;
	crowd->job.gathered = end;
	crowd->job.hosts = &crowd->host;
	crowd->job.nhosts = 1;
	crowd->job.ranks = crowd->ranks;
	crowd->job.nranks = nranks;
	crowd->job.processes = crowd->processes;
	crowd->job.nprocesses = nranks;
	crowd->job.threads = crowd->threads;
	crowd->job.nthreads = nranks;
	crowd->job.groups = &crowd->group;
	crowd->job.ngroups = 1;
	crowd->job.members = crowd->members;
	crowd->job.nmembers = nranks;
	crowd->job.calls = crowd->calls;
	crowd->job.calls_told = true;
	crowd->job.spans = crowd->spans;
	crowd->job.nspans = nspans * nranks;
	crowd->verdict = (struct verdict){.class = VERDICT_HOST_STALL,
		.culprits = {&crowd->culprit, 1},
		.victims = {crowd->victims, nranks - 1}};
	crowd->verdicts =
		(struct verdicts){.job = &crowd->job, .at = &crowd->verdict, .n = 1};
}

static void crowd_make(struct crowd *crowd, size_t nranks, size_t nops, size_t nspans)
{
	int64_t gap = CLOCK_NS_PER_MS;
	size_t nsteps = nops > STEPS ? STEPS : 2; /* of most ranks the first and the latest */

	*crowd = (struct crowd){.culprit = rank_index((int)nranks / 3)};
	crowd->ranks = calloc(nranks, sizeof(*crowd->ranks));
	crowd->processes = calloc(nranks, sizeof(*crowd->processes));
	crowd->threads = calloc(nranks, sizeof(*crowd->threads));
	crowd->members = calloc(nranks, sizeof(*crowd->members));
	crowd->victims = calloc(nranks, sizeof(*crowd->victims));
	crowd->ops = calloc(nranks * nops, sizeof(*crowd->ops));
	crowd->calls = calloc(nranks * nops, sizeof(*crowd->calls));
	crowd->spans = calloc(nranks * nspans + 1, sizeof(*crowd->spans));
	crowd->cites = calloc(nranks * (nops + nspans), CITE);
	crowd->steps = calloc(nranks * nsteps, sizeof(*crowd->steps));
	for (size_t i = 0; i < nranks; i++) {
		fill_rank(crowd, (int)i, nops, nspans, gap);
		fill_people(crowd, (int)i, crowd->ops[(i + 1) * nops - 1].entered);
		fill_steps(crowd, (int)i, nsteps, gap * (int64_t)(nops / nsteps));
	}
	finish(crowd, nranks, nspans, BEGAN + (int64_t)(nops + nspans) * gap * 5 / 4);
	crowd->job.ncalls = nranks * nops;
	crowd->job.steps = crowd->steps;
	crowd->job.nsteps = nranks * nsteps;
}

static void crowd_release(struct crowd *crowd)
{
	job_free(crowd->empty);
	free(crowd->ranks);
	free(crowd->processes);
	free(crowd->threads);
	free(crowd->members);
	free(crowd->victims);
	free(crowd->ops);
	free(crowd->calls);
	free(crowd->spans);
	free(crowd->steps);
	free(crowd->stacks);
	free(crowd->frames);
	free(crowd->on_stacks);
	free(crowd->cites);
}

/* -- what is measured -------------------------------------------------------------------------- */

struct made {
	struct tracks *tracks;
	struct pyramid *pyramid;
	struct rows *rows;
};

static struct made make(const struct crowd *crowd)
{
	struct rows_wish wish = {.room = 50};
	struct made made = {.tracks = tracks_new(&crowd->verdicts)};
	uint32_t counts[TRACK_STATES];

	made.pyramid = pyramid_new(made.tracks);
	made.rows = rows_new(made.tracks, &crowd->verdicts, &wish);
	pyramid_tally(made.pyramid, made.tracks->from, made.tracks->to, counts);
	return made;
}

static void made_free(struct made *made)
{
	rows_free(made->rows);
	pyramid_free(made->pyramid);
	tracks_free(made->tracks);
}

static double in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return (double)info.uordblks + (double)info.hblkhd;
}

static void print(const char *name, double *samples, const char *unit, double bar)
{
	struct figure figure = {.name = name,
		.median = figure_median(samples, ROUNDS),
		.unit = unit,
		.bar = bar,
		.sense = FIGURE_AT_MOST};

	figure_print(&figure);
}

static void measure_open(const char *name, const struct crowd *crowd, double bar)
{
	double samples[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double began = figure_now_ns();
		struct made made = make(crowd);

		samples[i] = (figure_now_ns() - began) / 1e6;
		made_free(&made);
	}
	print(name, samples, "ms", bar);
}

/* All cells of a screen, and the strip. */
static double frame(const struct made *made, size_t rows, int64_t from, int64_t to, unsigned *sink)
{
	double began = figure_own_ns();

	for (size_t row = 0; row < rows; row++)
		for (int64_t x = 0; x < COLUMNS; x++) {
			int64_t left = from + (to - from) / COLUMNS * x;
			struct bin bin = pyramid_bin(made->pyramid, row, left,
				left + (to - from) / COLUMNS);

			*sink += bin.state + bin.share;
		}
	for (int64_t x = 0; x < COLUMNS; x++) {
		int64_t left = from + (to - from) / COLUMNS * x;
		uint32_t counts[TRACK_STATES];

		pyramid_tally(made->pyramid, left, left + (to - from) / COLUMNS, counts);
		*sink += counts[TRACK_WAITING];
	}
	return (figure_own_ns() - began) / 1e6;
}

/* The slowest of all zooms, each around a place of its own. */
static void measure_frames(
	const char *name, const struct made *made, size_t rows, double bar)
{
	const struct tracks *tracks = made->tracks;
	unsigned sink = 0;
	double samples[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		samples[i] = 0;
		for (int64_t width = tracks->to - tracks->from; width > COLUMNS; width /= 2) {
			int64_t from = tracks->from + (tracks->to - tracks->from - width) / 3;
			double ms = frame(made, rows, from, from + width, &sink);

			samples[i] = ms > samples[i] ? ms : samples[i];
		}
	}
	print(name, samples, "ms", bar);
	if (sink == 42)
		printf("\n");
}

/* A key, and the screen that it makes; ms. */
static double press(struct state *state, struct cells *cells, const char *key)
{
	double began = figure_own_ns();

	state_key(state, key);
	draw_screen(state, cells);
	return (figure_own_ns() - began) / 1e6;
}

/* The slowest key of a walk through time and rows, with each zoom. */
static double walk(struct state *state, struct cells *cells)
{
	static const char *const keys[] = {"w", "d", "j", "l", "3", "w", "a", "L", "k", "1", "w"};
	double slowest = 0;

	for (int round = 0; round < 10; round++)
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
			double ms = press(state, cells, keys[i]);

			slowest = ms > slowest ? ms : slowest;
		}
	for (int i = 0; i < 30; i++) {
		double ms = press(state, cells, "s");

		slowest = ms > slowest ? ms : slowest;
	}
	return slowest;
}

/* From a sealed job to the first screen, and what keys take then. */
static void measure_screens(
	const char *of, const struct crowd *crowd, double open_bar, double key_bar)
{
	double open[ROUNDS], keys[ROUNDS], rows[ROUNDS];
	char name[80];

	for (int i = 0; i < ROUNDS; i++) {
		struct state *state = state_new();
		struct cells cells = {0};
		double began = figure_now_ns();

		state_resize(state, COLUMNS, 60);
		state_load(state, &crowd->job, &crowd->verdicts, "bench", false, BEGAN);
		draw_screen(state, &cells);
		open[i] = (figure_now_ns() - began) / 1e6;
		keys[i] = walk(state, &cells);
		rows[i] = press(state, &cells, "o");
		cells_release(&cells);
		state_free(state);
	}
	snprintf(name, sizeof(name), "%s: first screen", of);
	print(name, open, "ms", open_bar);
	snprintf(name, sizeof(name), "%s: slowest key", of);
	print(name, keys, "ms", key_bar);
	snprintf(name, sizeof(name), "%s: other rows", of);
	print(name, rows, "ms", 0);
}

/* The slowest key in a pane whose lines are as many as all ranks' stacks have frames. */
static void measure_stacks(const char *name, struct crowd *crowd, size_t nranks)
{
	static const char *const keys[] = {
		"2", "Enter", "j", "Ctrl-D", "G", "Ctrl-U", "g", "e", "G", "k", "Esc", "j"};
	double samples[ROUNDS] = {0};

	fill_stacks(crowd, nranks);
	for (int i = 0; i < ROUNDS; i++) {
		struct state *state = state_new();
		struct cells cells = {0};

		state_resize(state, COLUMNS, 60);
		state_load(state, &crowd->job, &crowd->verdicts, "bench", false, BEGAN);
		draw_screen(state, &cells);
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			double ms = press(state, &cells, keys[k]);

			samples[i] = ms > samples[i] ? ms : samples[i];
		}
		cells_release(&cells);
		state_free(state);
	}
	print(name, samples, "ms", 16);
}

int main(void)
{
	struct figure figure = {.name = "2 M events: tracks and pyramid to job",
		.unit = "MiB",
		.bar = 3,
		.sense = FIGURE_AT_MOST};
	double before, job;
	struct crowd crowd;
	struct made made;

	crowd_make(&crowd, 10000, 40, 5);
	measure_open("10,000 ranks x 50 events: open", &crowd, 1000);
	measure_screens("10,000 ranks", &crowd, 1000, 2);
	made = make(&crowd);
	measure_frames("10,000 ranks: 60 rows, slowest zoom", &made, 60, 16);
	made_free(&made);
	measure_stacks("10,000 stacks, none alike: slowest key", &crowd, 10000);
	crowd_release(&crowd);

	before = in_use();
	crowd_make(&crowd, 64, 31000, 120);
	job = in_use() - before;
	measure_open("64 ranks, 2 M events: open", &crowd, 0);
	measure_screens("64 ranks, 2 M events", &crowd, 300, 8);
	made = make(&crowd);
	figure.median = (in_use() - before - job) / (1 << 20);
	figure.ratio = (in_use() - before) / job;
	figure_print(&figure);
	measure_frames("64 ranks, 2 M events: slowest zoom", &made, 64, 8);
	made_free(&made);
	crowd_release(&crowd);
	return 0;
}
