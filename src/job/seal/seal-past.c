/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds hosts of which only an earlier attempt was seen, since the gathering of the last one failed
 * there or is lost. Numbers of restarts alone do not tell (seal-behind.c), and in the last attempt
 * all may not have met yet. So two things must come together. Something shows that there were
 * several attempts:
 *
 *	- another host shows more of them: it counts more restarts, or each of its ranks had a
 *	  process before that ended before the last one was born; or
 *	- all ranks have met in a group that others hold, and nobody of this host is in it.
 *
 * And the last look at the host was before the processes of that attempt were born, and its ranks
 * are in no group of theirs. Clocks that are wrong can make nobody a culprit by this: it only takes
 * evidence away.
 */
#include "job/seal/seal-past.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"

/* A process that is a rank by its number, or was one. */
struct runner {
	int host, number, process;
	int64_t born;
};

struct past {
	struct seal *seal;
	const struct holdings *holdings;
	ARRAY(struct runner) runners; /* of each host and number, the last one */
	int *attempts;		      /* by host: how many it shows at least; 0: it has no rank */
	bool *later;		      /* by process: it is of the last attempt */
	ARRAY(uint64_t) keys;	      /* groups that these hold, ascending */
	int64_t began;		      /* when the first of these was born; JOB_UNKNOWN */
};

static int compare_runners(const void *va, const void *vb)
{
	const struct runner *a = va, *b = vb;

	SEAL_ORDER(a->host, b->host);
	SEAL_ORDER(a->number, b->number);
	SEAL_ORDER(a->born, b->born);
	SEAL_ORDER(a->process, b->process);
	return 0;
}

static int compare_keys(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	SEAL_ORDER(*a, *b);
	return 0;
}

/* A child has its parent's number, and is none. */
static bool has_parents_number(const struct seal *seal, size_t process)
{
	const struct seal_person *person = &seal->people[process];

	return person->parent != JOB_NONE &&
	       same_world_rank(seal->people[person->parent].identity.world_rank,
		       person->identity.world_rank);
}

static void collect_runners(struct past *past)
{
	const struct seal *seal = past->seal;

	for (size_t i = 0; i < seal->job->nprocesses; i++) {
		const struct job_process *process = &seal->processes[i];
		struct world_rank number = seal->people[i].identity.world_rank;

		if (is_world_rank(number) && process->host != JOB_NONE &&
			process->role != JOB_ROLE_AGENT && !has_parents_number(seal, i))
			*array_add(&past->runners) =
				(struct runner){process->host, number.n, (int)i, process->born};
	}
	array_sort(&past->runners, compare_runners);
}

static bool ended_before(const struct seal *seal, const struct runner *older,
	const struct runner *newer)
{
	const struct job_process *process = &seal->processes[older->process];

	return process->end > JOB_ALIVE && process->ended != JOB_UNKNOWN &&
	       newer->born != JOB_UNKNOWN && process->ended <= newer->born;
}

/*
 * Keeps the last process of each number, and counts the attempts that each host shows: as many as
 * each of its numbers had processes one after the other, or as its restarts tell.
 */
static void count_attempts(struct past *past)
{
	struct runner *list = past->runners.items;
	size_t kept = 0;

	for (size_t from = 0, to; from < past->runners.nr; from = to) {
		int host = list[from].host, n = 1;

		for (to = from + 1; to < past->runners.nr && list[to].host == host &&
				    list[to].number == list[from].number;
			to++)
			n += ended_before(past->seal, &list[to - 1], &list[to]);
		if (!past->attempts[host] || n < past->attempts[host])
			past->attempts[host] = n;
		list[kept++] = list[to - 1];
	}
	past->runners.nr = kept;
	for (size_t i = 0; i < kept; i++)
		SEAL_KEEP_MAX(past->attempts[list[i].host],
			1 + past->seal->processes[list[i].process].restart);
}

/* -- the last attempt -------------------------------------------------------------------------- */

/* Begins anew to say who is of the last attempt. */
static void nobody_is_later(struct past *past)
{
	for (size_t i = 0; i < past->seal->job->nprocesses; i++)
		past->later[i] = false;
	past->keys.nr = 0;
	past->began = JOB_UNKNOWN;
}

