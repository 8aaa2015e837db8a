/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/live-stacks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "evidence/stacks.h"

/* A pool of idle compile workers tells nothing; a stuck loader is among the first. */
#define CHILDREN_MOST 64

/* Whose stacks: living ranks (and who may become one), then children, as far as there is room. */
static size_t choose(const struct live_processes *processes, struct stacks_target *targets)
{
	size_t nr = 0, children = 0;

	for (size_t i = 0; i < processes->all.nr; i++) {
		const struct live_process *process = &processes->all.items[i];

		if (process->here && process->threads)
			targets[nr++] = (struct stacks_target){
				{process->here, process->start_time}, process->rank};
	}
	for (size_t i = 0; i < processes->all.nr && children < CHILDREN_MOST; i++) {
		const struct live_process *process = &processes->all.items[i];

		if (!process->here || process->threads || strcmp(process->role, "child") != 0)
			continue;
		targets[nr++] = (struct stacks_target){
			{process->here, process->start_time}, process->rank};
		children++;
	}
	return nr;
}

void live_take_stacks(const struct live_proc_target *target, const struct live_options *options,
	int64_t sampled)
{
	int64_t until = sampled + options->sample_pause_ms * CLOCK_NS_PER_MS, now;

	if (options->stacks.samples) {
		struct stacks_target *targets =
			alloc_zeroed(target->processes->all.nr + 1, sizeof(*targets));
		size_t nr = choose(target->processes, targets);

		if (nr)
			stacks_gather(target->into, target->host, targets, nr, &options->stacks);
		free(targets);
	}
	now = clock_monotonic_ns();
	if (now < until)
		usleep((useconds_t)((until - now) / 1000));
}
