/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/memory-deaths.h"

#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "verdict/profiles/earlier.h"

/* A SIGKILL that a process of the job got. */
struct kill {
	int64_t when;
	struct rank_index rank; /* NO_RANK: a child's, which only uses the count up */
	int host;
};

static int compare_kills(const void *va, const void *vb)
{
	const struct kill *a = va, *b = vb;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->when != b->when)
		return a->when < b->when ? -1 : 1;
	return a->rank.i < b->rank.i ? -1 : a->rank.i > b->rank.i;
}

/* Returns how many of the kills, from this one on, are of the same host. */
static size_t kills_of_host(const struct kill *kills, size_t n)
{
	size_t same = 0;

	while (same < n && kills[same].host == kills[0].host)
		same++;
	return same;
}

/*
 * True if another rank had died of its own before, by its own account: then whoever looks after the
 * ranks may have killed this one for that, and the kernel a process that nobody saw: a loader of
 * the other's, say.
 */
static bool may_be_an_answer(const struct job *job, const struct clocks *clocks,
	const struct profile *profiles, const struct kill *kill)
{
	job_for_each_rank(job, rank) {
		const struct profile *p = &profiles[rank.i];

		if (!same_rank(rank, kill->rank) && p->death == DEATH_OWN &&
			p->cause != VERDICT_BY_OOM_KILL && p->cause != VERDICT_NO_CAUSE &&
			earlier_by(clocks, kill->rank, kill->when, rank, p->fault) > 0)
			return true;
	}
	return false;
}

/*
 * Takes a host's first kills, as many as its counter grew, for the kernel's. A kill of unknown time
 * may have been the first or the last one: it is the kernel's only if all are.
 */
static void blame_counted(
	const struct job *job, const struct clocks *clocks, struct profile *profiles)
{
	struct kill *kills = alloc_zeroed(job->nprocesses + 1, sizeof(*kills));
	size_t n = 0, from = 0, of_host = 0;

	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];
		bool own = is_rank(process->rank) && profiles[process->rank.i].process == process;

		if (process->end != JOB_SIGNALED || process->status != SIGKILL ||
			!is_rank(process->rank) || process->host == JOB_NONE ||
			(own && profiles[process->rank.i].told))
			continue;
		kills[n++] = (struct kill){
			process->ended, own ? process->rank : NO_RANK, process->host};
	}
	array_sort_items(kills, n, sizeof(*kills), compare_kills);
	for (size_t i = 0; i < n; i++) {
		int64_t used;

		if (!i || kills[i - 1].host != kills[i].host) {
			of_host = kills_of_host(&kills[i], n - i);
			from = i;
		}
		/* Kills of unknown time lie before the others. */
		used = (int64_t)(kills[i].when == JOB_UNKNOWN ? of_host : i - from + 1);
		if (used > job->hosts[kills[i].host].oom_kills || !is_rank(kills[i].rank) ||
			may_be_an_answer(job, clocks, profiles, &kills[i]))
			continue;
		profiles[kills[i].rank.i].death = DEATH_OWN;
		profiles[kills[i].rank.i].cause = VERDICT_BY_OOM_KILL;
	}
	free(kills);
}

void memory_deaths_find(
	const struct job *job, const struct clocks *clocks, struct profile *profiles)
{
	blame_counted(job, clocks, profiles);
	job_for_each_rank(job, rank)
		if (profiles[rank.i].process && *profiles[rank.i].process->oom_cite) {
			profiles[rank.i].death = DEATH_OWN;
			profiles[rank.i].cause = VERDICT_BY_OOM_KILL;
		}
}
