/* SPDX-License-Identifier: Apache-2.0 */
/*
 * polls.h: what a rank may ask for again and again, of which no record tells. Whether a Work of
 * TorchComms is done, a look at it says, and no call; of PyTorch's a call does, which probes have
 * not known for long: who asks so waits, while his stack shows his own code. A backend that hosts
 * drive is asked by calls, which are recorded.
 */
#ifndef VERDICT_POLLS_H
#define VERDICT_POLLS_H

#include "verdict/inquiry.h"

/*
 * True if the rank began something that is open for want of another one, as far as is known, and
 * may ask for it where it is: it is not known to be elsewhere, but in its own code.
 */
bool polls_maybe(const struct inquiry *q, struct rank_index rank);

/* Adds what that is, and of whom; and where that one is, or that he waits for this rank. */
void polls_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);

/* True if its stack shows it at work in which nobody asks for anything, or asleep for long. */
bool polls_denied(const struct inquiry *q, struct rank_index rank);

#endif
