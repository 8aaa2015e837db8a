/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank waits in at the end of its evidence: which of its waits says most, and its words. */
#include <string.h>

#include "job/calls.h"
#include "job/spans.h"
#include "viewer/timeline/track-make.h"

/* True if the first says more than the second, which may be NULL. */
static bool is_better(const struct wait *a, const struct wait *b)
{
	if (!b)
		return true;
	if (a->held != b->held)
		return a->held;
	if (a->sure != b->sure)
		return a->sure;
	return a->since != JOB_UNKNOWN && (b->since == JOB_UNKNOWN || a->since < b->since);
}

/* The best of the rank's waits that are such; NULL none. */
static const struct wait *best_wait(const struct track_maker *maker, struct rank_index rank,
	bool (*is_such)(const struct wait *wait))
{
	const struct waits *waits = maker->facts->waits;
	const struct wait *best = NULL;

	for (size_t i = waits->first[rank.i]; i < waits->first[rank.i + 1]; i++)
		if (is_such(&waits->at[i]) && is_better(&waits->at[i], best))
			best = &waits->at[i];
	return best;
}

/* One that holds a thread; of a dump, which knows of no threads, what it entered last. */
static bool is_now(const struct wait *wait)
{
	return wait->held || (wait->sure && wait->age_unknown);
}

static bool is_pending(const struct wait *wait)
{
	return !wait->held && wait->sure && wait->op;
}

const struct wait *track_find_wait(const struct track_maker *maker, struct rank_index rank)
{
	return best_wait(maker, rank, is_now);
}

const struct wait *track_find_pending(const struct track_maker *maker, struct rank_index rank)
{
	return best_wait(maker, rank, is_pending);
}

/*
 * Returns the thread inside of an op of which only the index is known: it says what it calls;
 * JOB_NONE.
 */
static int thread_inside(const struct job *job, const struct wait *wait)
{
	struct spans_range range = threads_of(job, wait->rank);

	for (size_t i = range.from; i < range.to && wait->kind == WAIT_COLLECTIVE; i++) {
		const struct job_thread *thread = &job->threads[i];

		if (thread->state == JOB_THREAD_IN_CALL && thread->op == wait->index &&
			thread->group == job->members[wait->member].group)
			return (int)i;
	}
	return JOB_NONE;
}

/* Returns what the wait's thread calls, "" not known: "ncclCommSplit" is "CommSplit" here. */
static const char *call_name(const struct job *job, const struct wait *wait)
{
	return wait->thread == JOB_NONE
		       ? ""
		       : call_plain_name(track_text(job->threads[wait->thread].call));
}

/* Returns what a wait is called. */
static const char *wait_name(struct track_maker *maker, const struct wait *wait)
{
	const struct job *job = maker->job;
	const char *call = call_name(job, wait);

	switch (wait->kind) {
	case WAIT_COLLECTIVE:
		if (wait->op)
			return track_label_op(maker, wait->op, JOB_NONE);
		return arena_printf(maker->labels.arena, "%s #%llu", *call ? call : "operation",
			(unsigned long long)wait->index);
	case WAIT_P2P: {
		struct rank_index rank =
			wait->peer == JOB_NONE ? NO_RANK : job->members[wait->peer].rank;

		return track_label_op(
			maker, wait->op,
			!is_rank(rank) ? JOB_NONE : job_rank(job, rank)->world_rank.n);
	}
	case WAIT_INIT:
		return track_label(maker, "init of",
			wait->member == JOB_NONE
				? "a group"
				: track_text(job->groups[job->members[wait->member].group].name));
	case WAIT_STORE:
		if (waits_in_some_init(wait))
			return "init of a group";
		if (waits_is_for(wait, WAITS_FOR_STORE))
			return "opening of the store";
		if (waits_is_for(wait, WAITS_FOR_RANKS))
			return "others at the store";
		return track_label(maker, "store key", track_text(wait->key));
	default:
		return *call ? call : "a call";
	}
}

int64_t track_entered_call(const struct job *job, const struct wait *wait)
{
	if (wait->thread != JOB_NONE && job->threads[wait->thread].since != JOB_UNKNOWN)
		return job->threads[wait->thread].since;
	return wait->since;
}

void track_take_wait(
	struct track_maker *maker, const struct wait *found, struct track_now *now)
{
	struct wait copy = *found, *wait = &copy;

	if (wait->thread == JOB_NONE)
		wait->thread = thread_inside(maker->job, wait);
	now->known = true;
	now->state = TRACK_WAITING;
	/* Since the thread is in the call: the op may have been launched long before. */
	now->since = track_entered_call(maker->job, wait);
	now->name = wait_name(maker, wait);
	now->group = wait->member == JOB_NONE ? JOB_NONE
					      : maker->job->members[wait->member].group;
	now->cite = track_text(wait->cite);
	now->op = wait->kind == WAIT_COLLECTIVE ? wait->op : NULL;
}

/* Returns when the call came back that launched it; its entry where nobody wrote that down. */
static int64_t returned_from(const struct job *job, const struct wait *wait)
{
	struct spans_range range = calls_of(job, wait->rank);

	for (size_t i = range.to; i-- > range.from;) {
		const struct job_call *call = &job->calls[i];

		if (call->kind == JOB_CALL_INSIDE && call->entered <= wait->op->entered &&
			call->returned >= wait->op->entered)
			return call->returned;
	}
	return wait->op->entered;
}

void track_take_pending(
	struct track_maker *maker, const struct wait *wait, struct track_now *now)
{
	now->known = true;
	now->state = TRACK_PENDING;
	now->since = returned_from(maker->job, wait);
	now->name = wait_name(maker, wait);
	now->group = wait->member == JOB_NONE ? JOB_NONE
					      : maker->job->members[wait->member].group;
	now->cite = track_text(wait->cite);
}