/* Says that the process is of the last attempt. */
static void is_later(struct past *past, const struct runner *runner)
{
	const struct holding *own;
	size_t n;

	if (past->seal->people[runner->process].stale)
		return;
	past->later[runner->process] = true;
	if (runner->born != JOB_UNKNOWN &&
		(past->began == JOB_UNKNOWN || runner->born < past->began))
		past->began = runner->born;
	own = holdings_of(past->holdings, runner->process, &n);
	for (size_t i = 0; i < n; i++)
		if (own[i].drawn)
			*array_add(&past->keys) = own[i].group_key;
}

/* Those of the hosts that show most attempts. False: all show as many. */
static bool find_by_attempts(struct past *past)
{
	const struct runner *runner;
	int most = 0, least = 0;

	nobody_is_later(past);
	array_for_each(&past->runners, runner) {
		int n = past->attempts[runner->host];

		SEAL_KEEP_MAX(most, n);
		least = least && least < n ? least : n;
	}
	array_for_each(&past->runners, runner)
		if (past->attempts[runner->host] == most)
			is_later(past, runner);
	return least < most;
}

/* Returns how many ranks there are: as is said, else the seats of the largest group. */
static uint32_t count_ranks(const struct past *past)
{
	const struct holding *holding;
	uint32_t size = 0;

	if (past->seal->job->world_size > 0)
		return (uint32_t)past->seal->job->world_size;
	array_for_each(&past->holdings->list, holding)
		if (!past->seal->people[holding->process].stale)
			SEAL_KEEP_MAX(size, holding->size);
	return size;
}

/* Returns the last group of all ranks in which all have met; NULL: there is none. */
static const struct holding *last_world(const struct past *past)
{
	const struct holding *last = NULL, *holding;
	uint32_t size = count_ranks(past);

	array_for_each(&past->holdings->list, holding)
		if (holding->met && size > 1 && holding->size == size &&
			!past->seal->people[holding->process].stale &&
			(!last || holding->ready_at > last->ready_at))
			last = holding;
	return last;
}

static bool holds(const struct past *past, int process, uint64_t key)
{
	size_t n;
	const struct holding *own = holdings_of(past->holdings, process, &n);

	for (size_t i = 0; i < n; i++)
		if (own[i].group_key == key)
			return true;
	return false;
}

/* True if the process is in groups, and none of them is lost. */
static bool shows_groups(const struct past *past, int process)
{
	const struct job_identity *identity = &past->seal->people[process].identity;
	size_t n, drawn = 0;
	const struct holding *own = holdings_of(past->holdings, process, &n);

	for (size_t i = 0; i < n; i++)
		drawn += own[i].drawn;
	return drawn && (identity->knows & JOB_KNOWS_RING) && identity->lost_records <= 0;
}

/*
 * Those who are in the last group in which all have met; or those who are not, if that is the
 * earlier one. False: there is none.
 */
static bool find_by_world(struct past *past, bool in_it)
{
	const struct holding *world = last_world(past);
	const struct runner *runner;

	nobody_is_later(past);
	array_for_each(&past->runners, runner)
		if (world && (in_it ? holds(past, runner->process, world->group_key)
				    : shows_groups(past, runner->process) &&
					      !holds(past, runner->process, world->group_key)))
			is_later(past, runner);
	return world;
}

/*
 * Those of the host whose ranks were born last. Nothing but clocks tells that others are of an
 * attempt before. False: no birth is known, or not all groups of these are.
 */
static bool find_by_birth(struct past *past)
{
	const struct runner *runner, *last = NULL;
	bool shown = true;
	int64_t *born = alloc_zeroed(past->seal->job->nhosts + 1, sizeof(*born));

	nobody_is_later(past);
	for (size_t i = 0; i < past->seal->job->nhosts; i++)
		born[i] = INT64_MAX;
	array_for_each(&past->runners, runner)
		if (!past->seal->people[runner->process].stale && runner->born < born[runner->host])
			born[runner->host] = runner->born;
	array_for_each(&past->runners, runner)
		if (born[runner->host] != INT64_MAX &&
			(!last || born[runner->host] > born[last->host]))
			last = runner;
	array_for_each(&past->runners, runner)
		if (last && runner->host == last->host) {
			is_later(past, runner);
			shown &= shows_groups(past, runner->process);
		}
	free(born);
	return past->began != JOB_UNKNOWN && shown;
}

/* -- who is not of it -------------------------------------------------------------------------- */

/*
 * Tells whether the process is in a group of the last attempt; MAYBE where its groups were not
 * seen.
 */
static enum job_known is_among(const struct past *past, int process)
{
	const uint64_t *keys = past->keys.items;
	size_t n, drawn = 0;
	const struct holding *own = holdings_of(past->holdings, process, &n);

