/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks_bench PID...: the parts of taking stacks, each for all processes together: the native
 * walks alone, all that happens of a sample before names are looked up, and for how long
 * --stop=consistent makes a process stand still.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "bench/figure.h"
#include "bench/walks.h"
#include "proc/threads/capture.h"

#define ROUNDS 15

struct sample {
	struct images *images;
	struct snapshot *snapshots;
	size_t nr;
};

static void sample_take(
	struct sample *sample, char *const *pids, size_t nr, enum snapshot_mode mode)
{
	const struct capture_options options = {.mode = mode};

	sample->images = images_new();
	sample->snapshots = alloc_zeroed(nr, sizeof(*sample->snapshots));
	sample->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		struct proc_id id = {.pid = (uint32_t)atoi(pids[i])};
		struct complaint why = {0};

		if (capture_take(id, &options, sample->images, &sample->snapshots[i], &why) < 0) {
			printf("%s\n", complaint_text(&why));
			exit(1);
		}
	}
}

static void sample_release(struct sample *sample)
{
	for (size_t i = 0; i < sample->nr; i++)
		snapshot_release(&sample->snapshots[i]);
	free(sample->snapshots);
	images_free(sample->images);
}

static void print_both(const char *what, double *wall, double *own, double bar)
{
	char name[64];

	snprintf(name, sizeof(name), "%s, wall", what);
	figure_print(&(const struct figure){.name = name, .unit = "ms", .bar = bar,
		.median = figure_median(wall, ROUNDS), .sense = FIGURE_AT_MOST});
	snprintf(name, sizeof(name), "%s, CPU", what);
	figure_print(&(const struct figure){.name = name, .unit = "ms", .bar = bar,
		.median = figure_median(own, ROUNDS), .sense = FIGURE_AT_MOST});
}

static size_t walk_all(const struct sample *sample)
{
	size_t frames = 0;

	for (size_t i = 0; i < sample->nr; i++)
		frames += walks_of(&sample->snapshots[i], sample->images);
	return frames;
}

static void never(char *const *pids, size_t nr)
{
	double taken[ROUNDS], taken_own[ROUNDS], walked[ROUNDS], walked_own[ROUNDS];
	size_t frames = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double wall = figure_now_ns(), own = figure_own_ns();
		struct sample sample;

		sample_take(&sample, pids, nr, SNAPSHOT_NEVER);
		taken[i] = (figure_now_ns() - wall) / 1e6;
		taken_own[i] = (figure_own_ns() - own) / 1e6;
		wall = figure_now_ns();
		own = figure_own_ns();
		frames = walk_all(&sample);
		walked[i] = (figure_now_ns() - wall) / 1e6;
		walked_own[i] = (figure_own_ns() - own) / 1e6;
		sample_release(&sample);
	}
	printf("%zu native frames\n", frames);
	print_both("native walk alone", walked, walked_own, 40);
	print_both("one sample without names, one core", taken, taken_own, 0);
}

static void consistent(char *const *pids, size_t nr)
{
	double *stops = alloc_zeroed(ROUNDS * nr, sizeof(*stops));
	size_t n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct sample sample;

		sample_take(&sample, pids, nr, SNAPSHOT_CONSISTENT);
		for (size_t k = 0; k < nr; k++)
			stops[n++] = (double)sample.snapshots[k].longest_stop / 1e6;
		sample_release(&sample);
	}
	figure_print(&(const struct figure){.name = "--stop=consistent, stands still, median",
		.median = figure_median(stops, (int)n), .unit = "ms"});
	figure_print(&(const struct figure){.name = "--stop=consistent, stands still, p95",
		.median = stops[n * 95 / 100], .unit = "ms", .bar = 3, .sense = FIGURE_AT_MOST});
	free(stops);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	never(argv + 1, (size_t)argc - 1);
	consistent(argv + 1, (size_t)argc - 1);
	return 0;
}
