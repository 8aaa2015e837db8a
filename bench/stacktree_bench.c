/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacktree_bench.c: one tree of the stacks of 131,072 ranks, 30 frames each, from a sealed job to
 * classes. Once as jobs are (all in one place but three ranks, and a few hundred variants of what
 * goes on inside), once as no job is: each stack different, forks at every depth.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/figure.h"
#include "job/stacktree/stacktree.h"

#define RANKS  131072
#define DEPTH  30
#define FRAMES 4096
#define ROUNDS 5

struct crowd {
	struct job job;
	struct job_rank *ranks;
	struct job_frame *frames;
	struct job_stack *stacks;
	uint32_t *numbers;
};

/* The frame of a rank at a depth, outermost 0. */
typedef uint32_t frame_of_fn(uint32_t rank, uint32_t depth);

static uint32_t mix(uint32_t a, uint32_t b)
{
	uint64_t hash = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(hash >> 40);
}

static uint32_t as_jobs_are(uint32_t rank, uint32_t depth)
{
	if (rank == 4711 || rank == 100000 || rank == 131071)
		return depth < 12 ? depth : 1000 + depth;
	return depth < 26 ? depth : 2000 + mix(rank % 400, depth) % 2000;
}

static uint32_t all_different(uint32_t rank, uint32_t depth)
{
	return depth < 2 ? depth : mix(rank >> (depth < 19 ? 18 - depth : 0), depth) % FRAMES;
}

static void crowd_make(struct crowd *crowd, frame_of_fn *frame)
{
	crowd->ranks = calloc(RANKS, sizeof(*crowd->ranks));
	crowd->frames = calloc(FRAMES, sizeof(*crowd->frames));
	crowd->stacks = calloc(RANKS, sizeof(*crowd->stacks));
	crowd->numbers = calloc((size_t)RANKS * DEPTH, sizeof(*crowd->numbers));
	for (uint32_t i = 0; i < RANKS; i++) {
		uint32_t *numbers = crowd->numbers + (size_t)i * DEPTH;

		for (uint32_t k = 0; k < DEPTH; k++)
			numbers[DEPTH - 1 - k] = frame(i, k) % FRAMES;
		crowd->ranks[i] = (struct job_rank){
			.world_rank = world_rank((int)i), .process = (int)i};
		crowd->stacks[i] = (struct job_stack){.rank = rank_index(i),
			.process = (int)i,
			.main = true,
			.frames = numbers,
			.nframes = DEPTH,
			.cut = ""};
	}
	crowd->job = (struct job){.ranks = crowd->ranks,
		.nranks = RANKS,
		.frames = crowd->frames,
		.nframes = FRAMES,
		.stacks = crowd->stacks,
		.nstacks = RANKS};
}

static void measure(const char *name, frame_of_fn *frame, double bar)
{
	const struct stacktree_options main_threads = {0};
	struct figure figure = {.name = name, .unit = "ms", .bar = bar};
	double samples[ROUNDS];
	struct crowd crowd;

	crowd_make(&crowd, frame);
	for (int i = 0; i < ROUNDS; i++) {
		double begun = figure_now_ns();
		struct stacktree *tree = stacktree_new(&crowd.job, &main_threads);

		samples[i] = (figure_now_ns() - begun) / 1e6;
		if (!i)
			printf("%zu stacks, %zu nodes, %zu classes\n", tree->nstacks, tree->nnodes,
				tree->nclasses);
		stacktree_free(tree);
	}
	figure.median = figure_median(samples, ROUNDS);
	figure_print(&figure);
	free(crowd.ranks);
	free(crowd.frames);
	free(crowd.stacks);
	free(crowd.numbers);
}

int main(void)
{
	puts("== Stack tree");
	measure("131,072 stacks into classes", as_jobs_are, 1000);
	measure("the same, each stack different", all_different, 0);
	return 0;
}
