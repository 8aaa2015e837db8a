/* SPDX-License-Identifier: Apache-2.0 */
/* core_bench CORE: reads it and walks all its threads, Python's frames included. */
#include <stdio.h>

#include "bench/figure.h"
#include "proc/core.h"

#define ROUNDS 11

int main(int argc, char **argv)
{
	double ms[ROUNDS];
	size_t threads = 0, addresses = 0;

	for (int i = 0; argc == 2 && i < ROUNDS; i++) {
		struct images *images = images_new();
		struct complaint why = {0};
		struct snapshot snapshot;
		double begun = figure_now_ns();

		if (core_take(argv[1], images, &snapshot, NULL, &why) < 0) {
			printf("%s\n", complaint_text(&why));
			return 1;
		}
		ms[i] = (figure_now_ns() - begun) / 1e6;
		threads = snapshot.nthreads;
		addresses = snapshot.npcs;
		snapshot_release(&snapshot);
		images_free(images);
	}
	if (!threads)
		return 2;
	printf("%zu threads, %zu addresses on their stacks\n", threads, addresses);
	figure_print(&(const struct figure){.name = "core: read and walk", .unit = "ms",
		.median = figure_median(ms, ROUNDS), .bar = 50, .sense = FIGURE_AT_MOST});
	return 0;
}
