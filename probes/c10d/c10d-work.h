/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d-work.h: ops of gloo from their call to their end, and the Work objects that stand for them.
 *
 * An op is *open* from its call until all that was started for it has ended. Its number is what
 * records have as its stream: a wait for it names that number. A Work is bound to its op when the
 * process group hands it to its threads (so before it can end), or, where the device itself does
 * the work (send and receive), when the call returns it. A Work that ends or is freed is nobody's:
 * its address may be given again at once.
 *
 * COMPLETION is what the library says itself, so it is always known; but ops end in any order,
 * while readers ask "up to which?". So the ends are collected per group, and `completed_word` is
 * raised as far as they are without a gap. An op that failed has not completed: it is passed over
 * only when a later one of its group has completed after all, since most failures are the end of
 * the group. A send or receive that was let go of without a wait is treated alike.
 */
#ifndef PROBES_C10D_WORK_H
#define PROBES_C10D_WORK_H

#include "ring/ring-write.h"

enum work_end { WORK_DONE, WORK_FAILED };

/* A new number for an op; also for those that are not followed. */
uint64_t work_number(void);

/*
 * Opens op `number`, which entered its group as `e` says. 1, or 0 where there are too many open
 * ones (counted as a completion that is not tracked).
 */
int work_open(struct ring_writer *ring, uint64_t number, const struct ring_entered *e);

/* This Work is one more that the op waits for. */
void work_bind(uint64_t number, const void *work);

/* The call that made the op is over: it has no more works than are bound now. */
void work_close(uint64_t number, enum work_end end);

/* True if a Work was bound to the op since it was opened. */
int work_is_bound(uint64_t number);

/* The op of a Work that has not ended; 0 none. */
uint64_t work_op(const void *work);

/* The Work has ended, or is freed (WORK_FAILED). One that is not bound is nothing. */
void work_end(const void *work, enum work_end end);

/* A new group took this entry of the ring: nothing of it has ended. */
void work_new_group(int group);

/* In a forked child: nothing is open any more. */
void work_forget_all(void);

#endif
