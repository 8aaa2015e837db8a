/* SPDX-License-Identifier: Apache-2.0 */
#include "words/summary.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "job/attempts.h"
#include "job/firsts.h"
#include "words/rank-names.h"
#include "words/wording.h"

#define DAY_S 86400

/* -- how far it came --------------------------------------------------------------------------- */

void summary_add_attempt(struct str *into, const struct job *job)
{
	struct attempt before = attempts_at(job, job->attempt - 1);
	int64_t s = before.ended / CLOCK_NS_PER_S % DAY_S;

	str_printf(into, "attempt %d", job->attempt);
	if (job->attempt < 2 || before.ended == JOB_UNKNOWN || before.ended < 0)
		return;
	str_printf(into, " (%d ended %02" PRId64 ":%02" PRId64 ":%02" PRId64 " UTC",
		job->attempt - 1, s / 3600, s / 60 % 60, s % 60);
	if (before.first && before.first->end == JOB_SIGNALED) {
		str_add(into, ", ");
		wording_signal(into, before.first->status);
	} else if (before.first) {
		str_printf(into, ", exit %d", before.first->status);
	}
	str_add_char(into, ')');
}

/* One of the times of firsts, over all ranks. */
struct range {
	int64_t least, most;
	size_t n; /* how many ranks have it */
};

/* Takes one rank's time into the range. */
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

/* Appends seconds with as many digits as tell something: "0.05", "4.2", "38". */
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

/* Appends "0:38 to 11:02" or "0.4 to 4.2 s"; where not all ranks have that time, how many do. */
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

/* Appends for how long ranks compiled: those that are done, and those that are not, so far. */
static void add_compiling(struct str *into, const struct range *took, const struct range *open)
{
	if (took->n) {
		str_add(into, ", took ");
		add_range(into, took, took->n + open->n);
	}
	if (open->n) {
		str_add(into, ", ");
		add_range(into, open, open->n);
		str_add(into, " so far");
	}
}

void summary_add_first(struct str *into, const struct job *job)
{
	struct firsts *all = firsts_new(job);
	struct range compile = {0}, took = {0}, open = {0}, collective = {0}, step = {0};

	job_for_each_rank(job, rank) {
		widen(&compile, all[rank.i].compile);
		widen(all[rank.i].compiles_on ? &open : &took, all[rank.i].compiling);
		widen(&collective, all[rank.i].collective);
		widen(&step, all[rank.i].step);
	}
	firsts_free(all);
	if (!compile.n && !step.n)
		return;
	if (compile.n) {
		str_add(into, "compile began at ");
		add_range(into, &compile, job->nranks);
		add_compiling(into, &took, &open);
		str_add(into, "; ");
	}
	str_add(into, collective.n ? "collective " : "no collective");
	if (collective.n)
		add_range(into, &collective, job->nranks);
	str_add(into, step.n ? "; step " : "; no step");
	if (step.n)
		add_range(into, &step, job->nranks);
}

/* -- what was read, and what is lost ----------------------------------------------------------- */

/* Returns how many records the rings had no room for, of ranks whose rings tell. */
static int64_t lost_records(const struct job *job)
{
	int64_t sum = 0;

	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->lost_records > 0)
			sum = checked_add(sum, job_rank(job, rank)->lost_records);
	return sum;
}

void summary_add_read(struct str *into, const struct job *job)
{
	size_t rings = 0, dumps = 0, texts = 0;

	job_for_each_rank(job, rank) {
		int process = job_rank(job, rank)->process;

		texts += process != JOB_NONE && job->processes[process].by_texts;
		rings += (job_rank(job, rank)->knows & JOB_KNOWS_RING) != 0;
		dumps += (job_rank(job, rank)->knows & JOB_KNOWS_DUMP) != 0;
	}
	if ((texts || ranks_only_sayings(job)) && !rings && !dumps) {
		str_add(into, "from texts alone: no ring, no dump");
		return;
	}
	str_printf(into, "%zu/%zu %s, %" PRId64 " records lost", rings || !dumps ? rings : dumps,
		job->world_size == JOB_NONE ? job->nranks : (size_t)job->world_size,
		rings || !dumps ? "rings" : "dumps of the Flight Recorder", lost_records(job));
}

/* Orders by what is lost, so that ranks that lost the same stand side by side. */
static int compare_losses(const void *va, const void *vb)
{
	const struct job_loss *a = *(const struct job_loss *const *)va;
	const struct job_loss *b = *(const struct job_loss *const *)vb;
	int order = strcmp(a->what, b->what);

	if (!order && a->count != b->count)
		order = a->count < b->count ? -1 : 1;
	if (!order && !same_rank(a->rank, b->rank))
		order = a->rank.i < b->rank.i ? -1 : 1;
	if (order)
		return order;
	return a < b ? -1 : a > b;
}

