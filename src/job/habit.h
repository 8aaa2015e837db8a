/* SPDX-License-Identifier: Apache-2.0 */
/*
 * habit.h: whether a rank still does what it did step by step: its ops over all groups, sends and
 * receives too, in the order of their launches.
 *
 *	... recv send reduce  recv send reduce  recv reduce
 *
 * left out a send in its last step. It is known only of what was usual (job/usual.h) and what
 * stands in the rings without a gap; what is new in a rank's life neither keeps nor breaks a habit.
 */
#ifndef JOB_HABIT_H
#define JOB_HABIT_H

#include "job/usual.h"

enum habit_kind {
	HABIT_UNKNOWN,
	HABIT_KEPT, /* to the last op, all was as in the steps before */
	HABIT_LEFT, /* it is at another place of its step: left some out, or did some again */
};

struct habit {
	enum habit_kind kind;
	size_t skipped;       /* left out so many, if it left any out; 0: it did not */
	size_t again;         /* did so many once more, if it did any; 0: it did not */
	struct usual_op *row; /* its ops, by launch */
	size_t at;            /* of them so many were as ever */
	size_t period;
};

/* The habit of a rank. The caller releases. */
struct habit habit_of(const struct job *job, struct rank_index rank);
/* Frees what was counted. */
void habit_release(struct habit *habit);

/* True if it rather did some ops again than left others out: fewer of them. */
bool habit_repeats(const struct habit *habit);

/*
 * The like of the op towards that peer that it left out, if it left any out; NULL:
 * none such is among them.
 */
const struct job_op *habit_lacks(const struct habit *habit, int group, uint8_t op,
	struct group_rank peer);

#endif
