/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge_bench.c: jobs of up to 131,072 ranks, facts alone: sealed, judged and put into JSON and
 * text. One rank stays away of an AllReduce, and has to be the one culprit each time.
 *
 * All sizes are played in each round, and the medians of the rounds are shown. The first round does
 * not count. Memory is kept: what a virtual machine's host takes to give memory that was never
 * touched grows with the host's mood.
 *
 * By which power of the ranks the time grows says two things at once: how many steps we take, and
 * what a step costs, since few ranks lie in the caches and many do not. How a copy of as much
 * memory grows is shown beside it, and tells them apart. The steps alone are counted by
 * judge_steps.py, for which `judge_bench RANKS [dead]` plays one job once.
 */
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figure.h"
#include "report/report.h"
#include "tests/unit/many_ranks.h"
#include "verdict/verdict.h"

#define SIZES  3
#define MOST   131072
#define ROUNDS 5

#define FACTS  2048 /* bytes of memory that the facts of a rank take, about */

enum part { SEALED, JUDGED, TOLD, COPIED, PARTS };

static const char *const names[PARTS] = {
	"sealed", "judged", "told, as JSON and text", "2 KiB a rank copied"};

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

/* The three parts. They stand alone, so that what counts their steps finds them by name. */

static __attribute__((noinline)) struct job *bench_sealed(const struct many_ranks *many)
{
	return many_ranks_job(many);
}

static __attribute__((noinline)) struct verdicts *bench_judged(const struct job *job)
{
	return verdicts_of(job);
}

static __attribute__((noinline)) void bench_told(FILE *nowhere, const struct verdicts *verdicts)
{
	const struct report_options options = {0};

	report_json.write(nowhere, verdicts, &options);
	report_text.write(nowhere, verdicts, &options);
}

/* The ns since *at, which becomes now. */
static double since(double *at)
{
	double before = *at;

	*at = figure_own_ns();
	return *at - before;
}

/* Own time of copying as much memory as the sealed facts of so many ranks take, ms. */
static double copy(int ranks)
{
	size_t size = (size_t)ranks * FACTS;
	char *from = malloc(size), *to = malloc(size);
	double at;

	if (!from || !to)
		exit(2);
	memset(from, 1, size);
	memset(to, 2, size);
	at = figure_own_ns();
	for (size_t done = 0; done < size; done += FACTS)
		memcpy(to + done, from + done, FACTS);
	at = since(&at) / 1e6;
	if (to[size - 1] != 1)
		exit(2);
	free(from);
	free(to);
	return at;
}

/* Own time of each part, ms. `dead`: all have aborted since. */
static void play(int ranks, bool dead, double took[PARTS])
{
	const struct many_ranks many = {.n = ranks, .missing = ranks * 2 / 3, .dead = dead};
	FILE *nowhere = fopen("/dev/null", "w");
	struct verdicts *verdicts;
	double at = figure_own_ns();
	struct job *job;

	if (!nowhere)
		exit(2);
	job = bench_sealed(&many);
	took[SEALED] = since(&at) / 1e6;
	verdicts = bench_judged(job);
	took[JUDGED] = since(&at) / 1e6;
	demand_one(verdicts, many.missing);
	since(&at);
	bench_told(nowhere, verdicts);
	took[TOLD] = since(&at) / 1e6;
	took[COPIED] = copy(ranks);
	verdicts_free(verdicts);
	job_free(job);
	fclose(nowhere);
}

/* Of the sizes, each four times the one before: from the first to the last. */
static double growth(double first, double last)
{
	return log(last / first) / log(pow(4, SIZES - 1));
}

static void show(const char *name, double *samples, const char *unit)
{
	const struct figure figure = {
		.name = name, .median = figure_median(samples, ROUNDS), .unit = unit};

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
			show(name, took[size][part], "ms");
		}
	for (int part = 0; part < PARTS; part++) {
		snprintf(name, sizeof(name), "%s: time grows by the power of", names[part]);
		show(name, grew[part], "");
	}
}

static void play_all(void)
{
	static double took[SIZES][PARTS][ROUNDS];

	puts("== Judge");
	for (int round = -1; round < ROUNDS; round++)
		for (int size = 0; size < SIZES; size++) {
			double parts[PARTS];

			play(ranks_of(size), false, parts);
			for (int part = 0; part < PARTS && round >= 0; part++)
				took[size][part][round] = parts[part];
		}
	show_all(took);
}

int main(int argc, char **argv)
{
	double parts[PARTS];

	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	if (argc > 1)
		play(atoi(argv[1]), argc > 2, parts);
	else
		play_all();
	return 0;
}
