/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callers.h: the thread of a rank that calls its operations in the groups where others wait for it.
 * A program may have a thread for each of its groups: what its other threads do moves nobody who
 * waits there.
 */
#ifndef VERDICT_CALLERS_H
#define VERDICT_CALLERS_H

#include "verdict/inquiry.h"

/*
 * Returns the thread that called all recorded operations of the groups in which others wait for the
 * rank, and is outside of every call now; NULL: no thread did, or several did.
 */
const struct job_thread *callers_awaited(const struct inquiry *q, struct rank_index rank);

/*
 * True if that thread, or, where none is known, the one that speaks for the rank, was seen asleep
 * all the while in a call that no thread and no child of its own ends; or if that thread is gone.
 * What others of the process compute or write then brings nobody further.
 */
bool callers_asleep(const struct inquiry *q, struct rank_index rank);

/* True if the thread that called there is seen to be gone, and it was not the main thread. */
bool callers_gone(const struct inquiry *q, struct rank_index rank);

/* Adds where that thread stands, if it is not the one that speaks for the rank. */
void callers_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);

#endif
