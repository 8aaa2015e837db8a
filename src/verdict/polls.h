/* SPDX-License-Identifier: Apache-2.0 */
/*
 * polls.h: what a rank may ask for again and again, of which no record tells. Whether a Work of
 * TorchComms is done, a look at it tells, without a call; of a Work of PyTorch a call does, which
 * older probes do not know. A rank that asks so waits, while its stack shows its own code. Backends
 * that hosts drive are asked by calls, which are recorded.
 */
#ifndef VERDICT_POLLS_H
#define VERDICT_POLLS_H

#include "verdict/inquiry.h"

/*
 * True if the rank began something that is open for want of another rank, as far as is known, and
 * may be asking for it where it is: it is in its own code, or nobody knows where.
 */
bool polls_maybe(const struct inquiry *q, struct rank_index rank);

/*
 * Adds what the rank may ask for, and for which rank that lacks; and where that rank is, or that it
 * waits for this one.
 */
void polls_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);

/*
 * True if the rank's stack shows it at work in which nobody asks for anything, or asleep for long.
 */
bool polls_denied(const struct inquiry *q, struct rank_index rank);

#endif
