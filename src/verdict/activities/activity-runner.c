/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/activities/activity-runner.h"

#include "verdict/activities/activity-hidden.h"
#include "verdict/activities/activity-line.h"

/*
 * The operations of XLA. It has a class for each library of collectives: GlooCommunicator,
 * NcclCommunicator. InProcessCommunicator serves one process, and waits for nobody else.
 */
#define OPERATION(activity, name) DECIDES(activity, "xla::*Communicator::" name "*", NULL, name)

static const struct activity_line operations[] = {
	DECIDES(UNKNOWN, "xla::*InProcessCommunicator::*", NULL, ""),
	OPERATION(COLLECTIVE, "AllReduce"),
	OPERATION(COLLECTIVE, "AllGather"),
	OPERATION(COLLECTIVE, "AllToAll"),
	OPERATION(COLLECTIVE, "ReduceScatter"),
	OPERATION(COLLECTIVE, "CollectivePermute"),
	OPERATION(COLLECTIVE, "Broadcast"),
	OPERATION(COLLECTIVE, "Barrier"),
	OPERATION(P2P, "Send"),
	OPERATION(P2P, "Recv"),
	/* A program's first operation between some devices makes their communicator. */
	DECIDES(COLLECTIVE, "xla::*Collectives::CreateCommunicators*", NULL, ""),
};

/* Returns the operation that the thread is in; NULL: none. */
static const struct activity_line *line_of(const struct job *job, const struct job_stack *stack)
{
	for (size_t i = 0; i < stack->nframes; i++)
		for (size_t k = 0; k < N_OF(operations); k++)
			if (stackfacts_is_at(stackfacts_frame(job, stack, i), &operations[k].place))
				return operations[k].activity ? &operations[k] : NULL;
	return NULL;
}

/* True if `one` is known to stand for longer than `other`, or to stand at all. */
static bool stands_longer(
	const struct job *job, const struct job_stack *one, const struct job_stack *other)
{
	bool stands = activities_stood(job, one) != JOB_UNKNOWN;

	if (stands != (activities_stood(job, other) != JOB_UNKNOWN))
		return stands;
	return one->asleep > other->asleep;
}

bool runner_find(const struct job *job, struct rank_index rank, const struct job_stack *beside,
	struct runner *ret)
{
	size_t from, to;

	*ret = (struct runner){.call = ""};
	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct job_stack *stack = &job->stacks[i];
		const struct activity_line *line;

		if (stack->process != beside->process || stack == beside ||
			stackfacts_python(job, stack) >= 0)
			continue;
		line = line_of(job, stack);
		if (line && (!ret->stack || stands_longer(job, stack, ret->stack)))
			*ret = (struct runner){stack, line->activity, line->call};
	}
	return ret->stack != NULL;
}

bool runner_may_hide(
	const struct job *job, struct rank_index rank, const struct job_stack *beside)
{
	static const char *const names[] = {"tf_XLA*", "py_xla*", "xla*"};
	size_t from, to;

	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct job_stack *stack = &job->stacks[i];

		if (stack->process != beside->process || stack == beside ||
			(stack->nframes &&
				!hidden_may_wait(job, stack, (long)stack->nframes, false)))
			continue;
		for (size_t k = 0; k < N_OF(names); k++)
			if (stackfacts_fits(stack->thread, names[k]))
				return true;
	}
	return false;
}
