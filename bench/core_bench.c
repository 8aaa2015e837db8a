/* SPDX-License-Identifier: Apache-2.0 */
/* core_bench CORE: reads it and walks all its threads, Python's frames included. */
#include <stdio.h>

#include "bench/figure.h"
#include "bench/walks.h"
#include "proc/core/core.h"

#define ROUNDS 11

int main(int argc, char **argv)
{
	double wall[ROUNDS], own[ROUNDS];
	size_t threads = 0, frames = 0;

	for (int i = 0; argc == 2 && i < ROUNDS; i++) {
		double begun = figure_now_ns(), begun_own = figure_own_ns();
		struct images *images = images_new();
		struct complaint why = {0};
		struct snapshot snapshot;

		if (core_take(argv[1], images, &snapshot, NULL, &why) < 0) {
			printf("%s\n", complaint_text(&why));
			return 1;
		}
		wall[i] = (figure_now_ns() - begun) / 1e6;
		own[i] = (figure_own_ns() - begun_own) / 1e6;
		threads = snapshot.nthreads;
		frames = walks_of(&snapshot, images);
		snapshot_release(&snapshot);
		images_free(images);
	}
	if (!threads)
		return 2;
	printf("%zu threads, %zu native frames\n", threads, frames);
	figure_print(&(const struct figure){.name = "core: read and walk, wall", .unit = "ms",
		.median = figure_median(wall, ROUNDS), .bar = 50, .sense = FIGURE_AT_MOST});
	figure_print(&(const struct figure){.name = "core: read and walk, CPU", .unit = "ms",
		.median = figure_median(own, ROUNDS), .bar = 50, .sense = FIGURE_AT_MOST});
	return 0;
}
