/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callers.h: the thread of a rank that calls its operations where others wait for it. A program may
 * have a thread for each of its groups: what the others of them do, moves nobody who waits there.
 */
#ifndef VERDICT_CALLERS_H
#define VERDICT_CALLERS_H

#include "verdict/inquiry.h"

/*
 * The thread that called all operations on record of the groups in which others wait for the rank,
 * and is outside of every call now; NULL: there is no such one, or several are.
 */
const struct job_thread *callers_awaited(const struct inquiry *q, struct rank_index rank);

/* Adds where that thread stands, if it is another one than that which speaks for the rank. */
void callers_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);

#endif
