/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What will end the job by itself, and when: the scheduler's limit, or the first timeout of those
 * who wait.
 *
 * PyTorch's watchdog of NCCL looks at each op's own clock: when one has stood for its group's
 * timeout (600 s unless told otherwise), it asks for a dump and waits four times 15 s for it, then
 * aborts the process. It does not where TORCH_NCCL_ASYNC_ERROR_HANDLING is 0; with
 * TORCH_NCCL_BLOCKING_WAIT the wait itself raises instead, without delay. It does not look at the
 * making of communicators. gloo has no watchdog: the wait raises after the group's timeout (1800
 * s). So does a wait in the store, by the timeout of the first group.
 */
#include "verdict/limits.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/rollcall.h"
#include "job/spans.h"

#define NCCL_TIMEOUT (600 * CLOCK_NS_PER_S)
#define GLOO_TIMEOUT (1800 * CLOCK_NS_PER_S)
#define NCCL_DUMP    (60 * CLOCK_NS_PER_S)

static const struct job_trait *trait_of(const struct job *job, int rank, const char *key)
{
	struct spans_range range = traits_of(job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (!strcmp(job->traits[i].key, key))
			return &job->traits[i];
	return NULL;
}

/* True if a variable of that trait is set to no. */
static bool is_off(const struct job_trait *trait)
{
	return trait && (!strcmp(trait->text, "0") || !strcasecmp(trait->text, "false") ||
				!strcasecmp(trait->text, "no") || !strcasecmp(trait->text, "off"));
}

static bool is_on(const struct job_trait *trait)
{
	return trait && *trait->text && !is_off(trait);
}

static bool is_torch(const struct job *job, int rank)
{
	const struct job_trait *framework = trait_of(job, rank, "framework");

	return framework && !strncmp(framework->text, "torch", 5);
}

/* How long one op of that seat may stand, and where that is said. 0: nobody says. */
static int64_t timeout_of(
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
	*ret_cite = "torch's default";
	return is_torch(job, m->rank) ? otherwise : 0;
}

/* In an op of NCCL, or in its making. */
static struct limit limit_of_nccl(const struct job *job, const struct wait *wait)
{
	const struct job_member *m = &job->members[wait->member];
	bool raises = is_on(trait_of(job, m->rank, "blocking-wait"));
	struct limit limit = {.kind = raises ? VERDICT_LIMIT_TIMEOUT : VERDICT_LIMIT_WATCHDOG};
	int64_t timeout = timeout_of(job, m, NCCL_TIMEOUT, &limit.cite);

	if (!timeout || !is_torch(job, m->rank) || wait->kind == WAIT_INIT ||
		wait->kind == WAIT_SPLIT ||
		(!raises && is_off(trait_of(job, m->rank, "async-error"))))
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	if (!raises && !is_off(trait_of(job, m->rank, "dump-on-timeout")))
		timeout += NCCL_DUMP;
	limit.left = timeout - wait->age;
	return limit;
}

/* Where the library of the group itself gives up; of a bootstrap group that is the store. */
static struct limit limit_of_host(
	const struct job *job, const struct wait *wait, enum verdict_limit kind)
{
	struct limit limit = {.kind = kind};
	int64_t timeout =
		timeout_of(job, &job->members[wait->member], GLOO_TIMEOUT, &limit.cite);

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

static struct limit limit_of(const struct job *job, const struct wait *wait)
{
	const struct job_group *group;

	if (wait->age == JOB_UNKNOWN)
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	if (wait->kind == WAIT_STORE)
		return limit_of_store(job, wait);
	if (wait->member == JOB_NONE)
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	group = &job->groups[job->members[wait->member].group];
	if (rollcall_is_bootstrap(group))
		return limit_of_host(job, wait, VERDICT_LIMIT_STORE);
	if (!strcmp(group->maker, "gloo"))
		return limit_of_host(job, wait, VERDICT_LIMIT_TIMEOUT);
	if (!strcmp(group->maker, "nccl"))
		return limit_of_nccl(job, wait);
	return (struct limit){.kind = VERDICT_NO_LIMIT};
}

static void take_earlier(struct limit *limit, struct limit other)
{
	if (other.kind != VERDICT_NO_LIMIT &&
		(limit->kind == VERDICT_NO_LIMIT || other.left < limit->left))
		*limit = other;
}

static bool has_ended(const struct job *job, int rank)
{
	int process = job->ranks[rank].process;

	return process != JOB_NONE && job->processes[process].end > JOB_ALIVE;
}

/* When the last look at any host was, by this host's clock; JOB_UNKNOWN: nobody looked at it. */
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
 * What time it is by the clock of the scheduler that set the deadline, which is none of the job's:
 * what the clocks of most hosts show, so that one that is wrong decides nothing.
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
		int rank = waiting->list.items[i];

		for (size_t k = q->waits->first[rank];
			!has_ended(job, rank) && k < q->waits->first[rank + 1]; k++)
			if (waitfor_stands(job, &q->waits->at[k], &q->given))
				take_earlier(&limit, limit_of(job, &q->waits->at[k]));
	}
	return limit;
}
