/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that came and went. Elastic restarts and sweeps leave a ring of 5 MiB each behind; rings
 * that are not needed any more are removed. Ranks belong together that share a communicator. Such a
 * set is past once all its ranks have ended, the agent has looked since, none of its verdicts
 * stands, and others have begun after the last end; and once nobody on another node can wait for
 * it: all seats of its communicators are here, or each rank has a successor in a later attempt. Its
 * verdict has been told, and is in its bundle. A killed launcher with a ring belongs to the ranks
 * that it started.
 */
#ifndef CMD_AGENT_PAST_H
#define CMD_AGENT_PAST_H

#include <stdint.h>

#include "cmd/run/jobdir.h"

/*
 * Removes the rings of such ranks, and the census entries of those that ended well; the others'
 * entries, too, once two later attempts have begun or half of the census is taken. `looked` is when
 * the last look began, realtime ns. Returns for how many processes it has removed anything.
 */
unsigned agent_past_let_go(const struct jobdir *dir, int64_t looked);

#endif