/*
 * True if the second is the same loss, of another rank or of the same one again. A loss that is of
 * no rank stands alone.
 */
static bool is_alike(const struct job_loss *a, const struct job_loss *b)
{
	return is_rank(a->rank) && is_rank(b->rank) && a->count == b->count &&
	       !strcmp(a->what, b->what);
}

/* Adds a rank, once. */
static void add_rank(struct losses_alike *alike, struct rank_index rank)
{
	if (!is_rank(rank))
		return;
	if (!alike->ranks.nr || !same_rank(alike->ranks.items[alike->ranks.nr - 1], rank))
		*array_add(&alike->ranks) = rank;
}

struct losses losses_of(const struct job *job)
{
	ARRAY(const struct job_loss *) list = {0};
	struct losses losses = {0};

	for (size_t i = 0; i < job->nlosses; i++)
		*array_add(&list) = &job->losses[i];
	array_sort(&list, compare_losses);
	for (size_t from = 0, to; from < list.nr; from = to) {
		const struct job_loss *first = list.items[from];
		struct losses_alike *alike = array_add(&losses.all);

		*alike = (struct losses_alike){.what = first->what,
			.cite = first->cite,
			.count = first->count,
			.of_ops = first->of_ops};
		add_rank(alike, first->rank);
		for (to = from + 1; to < list.nr && is_alike(first, list.items[to]); to++) {
			alike->of_ops |= list.items[to]->of_ops;
			add_rank(alike, list.items[to]->rank);
		}
	}
	array_release(&list);
	return losses;
}

void losses_release(struct losses *losses)
{
	struct losses_alike *alike;

	array_for_each (&losses->all, alike)
		array_release(&alike->ranks);
	array_release(&losses->all);
}

/*
 * Appends "ranks 0-2: ". A set that has no room is counted, so that no part of it is taken for all.
 */
static void add_whose(
	struct str *into, const struct job *job, struct verdict_ranks ranks, size_t width)
{
	size_t from = into->len;

	if (!ranks.n)
		return;
	ranks_name(into, job, ranks);
	if (into->len - from > width) {
		str_cut(into, from);
		ranks_fit(into, job, ranks, width);
	}
	str_add(into, ": ");
}

void losses_add(
	struct str *into, const struct job *job, const struct losses_alike *alike, size_t width)
{
	add_whose(into, job, (struct verdict_ranks){alike->ranks.items, alike->ranks.nr}, width);
	str_add(into, alike->what);
	if (alike->count != JOB_UNKNOWN && alike->count > 1)
		str_printf(into, " (%" PRId64 ")", alike->count);
	if (alike->of_ops)
		str_add(into, "; operations may be among it");
}

/* -- what that has cost ------------------------------------------------------------------------ */

struct disturbed disturbed_by(const struct job *job)
{
	struct disturbed all = {0};

	for (size_t i = 0; i < job->nsnapshots; i++) {
		const struct job_snapshot *one = &job->snapshots[i];

		if (one->mode == JOB_SNAPSHOT_CORE)
			continue;
		all.live = true;
		all.threads += one->threads;
		all.stopped += one->stopped;
		all.cut += one->cut;
		if (one->mode > all.mode)
			all.mode = one->mode;
		if (one->samples > all.samples)
			all.samples = one->samples;
		if (one->longest_stop > all.longest_stop)
			all.longest_stop = one->longest_stop;
		if (one->span > all.span)
			all.span = one->span;
	}
	return all;
}

void disturbed_add_stops(struct str *into, const struct disturbed *disturbed)
{
	char text[CLOCK_TEXT_SIZE];

	str_printf(into, "%u thread%s stopped", disturbed->stopped,
		disturbed->stopped == 1 ? "" : "s");
	if (disturbed->stopped)
		str_printf(into, ", for %s at most", clock_format(disturbed->longest_stop, text));
}

bool disturbed_leaves_cut(const struct disturbed *disturbed)
{
	return disturbed->cut && disturbed->mode == JOB_SNAPSHOT_NEVER;
}

void disturbed_add_cut(struct str *into, const struct disturbed *disturbed)
{
	if (disturbed_leaves_cut(disturbed))
		str_printf(into, "%u thread%s cut; --stop=blocked-fallback would read %s",
			disturbed->cut, disturbed->cut == 1 ? "" : "s",
			disturbed->cut == 1 ? "it" : "them");
}
