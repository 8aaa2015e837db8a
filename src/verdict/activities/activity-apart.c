/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a wait spins, as MPI's and a GPU's do, no thread of a hung job ever stands: each one runs
 * at each look. Samples have one stack of each, the latest, and how many outermost frames were the
 * same in all of them. So of who computes it is known where it was all the while only as far as
 * those reach: beneath a frame of its program that none of the waiting ranks has on its stack it
 * was in no call in which these are.
 *
 * A job that goes on may look like this by chance, if its ranks wait for most of the time; but then
 * the one that was never seen to wait is late again and again.
 */
#include "verdict/activities/activity-apart.h"

#include <stdlib.h>

#include "base/alloc.h"

#define SAMPLES_LEAST 3

/* True if nothing proves of any rank that it stood: what does is better than this. */
static bool nobody_stands(const struct job *job, const struct posture *postures)
{
	job_for_each_rank(job, rank)
		if (postures[rank.i].stack && postures[rank.i].watched != JOB_UNKNOWN)
			return false;
	return true;
}

/* True if there are enough samples of the rank, and the frames of its program are all known. */
static bool is_well_seen(const struct posture *p)
{
	const struct job_stack *stack = p->stack;

	return stack->samples >= SAMPLES_LEAST && p->program >= 0 &&
	       (!*stack->cut || stack->rooted);
}

/*
 * Returns the ns for which a rank was seen to be beneath a frame that no waiting rank has;
 * JOB_UNKNOWN: it was not.
 */
static int64_t apart_for(const struct job *job, const struct posture *p, const bool *waits_in)
{
	const struct job_stack *stack = p->stack;
	const struct job_snapshot *snapshot = stackfacts_snapshot(job, stack->process);

	if (!snapshot || snapshot->span <= 0 || !is_well_seen(p) || p->unsure ||
		p->activity != ACTIVITY_USER)
		return JOB_UNKNOWN;
	for (size_t i = stack->nframes - stack->still; i < stack->nframes; i++)
		if (i >= (size_t)p->program && !waits_in[stack->frames[i]])
			return snapshot->span;
	return JOB_UNKNOWN;
}

/*
 * True if the thread spins, at one line of its program in all samples. One that sleeps and was seen
 * to run has been awakened: it may wait for the next operation by now.
 */
static bool spins(const struct posture *p)
{
	return p->stack->state == 'R' && p->lingers != JOB_UNKNOWN &&
	       p->stack->cpu_delta > 0;
}

/* Notes the frames of all who wait. False if there is nobody, or if one does not spin. */
static bool note_waiting(const struct job *job, const struct posture *postures, bool *waits_in)
{
	bool found = false;

	job_for_each_rank(job, rank) {
		const struct posture *p = &postures[rank.i];

		if (!p->stack || !activities_waits(p->activity))
			continue;
		if (!is_well_seen(p) || !spins(p))
			return false;
		for (size_t i = 0; i < p->stack->nframes; i++)
			waits_in[p->stack->frames[i]] = true;
		found = true;
	}
	return found;
}

void apart_find(const struct job *job, struct posture *postures)
{
	bool *waits_in = alloc_zeroed(job->nframes + 1, sizeof(*waits_in));
	bool all = nobody_stands(job, postures) && note_waiting(job, postures, waits_in);

	job_for_each_rank(job, rank) {
		const struct posture *p = &postures[rank.i];

		if (all && p->stack && activities_elsewhere(p->activity))
			all = apart_for(job, p, waits_in) != JOB_UNKNOWN;
	}
	job_for_each_rank(job, rank) {
		struct posture *p = &postures[rank.i];

		if (!all || !p->stack || !activities_elsewhere(p->activity))
			continue;
		p->watched = apart_for(job, p, waits_in);
		p->asks = true;
	}
	free(waits_in);
}
