/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rollcall.h: which seats have entered the i-th collective of a group. It is decided by order of
 * operations, never by clocks, and only by a seat's own word: a seat with an unreadable board is
 * unknown, not absent; so is one that captured a CUDA graph, which may have replayed any number of
 * ops.
 */
#ifndef JOB_ROLLCALL_H
#define JOB_ROLLCALL_H

#include "job/job.h"

enum roll {
	ROLL_UNKNOWN,
	ROLL_ABSENT, /* its own board says that it has not entered it */
	ROLL_HERE,   /* it is the last one that the seat entered */
	ROLL_PAST,   /* the seat entered a later one */
};

/* Returns where a seat stands towards the index-th collective (from 1) of its group. */
enum roll rollcall_of(const struct job *job, const struct job_member *member, uint64_t index);

/* Returns the details of a seat's index-th collective; NULL where they are not known. */
const struct job_op *rollcall_op(const struct job_member *member, uint64_t index);

/* True if the seat tells what it did not enter: its board was read, and it replays no graphs. */
bool rollcall_speaks(const struct job *job, const struct job_member *member);

/*
 * True if the group certainly has no other seats. If some members made the group with other values,
 * its seats may be in several groups of one name.
 */
bool rollcall_lists_all(const struct job_group *group);

/*
 * Returns how many members the group may have beyond its seats: 0 where its size is known or
 * guessed; else the number of ranks without a seat there whose own ring does not rule them out;
 * ROLLCALL_ANY_NUMBER or more, beyond all counts, where there is no bound.
 */
#define ROLLCALL_ANY_NUMBER (SIZE_MAX / 4)
size_t rollcall_unseen(const struct job *job, const struct job_group *group);

/*
 * A call of all seats of a group: how many stand where, and the front and rear of those who speak.
 */
struct rollcall {
	size_t absent, here, past, unknown; /* of its seats: see rollcall_unseen() */
	uint64_t rear;  /* the smallest head of a seat that speaks; UINT64_MAX where none does */
	uint64_t front; /* the largest known head */
};

/* Calls all seats of the group for its index-th collective (from 1). */
struct rollcall rollcall_take(const struct job *job, int group, uint64_t index);

/* True if a seat has not even begun the group's init, on its rank's own word or the census'. */
bool rollcall_never_came(const struct job *job, const struct job_member *member);

/*
 * True if `other` had left the group's init before `late`, which is in it, began it. Nobody leaves
 * one before all have begun it, so `late` is of a later process than that which `other` had met,
 * and waits for it in vain. False where they have no clock in common.
 */
bool rollcall_left_before(const struct job *job, const struct job_member *other,
	const struct job_member *late);

/* True if the group is but the exchange of an id: seat 0 gives it, and no ops follow. */
bool rollcall_is_bootstrap(const struct job_group *group);

#endif
