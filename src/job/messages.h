/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.h: which send meets which receive. Between two ranks the k-th send meets the k-th
 * receive. Where a library has tags, the k-th of one tag meets the k-th of the same tag, if both
 * sides tell theirs (job_op.tagged). After a receive of any tag, a seat's tags are unknown. A
 * receive from anybody takes away messages that nobody counts.
 */
#ifndef JOB_MESSAGES_H
#define JOB_MESSAGES_H

#include "job/job.h"

/*
 * True if a send and a receive between the same two ranks are of one message, as far as they tell.
 */
bool message_is_same(const struct job_op *a, const struct job_op *b);

/*
 * Returns the other side of a send or receive of that member (index); NULL where its details are
 * not known.
 */
const struct job_op *message_met(const struct job *job, int member, const struct job_op *op);

/*
 * Tells whether the peer of that member (index) has entered the matching call; JOB_MAYBE where the
 * evidence does not tell.
 */
enum job_known message_came(const struct job *job, int member, const struct job_op *op);

/*
 * True if the call that message_met() finds is surely its other side: the library has no tags, or
 * both tags are known, and the receiver never received from just anybody.
 */
bool message_is_sure(const struct job *job, int member, const struct job_op *op);

#endif
