/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-past.h: ranks that came and went. Elastic restarts and sweeps leave a ring of 5 MiB each
 * behind; of those in whom nobody has an interest any more it is let go. Ranks belong together that
 * share a communicator. Such a set is of the past once all of it have ended, the agent has looked
 * since, nothing stands that it said, and others have begun after the last end; and nobody on
 * another node can wait for it: all seats of its communicators are here, or each rank has a
 * successor in a later attempt. Its verdict has been said, and is in its bundle. A launcher that
 * was killed, and has a ring of it, is of those whom it started.
 */
#ifndef CMD_AGENT_PAST_H
#define CMD_AGENT_PAST_H

#include <stdint.h>

#include "cmd/run/jobdir.h"

/*
 * Lets go of the rings of such ranks, and of the census' entries of those who ended well; of the
 * others' as well where two later attempts have begun or half of the census is taken. looked:
 * realtime ns of the last look. Returns how many processes it has let go of anything of.
 */
unsigned agent_past_let_go(const struct jobdir *dir, int64_t looked);

#endif
