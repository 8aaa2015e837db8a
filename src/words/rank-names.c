/* SPDX-License-Identifier: Apache-2.0 */
#include "words/rank-names.h"

#include <inttypes.h>
#include <string.h>

/* True if people know the rank by its number; else by its process' pid. */
static bool has_number(const struct job *job, struct rank_index rank)
{
	return !job_rank(job, rank)->numberless || job_rank(job, rank)->process == JOB_NONE;
}

/* Returns the pid of the rank's process, which it must have. */
static uint32_t pid_of(const struct job *job, struct rank_index rank)
{
	return job->processes[job_rank(job, rank)->process].pid;
}

/*
 * Appends the run of numbers that begins at item `from`. Returns the index of the item behind it.
 */
static size_t add_run(
	struct str *into, const struct job *job, struct verdict_ranks ranks, size_t from)
{
	int first = job_rank(job, ranks.at[from])->world_rank.n;
	int last = first;
	size_t next = from + 1;

	if (!has_number(job, ranks.at[from])) {
		str_printf(into, "p%" PRIu32, pid_of(job, ranks.at[from]));
		return next;
	}
	while (next < ranks.n && has_number(job, ranks.at[next]) &&
		job_rank(job, ranks.at[next])->world_rank.n == last + 1) {
		last++;
		next++;
	}
	if (last == first)
		str_printf(into, "%d", first);
	else
		str_printf(into, "%d-%d", first, last);
	return next;
}

void ranks_add(struct str *into, const struct job *job, struct verdict_ranks ranks)
{
	for (size_t at = 0; at < ranks.n;) {
		if (at)
			str_add_char(into, ',');
		at = add_run(into, job, ranks, at);
	}
}

void ranks_fit(struct str *into, const struct job *job, struct verdict_ranks ranks, size_t width)
{
	struct str whole = {0}, first = {0};

	ranks_add(&whole, job, ranks);
	if (whole.len > width) {
		ranks_add(&first, job, (struct verdict_ranks){ranks.at, 1});
		str_cut(&whole, 0);
		str_printf(&whole, "%zu from %s", ranks.n, str_text(&first));
		if (whole.len > width) {
			str_cut(&whole, 0);
			str_printf(&whole, "%s +%zu", str_text(&first), ranks.n - 1);
		}
	}
	str_add(into, str_text(&whole));
	str_release(&whole);
	str_release(&first);
}

/* Returns how many of the set have a number, or have none. */
static size_t count(const struct job *job, struct verdict_ranks ranks, bool number)
{
	size_t n = 0;

	for (size_t i = 0; i < ranks.n; i++)
		n += has_number(job, ranks.at[i]) == number;
	return n;
}

/* Appends those with a number: "rank 3", "ranks 0-2,4". */
static void name_numbers(struct str *into, const struct job *job, struct verdict_ranks ranks)
{
	const char *before = count(job, ranks, true) == 1 ? "rank " : "ranks ";

	for (size_t at = 0; at < ranks.n;) {
		if (!has_number(job, ranks.at[at])) {
			at++;
			continue;
		}
		str_add(into, before);
		at = add_run(into, job, ranks, at);
		before = ",";
	}
}

/* Appends those without: "pid 4711", "pids 4711,4712". */
static void name_pids(struct str *into, const struct job *job, struct verdict_ranks ranks)
{
	const char *before = count(job, ranks, false) == 1 ? "pid " : "pids ";

	for (size_t at = 0; at < ranks.n; at++) {
		if (has_number(job, ranks.at[at]))
			continue;
		str_printf(into, "%s%" PRIu32, before, pid_of(job, ranks.at[at]));
		before = ",";
	}
}

void ranks_name(struct str *into, const struct job *job, struct verdict_ranks ranks)
{
	name_numbers(into, job, ranks);
	if (count(job, ranks, true) && count(job, ranks, false))
		str_add(into, " and ");
	name_pids(into, job, ranks);
}

bool ranks_only_sayings(const struct job *job)
{
	return job->nsayings && !job->nranks && !job->nprocesses && !job->has_census;
}

bool ranks_were_seen(const struct job *job)
{
	bool before_any = job->ended == JOB_YES && !job->ngroups;

	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->process != JOB_NONE &&
			!(before_any && job_rank(job, rank)->numberless))
			return true;
	return false;
}
