/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

/*
 * Which numbers are those of ranks. Launchers number the tasks that they start, and children of a
 * task inherit its number: a torchrun on each node has that of its node. So such a number proves
 * nothing, and one rule says when it is a launcher's, for jobs with our probe and without.
 */

#include <stdbool.h>
#include <stddef.h>

#define NUMBER_NONE (-1)

enum number_kind {
	NUMBER_OWN,	/* set for this very process: RANK with LOCAL_RANK, a framework's word */
	NUMBER_OF_NODE, /* RANK alone: its own, or that of its node */
	NUMBER_OF_TASK, /* of the task that it runs in, or it is */
};

/* One process of the job. */
struct number {
	int parent; /* index; NUMBER_NONE */
	int rank;   /* NUMBER_NONE: nothing says one */
	enum number_kind kind;
	bool proved;   /* it is a rank, whatever runs below it */
	bool launcher; /* found here: its number is a launcher's, no rank's */
};

/*
 * Finds the processes whose number is not theirs but a launcher's, an agent's, a wrapper's: it was
 * not set for the process itself, and a process below has another number, which is no task's.
 */
void numbers_find_launchers(struct number *all, size_t n);

#endif
