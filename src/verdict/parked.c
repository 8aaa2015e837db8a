/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/parked.h"

#include "base/clock.h"
#include "job/stacktree/stackfacts.h"
#include "verdict/activities/activities.h"

/*
 * A thread that uses no more CPU than this part of the time between samples only looks whether
 * there is work: a hundredth,
 */
#define AWAKE_SHARE 100 /* a hundredth, */
/* but between samples that lie close together at least the ns that a few wake-ups take. */
#define AWAKE_LEAST (200 * CLOCK_NS_PER_US)

static bool slept(const struct job_stack *stack, int64_t span)
{
	return stack->samples > 1 && stack->moved == JOB_NO && stack->asleep >= span;
}

/* True if some frame is the program's own, be it in Python or in C. */
static bool is_of_program(const struct job *job, const struct job_stack *stack)
{
	if (stackfacts_python(job, stack) >= 0)
		return true;
	for (size_t i = 0; i < stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (frame->kind == JOB_FRAME_NATIVE && *frame->module != '[' &&
			!stackfacts_fits(frame->module, "*.so*"))
			return true;
	}
	return false;
}

/* Returns the ns of CPU that a thread may use in that time without doing anything. */
static int64_t merely_awake(int64_t span)
{
	return span / AWAKE_SHARE > AWAKE_LEAST ? span / AWAKE_SHARE : AWAKE_LEAST;
}

/* True for a library's own thread that wakes at times: a loop over sockets, a watchdog. */
static bool is_bystander(
	const struct job *job, const struct job_stack *stack, const struct job_snapshot *snapshot)
{
	return !stack->main && stack->samples > 1 && stack->nframes && !*stack->cut &&
	       stack->state != 'R' && stack->cpu_delta != JOB_UNKNOWN &&
	       stack->cpu_delta <= merely_awake(snapshot->span) && !is_of_program(job, stack);
}

/* True if none of the threads of the rank and its children can have done anything in that time. */
static bool all_slept(const struct job *job, struct rank_index rank, int64_t span)
{
	size_t from, to;

	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct job_stack *stack = &job->stacks[i];
		const struct job_snapshot *snapshot = stackfacts_snapshot(job, stack->process);

		if (!slept(stack, span) &&
			!(snapshot && is_bystander(job, stack, snapshot)))
			return false;
	}
	return true;
}

/*
 * True if the process was looked at twice, and is known neither to have used CPU nor to have
 * written. (Not everybody may read what it writes: then it is unknown.)
 */
static bool is_quiet(const struct job *job, int process)
{
	const struct job_snapshot *snapshot = stackfacts_snapshot(job, process);
	const struct job_process *is = &job->processes[process];

	return snapshot && snapshot->samples > 1 && is->cpu_delta == 0 && is->write_delta == 0;
}

static bool is_parked(const struct verdicts *verdicts, struct rank_index rank, int64_t span)
{
	const struct posture *p = &verdicts->postures[rank.i];

	return p->stack && p->activity != ACTIVITY_UNKNOWN && !p->unsure && !p->passed &&
	       slept(p->stack, span) && all_slept(verdicts->job, rank, span);
}

bool parked_for(const struct verdicts *verdicts, int64_t span)
{
	const struct job *job = verdicts->job;
	size_t living = 0;

	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];

		if (!is_rank(process->rank) || process->end > JOB_ALIVE)
			continue;
		if (!is_quiet(job, (int)i))
			return false;
		living++;
	}
	job_for_each_rank(job, rank) {
		int process = job_rank(job, rank)->process;

		if (process != JOB_NONE && job->processes[process].end <= JOB_ALIVE &&
			!is_parked(verdicts, rank, span))
			return false;
	}
	return living > 0;
}
