/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VERDICT_LOOKS_ENDS_H
#define VERDICT_LOOKS_ENDS_H

/*
 * Ends of ranks that had written a dump before, as only the living do. A log tells of them, and not
 * when they were: watchdogs give up, a launcher ends the rest. They take nothing from what dumps
 * tell.
 */

#include "verdict/inquiry.h"

/* True if others ended the rank, and it was late already in its dump. */
bool ends_was_late(const struct inquiry *q, struct rank_index rank);

/*
 * True if the rank had long waited when it wrote its dump, and ended of that: it aborted, as its
 * watchdog has it do, or its words are of others. Its end is no reason then.
 */
bool ends_gave_up(const struct inquiry *q, struct rank_index rank);

#endif
