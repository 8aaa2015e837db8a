/* SPDX-License-Identifier: Apache-2.0 */
/*
 * undecided.h: bad ends of two kinds at about one time, of which nobody knows which led to which.
 *
 * Ranks failed, and others got an order to end whose sender is lost with their rings: either a
 * launcher ended the rest after a failure, or those failed whose peers somebody ended. The times at
 * which ends were seen do not decide it: a failure tells its own time, but an order's is its
 * parent's, who looks now and then. Nobody is accused of that.
 */
#ifndef VERDICT_UNDECIDED_H
#define VERDICT_UNDECIDED_H

#include "verdict/profiles/profile.h"

/* Takes all such ends of a job for its end, DEATH_END. Takes time by ranks, not by their pairs. */
void undecided_judge(const struct job *job, const struct clocks *clocks, struct profile *profiles);

#endif
