/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.h: which send meets which receive. Between two ranks the k-th send meets the k-th
 * receive; where a library has tags, of its own tag: then it is the k-th of that tag, if both sides
 * tell theirs (job_op.tagged). Receives of any tag leave a seat's tags unknown; those from anybody
 * take messages away that nobody counts.
 */
#ifndef JOB_MESSAGES_H
#define JOB_MESSAGES_H

#include "job/job.h"

/* True if a send and a receive between the same two are of one message, as far as they tell. */
bool message_is_same(const struct job_op *a, const struct job_op *b);

/* The other side of a send or receive of that member; NULL where its details are not known. */
const struct job_op *message_met(const struct job *job, int member, const struct job_op *op);

/* True if the peer has entered the call that matches. */
enum job_known message_came(const struct job *job, int member, const struct job_op *op);

/*
 * True if both sides are surely for each other: the library has no tags, or they are known, and who
 * receives never did from anybody.
 */
bool message_is_sure(const struct job *job, int member, const struct job_op *op);

#endif
