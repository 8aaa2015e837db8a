/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the wait-for graph what stacks show: who waits there, and who is elsewhere. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/lock-holders.h"
#include "job/spans.h"
#include "verdict/activities/activities.h"

/* True if the rank's ring tells of something that it did after the stack was taken. */
static bool ring_is_newer(
	const struct job *job, struct rank_index rank, const struct job_stack *stack)
{
	struct spans_range range = threads_of(job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (job->threads[i].since != JOB_UNKNOWN && job->threads[i].since > stack->when &&
			!waits_is_watchdog(job->threads[i].name))
			return true;
	return false;
}

/* Returns what a waiting rank waits for, one of WAITS_...; "": a key of the store. */
static const char *waits_for(const struct posture *p)
{
	if (p->for_store)
		return WAITS_FOR_STORE;
	if (p->for_ranks)
		return WAITS_FOR_RANKS;
	return p->activity == ACTIVITY_STORE  ? ""
	       : p->activity == ACTIVITY_INIT ? WAITS_SOME_INIT
					      : WAITS_SOME_OP;
}

/* A rank that was seen to stand for so many ns was not elsewhere a moment before. */
#define STANDS (2 * CLOCK_NS_PER_S)

/*
 * True if the rank's ring was read while it went from call to call, and all samples that show it in
 * its operation are younger: it came there since.
 */
static bool came_since(const struct job *job, struct rank_index rank, const struct posture *p)
{
	int64_t read = job_looked_at(job, rank);
	struct spans_range range = threads_of(job, rank);

	if (read == JOB_UNKNOWN || p->stands == JOB_UNKNOWN || p->stack->when - p->stands < read)
		return false;
	for (size_t i = range.from; i < range.to; i++)
		if (job->threads[i].since != JOB_UNKNOWN &&
			read - job->threads[i].since < STANDS &&
			!waits_is_watchdog(job->threads[i].name))
			return true;
	return false;
}

/*
 * True if the rank's ring denies the wait that its stack shows: it took another way than the
 * others, and rules may suspect it of that. A ring that is not there denies nothing; nor does one
 * that was read before the rank came there; nor do rings that know of no group at all, since what
 * the job calls is not recorded then.
 */
static bool is_denied(const struct job *job, struct rank_index rank, const struct posture *p)
{
	return job->ngroups && (job_rank(job, rank)->knows & JOB_KNOWS_BOARDS) &&
	       p->activity != ACTIVITY_INIT && p->activity != ACTIVITY_STORE &&
	       !came_since(job, rank, p);
}

static struct waits_told told_of(
	const struct job *job, struct rank_index rank, const struct posture *p)
{
	struct waits_told told = {.stands = p->stands,
		.watched = p->watched,
		.held = p->stands >= STANDS || (p->stack->samples > 1 && !p->passed),
		.for_zero = p->for_zero,
		.maybe_zero = p->maybe_zero,
		.waits = activities_waits(p->activity),
		.elsewhere = activities_elsewhere(p->activity),
		.asks = p->asks,
		.in_lock = activities_in_file_lock(p),
		.cite = p->stack->cite};

	if (activities_waits(p->activity) && !is_denied(job, rank, p))
		told.key = waits_for(p);
	return told;
}

/*
 * Returns the only rank of this rank's host, elsewhere itself, that has any file's lock; NO_RANK
 * where there is none, or several. A rank that asks for a lock again and again is not blocked, so
 * nothing tells for which one; but if only one rank has any, it has that one.
 */
static struct rank_index only_holder(
	const struct job *job, const struct posture *postures, struct rank_index rank)
{
	struct rank_index found = NO_RANK;

	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *other = &job->processes[i];

		if (other->host != job_rank(job, rank)->host || !*other->lock_held ||
			same_rank(other->rank, rank) || other->end > JOB_ALIVE)
			continue;
		if (!is_rank(other->rank) || (is_rank(found) && !same_rank(found, other->rank)) ||
			!activities_elsewhere(postures[other->rank.i].activity))
			return NO_RANK;
		found = other->rank;
	}
	return found;
}

/*
 * True if the process that had the lock was looked at after the stack of who waits for it, and may
 * have given it away by then: its ring shows that it went on, or there is none, and it is not seen
 * to have it still.
 */
static bool may_have_gone_on(
	const struct job *job, const struct job_process *holder, const struct job_stack *waits)
{
	const char *lock = job->processes[waits->process].lock;
	struct spans_range range;
	bool stands = false;

	if (!is_rank(holder->rank) || job_looked_at(job, holder->rank) == JOB_UNKNOWN ||
		job_looked_at(job, holder->rank) <= waits->when)
		return false;
	range = threads_of(job, holder->rank);
	for (size_t i = range.from; i < range.to; i++) {
		if (waits_is_watchdog(job->threads[i].name))
			continue;
		if (job->threads[i].since == JOB_UNKNOWN || job->threads[i].since > waits->when)
			return true;
		stands = true;
	}
	return !stands && (!*lock || strcmp(holder->lock_held, lock) != 0);
}

/* Finds who has the lock that the rank waits for: a rank, or a stranger. */
static void tell_lock(const struct job *job, const struct posture *postures, struct rank_index rank,
	struct waits_told *told)
{
	const struct job_process *process = &job->processes[postures[rank.i].stack->process];
	int holder = locks_holder(job, process);
	bool past = holder != JOB_NONE && may_have_gone_on(job, &job->processes[holder],
						  postures[rank.i].stack);

	if (past)
		holder = JOB_NONE;
	told->lock = *process->lock ? process->lock : "";
	told->lock_known = process->lock_pid != 0 && !past;
	told->lock_rank = holder == JOB_NONE ? NO_RANK : job->processes[holder].rank;
	if (!*process->lock) {
		told->lock_rank = only_holder(job, postures, rank);
		told->lock_known = is_rank(told->lock_rank);
	}
	if (same_rank(told->lock_rank, rank)) /* its own: a child of the rank has it */
		told->lock_rank = NO_RANK;
}

struct waits_told *activities_told(const struct job *job, const struct posture *postures)
{
	struct waits_told *told = alloc_zeroed(job->nranks + 1, sizeof(*told));

	job_for_each_rank(job, rank) {
		if (!postures[rank.i].stack || postures[rank.i].unsure ||
			ring_is_newer(job, rank, postures[rank.i].stack))
			continue;
		told[rank.i] = told_of(job, rank, &postures[rank.i]);
		if (told[rank.i].in_lock)
			tell_lock(job, postures, rank, &told[rank.i]);
	}
	return told;
}
