/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h: follows ops whose library tells on the host when they are done, from their call to their
 * end, and what stands for them meanwhile: PyTorch's Work objects, MPI's requests.
 *
 * An op is *open* from its call until all that was started for it has ended. Records have its
 * number as their stream, and a wait for the op names that number. A Work is bound to its op when
 * the process group hands it to its threads (so before it can end), or, where the device itself
 * does the work (send and receive), when the call returns it; a request when the call that gives it
 * returns. One that ends or is freed is forgotten: its address may be reused at once.
 *
 * COMPLETION is told by the library itself, so it is always known. But ops end in any order, while
 * readers ask "up to which?". So ends are collected per group, and `completed_word` is raised as
 * long as there is no gap. An op that failed has not completed: it is passed over only when a later
 * one of its group has completed after all, since most failures are the end of the group. A send or
 * receive that was dropped without a wait is treated alike.
 */
#ifndef PROBES_WORK_H
#define PROBES_WORK_H

#include "ring/ring-write.h"

enum work_end { WORK_DONE, WORK_FAILED };

/* Returns a new number for an op, also for one that is not followed. */
uint64_t work_number(void);

/*
 * Opens op `number`, which entered its group as `e` says. Returns 1, or 0 if too many are open
 * (counted as a completion that is not tracked).
 */
int work_open(struct ring_writer *ring, uint64_t number, const struct ring_entered *e);

/* Adds this Work to those that the op waits for. */
void work_bind(uint64_t number, const void *work);

/* Notes that the op's call is over: no more works will be bound. */
void work_close(uint64_t number, enum work_end end);

/* True if a Work was bound to the op since it was opened. */
int work_is_bound(uint64_t number);

/* Returns the number of the op of a Work that has not ended; 0 none. */
uint64_t work_op(const void *work);
/* Returns the entry in the ring of that op's group; -1 none. */
int work_group(const void *work);

/*
 * Notes that the Work has ended, or was freed (WORK_FAILED). Does nothing for one that is not
 * bound.
 */
void work_end(const void *work, enum work_end end);

/* Does the same if the Work still stands for that op: its address may have been given anew. */
void work_end_of(const void *work, uint64_t number, enum work_end end);

/*
 * Notes that nobody will tell of that op's end (counted as a completion that is not tracked). It
 * leaves a gap, behind which no op is called done. Does nothing for one that is not open.
 */
void work_lose(uint64_t number);
/* Does the same for the op of a Work, if it has one. */
void work_lose_of(const void *work);

/* Notes that a new group took this entry of the ring: none of its ops has ended. */
void work_new_group(int group);

/* Forgets all open ops, in a forked child. */
void work_forget_all(void);

#endif
