/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VERDICT_OWN_SEATS_H
#define VERDICT_OWN_SEATS_H
/*
 * own-seats.h: a rank with several seats in one group, of several devices, that came to an
 * operation with one of them, waits there, and so never comes with the rest: it waits for itself.
 */

#include "verdict/inquiry.h"

/*
 * Writes a finding if all in that part of the graph wait in one operation, and that is why. `sure`:
 * the operation is known not to be complete. Returns whether it did.
 */
bool own_seats_write(struct inquiry *q, int part, bool sure);

#endif
