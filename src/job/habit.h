/* SPDX-License-Identifier: Apache-2.0 */
/*
 * habit.h: whether a rank still does what it did step by step, by its ops over all groups, sends
 * and receives included, in the order of their launches. Here it left out a send in its last step:
 *
 *	... recv send reduce  recv send reduce  recv reduce
 *
 * This is known only of what was usual (job/usual.h) and stands in the rings without a gap. What is
 * new in a rank's life neither keeps nor breaks a habit.
 */
#ifndef JOB_HABIT_H
#define JOB_HABIT_H

#include "job/by-rank.h"
#include "job/usual.h"

enum habit_kind {
	HABIT_UNKNOWN,
	HABIT_KEPT, /* to the last op, all was as in the steps before */
	HABIT_LEFT, /* it is at another place of its step: left some out, or did some again */
};

struct habit {
	enum habit_kind kind;
	size_t skipped;       /* ops that it left out, if it left out any; 0: it did not */
	size_t again;         /* ops that it did once more, if it did any again; 0: it did not */
	bool turned;          /* unknown, but for this: the first op behind that place is as ever,
			       * with another peer */
	struct usual_op *row; /* its ops, by launch */
	size_t at;            /* how many of these were as ever */
	size_t period; /* ops to a step; 0: no habit is known */
};

/* Finds the habit of a rank. `seats`: the job's members by rank. The caller releases it. */
struct habit habit_of(
	const struct job *job, const struct by_rank *seats, struct rank_index rank);
/* Frees the row. */
void habit_release(struct habit *habit);

/* True if the rank more probably did ops again than left others out: fewer ops explain it. */
bool habit_repeats(const struct habit *habit);

/*
 * Returns the usual op of that group, kind and peer that the rank left out, if it left out any, or
 * did with another peer; NULL: no such op is among them.
 */
const struct job_op *habit_lacks(const struct habit *habit, int group, uint8_t op,
	struct group_rank peer);

#endif
