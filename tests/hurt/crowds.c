/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowds: by which power the time grows in which very many of one thing are read, judged and told.
 *
 *	crowds			each crowd that is held; ends with 1 where one grows as its square
 *	crowds NAME [N]		one crowd once, of that size, for a profiler
 *
 * Time is this process' own, the least of some rounds, and the larger job is eight times the
 * smaller: eight times as long is linear, and sixty-four times the square. What lies between may be
 * the machine's, as its caches fill. bench/ has the bars for jobs as they are.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figure.h"
#include "decode/decode.h"
#include "report/report.h"
#include "tests/hurt/crowds.h"
#include "verdict/verdict.h"

#define TIMES  8
#define ROUNDS 3
#define TRIES  4
#define BAR    1.5

static struct job *job_of(const struct crowd *crowd, size_t n, double *at)
{
	struct evidence evidence = {0};
	struct job_builder *b;
	struct job *job;

	if (crowd->facts) {
		b = job_builder_new();
		crowd->facts(b, n);
		*at = figure_own_ns();
		return job_seal(b);
	}
	crowd->evidence(&evidence, n);
	*at = figure_own_ns();
	job = decode_job(&evidence);
	evidence_release(&evidence);
	return job;
}

/* Its own time, ms. */
static double play(const struct crowd *crowd, size_t n)
{
	const struct report_options options = {0};
	FILE *nowhere = fopen("/dev/null", "w");
	struct verdicts *verdicts;
	double at, took;
	struct job *job = job_of(crowd, n, &at);

	verdicts = verdicts_of(job);
	report_json.write(nowhere, verdicts, &options);
	report_text.write(nowhere, verdicts, &options);
	took = (figure_own_ns() - at) / 1e6;
	verdicts_free(verdicts);
	job_free(job);
	fclose(nowhere);
	return took;
}

static double least(const struct crowd *crowd, size_t n)
{
	double best = play(crowd, n);

	for (int i = 1; i < ROUNDS && best < 1000; i++)
		best = fmin(best, play(crowd, n));
	return best;
}

/*
 * False: it grows by more than the bar, each time. What others do on the machine takes caches away,
 * of which the larger job needs more.
 */
static bool measure(const struct crowd *crowd)
{
	double small = INFINITY, large = INFINITY, power = INFINITY;

	for (int i = 0; i < TRIES && power > BAR; i++) {
		small = fmin(small, least(crowd, crowd->n));
		large = fmin(large, least(crowd, crowd->n * TIMES));
		power = log(large / small) / log(TIMES);
	}
	printf("%-24s %7zu  %8.1f ms  %7zu  %8.1f ms  power %.2f%s\n", crowd->name, crowd->n, small,
		crowd->n * TIMES, large, power, power > BAR ? "  OVER" : "");
	fflush(stdout);
	return power <= BAR;
}

static const struct crowd *const lists[] = {crowds_of_facts, crowds_of_exhibits};

int main(int argc, char **argv)
{
	bool fine = true, known = argc < 2;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (const struct crowd *crowd = lists[i]; crowd->name; crowd++) {
			if (argc < 2) {
				fine &= crowd->open || measure(crowd);
			} else if (!strcmp(crowd->name, argv[1])) {
				printf("%.1f ms\n", play(crowd, argc > 2
						? strtoul(argv[2], NULL, 10) : crowd->n));
				known = true;
			}
		}
	return !known ? 2 : !fine;
}
