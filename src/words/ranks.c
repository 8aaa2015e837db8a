/* SPDX-License-Identifier: Apache-2.0 */
#include "words/ranks.h"

#include <inttypes.h>
#include <string.h>

static bool has_number(const struct job *job, int rank)
{
	return !job->ranks[rank].numberless || job->ranks[rank].process == JOB_NONE;
}

static uint32_t pid_of(const struct job *job, int rank)
{
	return job->processes[job->ranks[rank].process].pid;
}

/* The run that begins at item `from`: appends it and gives the item behind it. */
static size_t add_run(
	struct str *into, const struct job *job, struct verdict_ranks ranks, size_t from)
{
	int first = job->ranks[ranks.at[from]].world_rank;
	int last = first;
	size_t next = from + 1;

	if (!has_number(job, ranks.at[from])) {
		str_printf(into, "p%" PRIu32, pid_of(job, ranks.at[from]));
		return next;
	}
	while (next < ranks.n && has_number(job, ranks.at[next]) &&
		job->ranks[ranks.at[next]].world_rank == last + 1) {
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
	struct str whole = {0};
	size_t keep, tail;

	ranks_add(&whole, job, ranks);
	if (whole.len <= width) {
		str_add(into, str_text(&whole));
		goto out;
	}
	tail = strlen(strrchr(whole.text, ',') ? strrchr(whole.text, ',') : whole.text);
	keep = width > tail + 4 ? width - tail - 4 : 0;
	while (keep && whole.text[keep] != ',')
		keep--;
	str_add_bytes(into, whole.text, keep);
	str_add(into, keep ? ",..." : "...");
	str_add(into, whole.text + whole.len - tail);
out:
	str_release(&whole);
}

void ranks_name(struct str *into, const struct job *job, struct verdict_ranks ranks)
{
	if (!ranks.n)
		return;
	if (ranks.n == 1 && !has_number(job, ranks.at[0])) {
		str_printf(into, "pid %" PRIu32, pid_of(job, ranks.at[0]));
		return;
	}
	str_add(into, ranks.n == 1 ? "rank " : "ranks ");
	ranks_add(into, job, ranks);
}

bool ranks_have(struct verdict_ranks ranks, int rank)
{
	for (size_t i = 0; i < ranks.n; i++)
		if (ranks.at[i] == rank)
			return true;
	return false;
}
