/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what will end the job by itself, and when: the scheduler's limit, or the first timeout of
 * those who wait.
 *
 * The backend of an operation knows it. A wait in the store ends by the timeout of the first group.
 */
#include "verdict/limits.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/rollcall.h"
#include "job/spans.h"
#include "verdict/backends/backend.h"

/* PyTorch's own timeout: torch.distributed.constants.default_pg_timeout. */
#define HOST_TIMEOUT (1800 * CLOCK_NS_PER_S)

static const struct job_trait *trait_of(
	const struct job *job, struct rank_index rank, const char *key)
{
	struct spans_range range = traits_of(job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (!strcmp(job->traits[i].key, key))
			return &job->traits[i];
	return NULL;
}

enum job_known limits_says(const struct job *job, struct rank_index rank, const char *key)
{
	const struct job_trait *trait = trait_of(job, rank, key);

	if (!trait || !*trait->text)
		return JOB_MAYBE;
	return !strcmp(trait->text, "0") || !strcasecmp(trait->text, "false") ||
			       !strcasecmp(trait->text, "no") || !strcasecmp(trait->text, "off")
		       ? JOB_NO
		       : JOB_YES;
}

bool limits_is_torch(const struct job *job, struct rank_index rank)
{
	const struct job_trait *framework = trait_of(job, rank, "framework");

	return framework && !strncmp(framework->text, "torch", 5);
}

int64_t limits_timeout(
	const struct job *job, const struct job_member *m, int64_t otherwise, const char **ret_cite)
{
	const struct job_trait *told = trait_of(job, m->rank, "timeout");

	*ret_cite = m->cite;
	if (m->timeout != JOB_UNKNOWN)
		return m->timeout;
	if (told && told->number != JOB_UNKNOWN && told->number > 0) {
		*ret_cite = told->cite;
		return told->number;
	}
	*ret_cite = "";
	return limits_is_torch(job, m->rank) ? otherwise : 0;
}

struct limit limits_on_host(
	const struct job *job, const struct wait *wait, enum verdict_limit kind)
{
	struct limit limit = {.kind = kind};
	int64_t timeout =
		limits_timeout(job, &job->members[wait->member], HOST_TIMEOUT, &limit.cite);

	if (!timeout)
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	limit.left = timeout - wait->age;
	return limit;
}

static struct limit limit_of_store(const struct job *job, const struct wait *wait)
{
	const struct job_trait *told = trait_of(job, wait->rank, "timeout");

	if (!told || told->number == JOB_UNKNOWN || told->number <= 0 || waits_in_some_init(wait))
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	return (struct limit){VERDICT_LIMIT_STORE, told->number - wait->age, told->cite};
}

/*
 * Returns the backend that makes such groups (`maker` of struct job_group); NULL: none that is
 * known.
 */
static const struct backend *backend_of_maker(const char *maker)
{
	for (size_t i = 0; backends[i]; i++)
		if (backends[i]->name && !strcmp(maker, backends[i]->name))
			return backends[i];
	return NULL;
}

static struct limit limit_of(const struct job *job, const struct wait *wait)
{
	const struct job_group *group;
	const struct backend *backend;

	if (wait->age == JOB_UNKNOWN)
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	if (wait->kind == WAIT_STORE)
		return limit_of_store(job, wait);
	if (wait->member == JOB_NONE)
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	group = &job->groups[job->members[wait->member].group];
	if (rollcall_is_bootstrap(group))
		return limits_on_host(job, wait, VERDICT_LIMIT_STORE);
	backend = backend_of_maker(group->maker);
	return backend && backend->limit ? backend->limit(job, wait)
					 : (struct limit){.kind = VERDICT_NO_LIMIT};
}

static void take_earlier(struct limit *limit, struct limit other)
{
	if (other.kind != VERDICT_NO_LIMIT &&
		(limit->kind == VERDICT_NO_LIMIT || other.left < limit->left))
		*limit = other;
}

static bool has_ended(const struct job *job, struct rank_index rank)
{
	int process = job_rank(job, rank)->process;

	return process != JOB_NONE && job->processes[process].end > JOB_ALIVE;
}

/*
 * Returns when the last look at any host was, by this host's clock; JOB_UNKNOWN: it cannot be told.
 */
static int64_t last_look(const struct inquiry *q, int host)
{
	int64_t last = JOB_UNKNOWN;

	for (size_t i = 0; i < q->job->nhosts; i++) {
		int64_t when = clocks_move(q->clocks, q->job->hosts[i].gathered, (int)i, host);

		if (when > last)
			last = when;
	}
	return last;
}

static int compare_times(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/*
 * Returns the time by the clock of the scheduler that set the deadline, which is no clock of the
 * job: the median of the hosts' clocks, so that one wrong clock decides nothing.
 */
static int64_t usual_time(const struct inquiry *q)
{
	int64_t *times = alloc_zeroed(q->job->nhosts + 1, sizeof(*times)), usual;
	size_t n = 0;

	for (size_t i = 0; i < q->job->nhosts; i++) {
		int64_t when = last_look(q, (int)i);

		if (when != JOB_UNKNOWN)
			times[n++] = when;
	}
	if (n)
		qsort(times, n, sizeof(*times), compare_times);
	usual = n ? times[(n - 1) / 2] : q->job->gathered;
	free(times);
	return usual;
}

struct limit limits_first(const struct inquiry *q, const struct rank_list *waiting)
{
	const struct job *job = q->job;
	struct limit limit = {.kind = VERDICT_NO_LIMIT};
	int64_t now = job->deadline == JOB_UNKNOWN ? JOB_UNKNOWN : usual_time(q);

	if (now != JOB_UNKNOWN)
		limit = (struct limit){
			VERDICT_LIMIT_DEADLINE, job->deadline - now, job->deadline_cite};
	for (size_t i = 0; i < waiting->list.nr; i++) {
		struct rank_index rank = waiting->list.items[i];

		for (size_t k = q->waits->first[rank.i];
			!has_ended(job, rank) && k < q->waits->first[rank.i + 1]; k++)
			if (waitfor_stands(job, &q->waits->at[k], &q->given))
				take_earlier(&limit, limit_of(job, &q->waits->at[k]));
	}
	return limit;
}
