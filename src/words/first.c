/* SPDX-License-Identifier: Apache-2.0 */
#include "words/first.h"

#include <inttypes.h>
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

/* "0.05", "4.2", "38": seconds, as far as they tell something. */
static void add_seconds(struct str *into, int64_t ns)
{
	int64_t hundredths = (ns < 0 ? 0 : ns) / (CLOCK_NS_PER_S / 100);

	if (hundredths < 10)
		str_printf(into, "0.%02" PRId64, hundredths);
	else if (hundredths < 1000 && hundredths / 10 % 10)
		str_printf(into, "%" PRId64 ".%" PRId64, hundredths / 100, hundredths / 10 % 10);
	else
		str_printf(into, "%" PRId64, hundredths / 100);
}

/* "0:38 to 11:02", "0.4 to 4.2 s"; where not all ranks have it, how many do. */
static void add_range(struct str *into, const struct range *range, size_t nranks)
{
	bool seconds = range->most < CLOCK_NS_PER_S * 60;
	char text[CLOCK_TEXT_SIZE];
	struct str least = {0}, most = {0};

	if (seconds) {
		add_seconds(&least, range->least);
		add_seconds(&most, range->most);
	} else {
		str_add(&least, clock_format(range->least, text));
		str_add(&most, clock_format(range->most, text));
	}
	str_add(into, str_text(&least));
	if (strcmp(str_text(&least), str_text(&most)) != 0)
		str_printf(into, " to %s", str_text(&most));
	str_add(into, seconds ? " s" : "");
	if (range->n < nranks)
		str_printf(into, " (%zu of %zu)", range->n, nranks);
	str_release(&least);
	str_release(&most);
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
		str_add(into, "compile began at ");
		add_range(into, &compile, job->nranks);
		str_add(into, ", took ");
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
