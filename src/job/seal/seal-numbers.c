/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds numbers that are no rank's. base/numbers.h has the rule for a process with others below it.
 * In a whole job more is known:
 *
 * Where some process has a number of its own that differs from its task's, the tasks are launchers,
 * on every node, also where nothing has been launched yet; unless a process made a communicator
 * that has no number but its task's. Where neither was seen, a task's number stays doubtful.
 *
 * A shell that left no ring gives its number to a process below it that left one: it is a script
 * around the rank (`python train.py || true'), and its end is not the rank's. A process above
 * another `inquest run' gives up its number, too: the rank is in a folder of that run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/numbers.h"
#include "job/seal/seal.h"

#define SCRIPTS_ABOVE 64 /* at most so many parents are asked: a longer chain is damage */

/* Returns whose number it is: the process' own, its task's, or its node's. */
static enum number_kind kind_of(const struct job_identity *identity)
{
	if (identity->number & JOB_NUMBER_OF_TASK)
		return NUMBER_OF_TASK;
	return identity->number & JOB_NUMBER_ALONE ? NUMBER_OF_NODE : NUMBER_OWN;
}

/* Tells whether the numbers of tasks are those of ranks. */
static enum job_known tasks_are_ranks(const struct seal *seal)
{
	enum job_known known = JOB_MAYBE;

	for (size_t i = 0; i < seal->job->nprocesses; i++) {
		const struct job_identity *identity = &seal->people[i].identity;

		if (!is_world_rank(identity->world_rank))
			continue;
		if (identity->promoted && (identity->number & JOB_NUMBER_OF_TASK))
			return JOB_YES;
		if (identity->number & JOB_NUMBER_OTHER_TASK)
			known = JOB_NO;
	}
	return known;
}

/*
 * True if the process is a shell. A script that is run by its name is called by that: "train.sh".
 */
static bool is_shell(const struct job_process *process)
{
	static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish"};
	size_t len = strlen(process->comm);

	if (len > 3 && !strcmp(process->comm + len - 3, ".sh"))
		return true;

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(process->comm, shells[i]))
			return true;
	return false;
}

/*
 * True if a process takes its number away from shells above it: it is the rank, or watches over it.
 */
static bool takes_number(const struct seal *seal, int process)
{
	const struct job_process *it = &seal->processes[process];

	return it->role == JOB_ROLE_AGENT ||
	       ((seal->people[process].identity.knows & JOB_KNOWS_RING) && !is_shell(it));
}

/*
 * Marks as launchers the shells above a process that takes its number: those that have the same
 * number, and no ring.
 */
static void find_scripts(const struct seal *seal, struct number *numbers, int process)
{
	const struct job_identity *mine = &seal->people[process].identity;
	int at = seal->people[process].parent;

	if (!is_world_rank(mine->world_rank) || !takes_number(seal, process))
		return;
	for (int step = 0; at != JOB_NONE && step < SCRIPTS_ABOVE; step++) {
		const struct job_identity *theirs = &seal->people[at].identity;

		if (same_world_rank(theirs->world_rank, mine->world_rank) &&
			!(theirs->knows & JOB_KNOWS_RING) && is_shell(&seal->processes[at]) &&
			seal->processes[at].restart == seal->processes[process].restart)
			numbers[at].launcher = true;
		at = seal->people[at].parent;
	}
}

/*
 * Drops the numbers of launchers and of inquest's own processes, and marks tasks' numbers as
 * doubtful.
 */
static void drop_numbers(struct seal *seal, const struct number *numbers, enum job_known tasks)
{
	for (size_t i = 0; i < seal->job->nprocesses; i++) {
		struct seal_person *person = &seal->people[i];
		bool of_task = kind_of(&person->identity) == NUMBER_OF_TASK;

		if (person->identity.promoted)
			continue;
		if (numbers[i].launcher || (of_task && tasks == JOB_NO) ||
			seal->processes[i].role == JOB_ROLE_AGENT) {
			person->identity.world_rank = NO_WORLD_RANK;
			if (seal->processes[i].role == JOB_ROLE_CANDIDATE)
				seal->processes[i].role = JOB_ROLE_UNKNOWN;
		}
		person->doubtful = of_task && tasks == JOB_MAYBE;
	}
}

void seal_numbers(struct seal *seal)
{
	size_t n = seal->job->nprocesses;
	struct number *numbers = alloc_zeroed(n + 1, sizeof(*numbers));

	for (size_t i = 0; i < n; i++)
		numbers[i] = (struct number){.parent = seal->people[i].parent,
			.rank = seal->people[i].identity.world_rank.n,
			.kind = kind_of(&seal->people[i].identity),
			.proved = seal->people[i].identity.promoted};
	numbers_find_launchers(numbers, n);
	for (size_t i = 0; i < n; i++)
		find_scripts(seal, numbers, (int)i);
	drop_numbers(seal, numbers, tasks_are_ranks(seal));
	free(numbers);
}