	for (size_t i = 0; i < n; i++) {
		size_t at = bisect(0, past->keys.nr, k, keys[k] < own[i].group_key);

		drawn += own[i].drawn;
		if (own[i].drawn && at < past->keys.nr && keys[at] == own[i].group_key)
			return JOB_YES;
	}
	return drawn ? JOB_NO : JOB_MAYBE;
}

/* True if the last look at the process is known to be from before the last attempt began. */
static bool was_looked_at_before(const struct past *past, int process)
{
	const struct job_process *it = &past->seal->processes[process];
	const struct job_host *host = &past->seal->hosts[it->host];
	int64_t when = it->looked != JOB_UNKNOWN ? it->looked
		       : host->guessed	       ? JOB_UNKNOWN
					       : host->gathered;

	return when != JOB_UNKNOWN && past->began != JOB_UNKNOWN && when < past->began;
}

/* What one host is to the last attempt. */
struct host_part {
	enum job_known among; /* YES: one of its ranks is; NO: one is not, and none is */
	bool since; /* one of its ranks was looked at since that began, or at an unknown time */
};

/* Finds what each host is to the last attempt. To be freed. */
static struct host_part *find_parts(struct past *past)
{
	struct host_part *parts = alloc_zeroed(past->seal->job->nhosts + 1, sizeof(*parts));
	const struct runner *runner;

	array_sort(&past->keys, compare_keys);
	array_for_each(&past->runners, runner) {
		struct host_part *part = &parts[runner->host];

		SEAL_KEEP_MAX(part->among, past->later[runner->process]
						   ? JOB_YES
						   : is_among(past, runner->process));
		part->since |= !was_looked_at_before(past, runner->process);
	}
	return parts;
}

/* What says that a host's ranks are of an earlier attempt, and so, how they are dealt with. */
enum by { BY_ATTEMPTS, BY_WORLD, BY_BIRTH };

/*
 * True if nothing of the last attempt was seen of a host. Where hosts show no attempts, its groups
 * must tell, since clocks may be wrong by hours; and where a launcher is over, the attempt that was
 * its last is the job's.
 */
static bool is_past(const struct past *past, int host, const struct host_part *part, enum by by)
{
	return part->among != JOB_YES && !part->since &&
	       (by == BY_ATTEMPTS || part->among == JOB_NO) &&
	       (by != BY_BIRTH || !past->seal->hosts[host].over);
}

/*
 * Marks the ranks of hosts of which nothing of the last attempt was seen; returns how many. Those
 * of which only clocks tell that are judged, but nobody knows whether they are of one attempt with
 * the others.
 */
static int leave_out(struct past *past, enum by by)
{
	struct host_part *parts = find_parts(past);
	const struct runner *runner;
	int n = 0;

	array_for_each(&past->runners, runner) {
		if (!is_past(past, runner->host, &parts[runner->host], by) ||
			past->seal->people[runner->process].stale)
			continue;
		if (by == BY_BIRTH) {
			past->seal->processes[runner->process].other_run = true;
			continue;
		}
		past->seal->people[runner->process].stale = true;
		n++;
	}
	free(parts);
	return n;
}

static void tell_loss(struct seal *seal, int n)
{
	const struct job_loss loss = {
		.what = "ranks seen only in an earlier attempt are left out",
		.count = n,
		.cite = "census"};

	if (n)
		job_add_loss(seal->b, (struct job_who){.host = ""}, &loss);
}

void seal_past(struct seal *seal, const struct holdings *holdings)
{
	struct past past = {.seal = seal, .holdings = holdings};
	int n = 0;

	if (seal->job->nhosts < 2)
		return;
	past.attempts = alloc_zeroed(seal->job->nhosts + 1, sizeof(*past.attempts));
	past.later = alloc_zeroed(seal->job->nprocesses + 1, sizeof(*past.later));
	collect_runners(&past);
	count_attempts(&past);
	if (find_by_attempts(&past))
		n += leave_out(&past, BY_ATTEMPTS);
	if (find_by_world(&past, true))
		n += leave_out(&past, BY_WORLD);
	if (find_by_world(&past, false))
		n += leave_out(&past, BY_WORLD);
	if (find_by_birth(&past))
		leave_out(&past, BY_BIRTH);
	tell_loss(seal, n);
	free(past.attempts);
	free(past.later);
	array_release(&past.runners);
	array_release(&past.keys);
}
