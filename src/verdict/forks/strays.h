/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strays.h: what a finding says of the one rank that does not do what its counterparts do
 * (counterparts.h), where nothing else tells who of several is to blame.
 */
#ifndef VERDICT_STRAYS_H
#define VERDICT_STRAYS_H

#include "verdict/forks/counterparts.h"

/*
 * Returns the stray of this job, if somebody waits where it strays; NULL: there is none. Found
 * once.
 */
const struct stray *inquiry_stray(struct inquiry *q);

/*
 * Makes the draft the finding about a stray: class, culprit, cause, facts. Victims are the
 * caller's.
 */
void stray_write(struct inquiry *q, const struct stray *stray, struct draft *draft);

#endif
