/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge_bench.c: jobs of up to 131,072 ranks, facts alone: sealed, judged and put into JSON and
 * text; and by which power the time of each grows with the ranks. One rank stays away of an
 * AllReduce, and has to be the one culprit each time.
 *
 * Each size is played twice in memory that is kept, and the second time counts: what a virtual
 * machine's host takes to give memory that was never touched grows with the host's mood.
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

#define SIZES 3
#define MOST  131072

enum part { SEALED, JUDGED, TOLD, PARTS };

static const char *const names[PARTS] = {"sealed", "judged", "told, as JSON and text"};

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

int main(void)
{
	double took[SIZES][PARTS];

	puts("== Judge");
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	for (int size = 0, ranks = MOST >> 2 * (SIZES - 1); size < SIZES; size++, ranks *= 4) {
		for (int time = 0; time < 2; time++)
			play(ranks, took[size]);
		for (int part = 0; part < PARTS; part++) {
			struct figure figure = {.median = took[size][part], .unit = "ms"};
			char name[64];

			snprintf(name, sizeof(name), "%d ranks: %s", ranks, names[part]);
			figure.name = name;
			figure_print(&figure);
		}
	}
	for (int part = 0; part < PARTS; part++) {
		struct figure figure = {.median = growth(took[0][part], took[SIZES - 1][part]),
			.unit = "",
			.bar = 1.1,
			.sense = FIGURE_AT_MOST};
		char name[64];

		snprintf(name, sizeof(name), "%s: grows by the power of", names[part]);
		figure.name = name;
		figure_print(&figure);
	}
	return 0;
}
