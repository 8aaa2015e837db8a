/* SPDX-License-Identifier: Apache-2.0 */
#include "words/first.h"

#include <string.h>

#include "base/clock.h"
#include "job/firsts.h"

/* One of the times, over all ranks. */
struct range {
	int64_t least, most;
	size_t n; /* ranks that have it */
};

static void widen(struct range *range, int64_t value)
{
	if (value == JOB_UNKNOWN)
		return;
	if (!range->n || value < range->least)
		range->least = value;
	if (!range->n || value > range->most)
		range->most = value;
	range->n++;
}

/* "0:38-11:02"; where not all ranks have it, how many do. */
static void add_range(struct str *into, const struct range *range, size_t nranks)
{
	char least[CLOCK_TEXT_SIZE], most[CLOCK_TEXT_SIZE];

	clock_format(range->least, least);
	clock_format(range->most, most);
	str_add(into, least);
	if (strcmp(least, most) != 0)
		str_printf(into, "-%s", most);
	if (range->n < nranks)
		str_printf(into, " (%zu of %zu)", range->n, nranks);
}

void first_add(struct str *into, const struct job *job)
{
	struct firsts *all = firsts_new(job);
	struct range compile = {0}, compiling = {0}, collective = {0}, step = {0};

	for (size_t i = 0; i < job->nranks; i++) {
		widen(&compile, all[i].compile);
		widen(&compiling, all[i].compiling);
		widen(&collective, all[i].collective);
		widen(&step, all[i].step);
	}
	firsts_free(all);
	if (!compile.n && !step.n)
		return;
	if (compile.n) {
		str_add(into, "compile after ");
		add_range(into, &compile, job->nranks);
		str_add(into, " for ");
		add_range(into, &compiling, compiling.n);
		str_add(into, "; ");
	}
	str_add(into, collective.n ? "collective " : "no collective");
	if (collective.n)
		add_range(into, &collective, job->nranks);
	str_add(into, step.n ? "; step " : "; no step");
	if (step.n)
		add_range(into, &step, job->nranks);
}
