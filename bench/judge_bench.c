/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge_bench.c: jobs of up to 131,072 ranks, facts alone: sealed, judged and put into JSON and
 * text; and by which power the time of each grows with the ranks. One rank stays away of an
 * AllReduce, and has to be the one culprit each time.
 *
 * All sizes are played in each round, and the medians of the rounds are shown: of the times, and of
 * by how much they grew within one round. The first round does not count. Memory is kept: what a
 * virtual machine's host takes to give memory that was never touched grows with the host's mood.
 */
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/figure.h"
#include "report/report.h"
#include "tests/unit/many_ranks.h"
#include "verdict/verdict.h"

#define SIZES  3
#define MOST   131072
#define ROUNDS 5

enum part { SEALED, JUDGED, TOLD, PARTS };

static const char *const names[PARTS] = {"sealed", "judged", "told, as JSON and text"};

static int ranks_of(int size)
{
	return MOST >> 2 * (SIZES - 1 - size);
}

static void demand_one(const struct verdicts *verdicts, int missing)
{
	const struct verdict *first = &verdicts->at[0];
	const struct job *job = verdicts->job;

	if (first->culprits.n == 1 &&
		job_rank(job, first->culprits.at[0])->world_rank.n == missing)
		return;
	fprintf(stderr, "judge_bench: of %zu ranks names %zu, not rank %d\n", job->nranks,
		first->culprits.n, missing);
	exit(2);
}

/* Own time of each part, ms. */
static void play(int ranks, double took[PARTS])
{
	const struct many_ranks many = {.n = ranks, .missing = ranks * 2 / 3};
	const struct report_options options = {0};
	FILE *nowhere = fopen("/dev/null", "w");
	struct verdicts *verdicts;
	double at = figure_own_ns();
	struct job *job;

	if (!nowhere)
		exit(2);
	job = many_ranks_job(&many);
	took[SEALED] = (figure_own_ns() - at) / 1e6;
	at = figure_own_ns();
	verdicts = verdicts_of(job);
	took[JUDGED] = (figure_own_ns() - at) / 1e6;
	demand_one(verdicts, many.missing);
	at = figure_own_ns();
	report_json.write(nowhere, verdicts, &options);
	report_text.write(nowhere, verdicts, &options);
	took[TOLD] = (figure_own_ns() - at) / 1e6;
	verdicts_free(verdicts);
	job_free(job);
	fclose(nowhere);
}

/* Of the sizes, each four times the one before: from the first to the last. */
static double growth(double first, double last)
{
	return log(last / first) / log(pow(4, SIZES - 1));
}

static void show(const char *name, double *samples, const char *unit, double bar)
{
	const struct figure figure = {.name = name,
		.median = figure_median(samples, ROUNDS),
		.unit = unit,
		.bar = bar,
		.sense = FIGURE_AT_MOST};

	figure_print(&figure);
}

/* took[size][part][round], ms */
static void show_all(double took[SIZES][PARTS][ROUNDS])
{
	double grew[PARTS][ROUNDS];
	char name[64];

	for (int part = 0; part < PARTS; part++)
		for (int round = 0; round < ROUNDS; round++)
			grew[part][round] =
				growth(took[0][part][round], took[SIZES - 1][part][round]);
	for (int size = 0; size < SIZES; size++)
		for (int part = 0; part < PARTS; part++) {
			snprintf(name, sizeof(name), "%d ranks: %s", ranks_of(size), names[part]);
			show(name, took[size][part], "ms", 0);
		}
	for (int part = 0; part < PARTS; part++) {
		snprintf(name, sizeof(name), "%s: grows by the power of", names[part]);
		show(name, grew[part], "", 1.1);
	}
}

int main(void)
{
	static double took[SIZES][PARTS][ROUNDS];

	puts("== Judge");
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	for (int round = -1; round < ROUNDS; round++)
		for (int size = 0; size < SIZES; size++) {
			double parts[PARTS];

			play(ranks_of(size), parts);
			for (int part = 0; part < PARTS && round >= 0; part++)
				took[size][part][round] = parts[part];
		}
	show_all(took);
	return 0;
}
