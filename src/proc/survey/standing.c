/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/standing.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "proc/threads/threads.h"

/* Returns how often the main thread of a process was put on a processor; 0 not known. */
static uint64_t runs_of(uint32_t pid)
{
	struct snapshot_thread thread = {.tid = pid};
	struct threads threads;
	uint64_t runs = 0;

	if (threads_open(&threads, pid) == 0 && threads_runs(&threads, &thread) == 0)
		runs = thread.run_count;
	threads_close(&threads);
	return runs;
}

/* Notes the two run counts of one rank of a job. */
static void note(struct survey_job *job, uint64_t before, uint64_t after)
{
	if (job->standing == SURVEY_BUSY || !before || !after)
		return;
	job->standing = before == after ? SURVEY_STILL : SURVEY_BUSY;
}

void standing_look(struct survey *survey, int ms)
{
	const struct timespec pause = {ms / 1000, ms % 1000 * CLOCK_NS_PER_MS};
	uint64_t *before;

	if (!survey->jobs.nr)
		return;
	before = alloc_zeroed(survey->all.nr, sizeof(*before));
	for (size_t i = 0; i < survey->all.nr; i++)
		if (survey->all.items[i].is_rank)
			before[i] = runs_of(survey->all.items[i].stat.pid);
	nanosleep(&pause, NULL);
	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *process = &survey->all.items[i];

		if (process->is_rank && process->job != SURVEY_NONE)
			note(&survey->jobs.items[process->job], before[i],
				runs_of(process->stat.pid));
	}
	free(before);
}

const char *standing_name(enum survey_standing standing)
{
	static const char *const names[] = {
		[SURVEY_UNLOOKED] = "", [SURVEY_STILL] = "still", [SURVEY_BUSY] = "busy"};

	return names[standing];
}
