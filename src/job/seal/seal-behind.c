/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds processes that an elastic restart has left behind, where another host's look at them is
 * older: they were seen in the attempt before, and all ranks have met anew since. What their ranks
 * do now nobody has seen. Clocks do not tell that, nor do the numbers of restarts alone: torchrun
 * counts, on each host, only the failures of its own ranks. The groups tell: who is in one with a
 * process of a later restart has come along, and who is in none has not.
 */
#include "job/seal/seal-behind.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"

/* A group, and the last restart of which somebody sits in it. */
struct reach {
	uint64_t group_key;
	int restart;
};

struct reaches {
	ARRAY(struct reach) list; /* by key, each once */
};

static int compare_reaches(const void *va, const void *vb)
{
	const struct reach *a = va, *b = vb;

	SEAL_ORDER(a->group_key, b->group_key);
	SEAL_ORDER(b->restart, a->restart);
	return 0;
}

static void collect(
	const struct seal *seal, const struct holdings *holdings, struct reaches *reaches)
{
	const struct holding *holding;
	size_t n = 0;

	array_for_each(&holdings->list, holding)
		*array_add(&reaches->list) = (struct reach){
			holding->group_key, seal->processes[holding->process].restart};
	array_sort(&reaches->list, compare_reaches);
	for (size_t i = 0; i < reaches->list.nr; i++)
		if (!n || reaches->list.items[n - 1].group_key != reaches->list.items[i].group_key)
			array_keep(reaches->list.items, n, i);
	reaches->list.nr = n;
}

/* Returns the last restart in which all ranks have met; -1 where that is of none known. */
static int last_met(const struct seal *seal, const struct holdings *holdings)
{
	const struct holding *holding;
	int last = -1;

	array_for_each(&holdings->list, holding)
		if (holding->met && seal->job->world_size > 0 &&
			holding->size == (uint32_t)seal->job->world_size)
			SEAL_KEEP_MAX(last, seal->processes[holding->process].restart);
	return last;
}

/*
 * Tells whether the process is in a group with somebody of a later restart; MAYBE where its groups
 * were not seen.
 */
static enum job_known has_come_along(const struct seal *seal, const struct holdings *holdings,
	const struct reaches *reaches, int process)
{
	const struct job_identity *identity = &seal->people[process].identity;
	const struct reach *list = reaches->list.items;
	size_t n;
	const struct holding *own = holdings_of(holdings, process, &n);

	for (size_t i = 0; i < n; i++) {
		size_t at = bisect(
			0, reaches->list.nr, k, list[k].group_key < own[i].group_key);

		if (list[at].restart > seal->processes[process].restart)
			return JOB_YES;
	}
	return n && identity->lost_records <= 0 && (identity->knows & JOB_KNOWS_RING) ? JOB_NO
										    : JOB_MAYBE;
}

/* True for a rank of an earlier restart, which is judged as yet. */
static bool is_earlier(const struct seal *seal, size_t process, int last)
{
	const struct job_identity *identity = &seal->people[process].identity;

	return seal->processes[process].restart < last && !seal->people[process].stale &&
	       seal->processes[process].host != JOB_NONE &&
	       (is_world_rank(identity->world_rank) || identity->promoted);
}

/*
 * Marks who has not come along. The ranks of a host are started anew together: where none of them
 * has, neither have those whose groups were not seen.
 */
static void mark(struct seal *seal, const struct holdings *holdings,
	const struct reaches *reaches, int last)
{
	size_t n = seal->job->nprocesses;
	enum job_known *came = alloc_zeroed(n + 1, sizeof(*came));
	enum job_known *hosts = alloc_zeroed(seal->job->nhosts + 1, sizeof(*hosts));

	for (size_t i = 0; i < n; i++)
		if (is_earlier(seal, i, last)) {
			came[i] = has_come_along(seal, holdings, reaches, (int)i);
			SEAL_KEEP_MAX(hosts[seal->processes[i].host], came[i]);
		}
	for (size_t i = 0; i < n; i++)
		if (is_earlier(seal, i, last) && came[i] != JOB_YES &&
			(came[i] == JOB_NO || hosts[seal->processes[i].host] == JOB_NO))
			seal->people[i].stale = true;
	free(came);
	free(hosts);
}

void seal_behind(struct seal *seal, const struct holdings *holdings)
{
	int last = last_met(seal, holdings);
	struct reaches reaches = {0};

	if (last <= 0)
		return;
	collect(seal, holdings, &reaches);
	mark(seal, holdings, &reaches, last);
	array_release(&reaches.list);
}
