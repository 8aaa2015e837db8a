/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-pace.h: how often the agent looks. Its cost follows what changed: where nothing has, or
 * where all ranks go on, a feeling of the pulse (evidence/agent/pulse.h) does for most looks.
 */
#ifndef CMD_AGENT_PACE_H
#define CMD_AGENT_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct agent;

#define AGENT_LOOK_NS  (2 * CLOCK_NS_PER_S)
#define AGENT_EAGER_NS (250 * CLOCK_NS_PER_MS)

/*
 * True if a look that is due would tell what the last one did, as far as the pulse can tell that:
 * what was said long ago stands, and no ring has told anything since; or all is well, and all have
 * gone on. Now and then it is taken all the same, since not all evidence is in rings.
 */
bool agent_may_put_off(struct agent *agent, int64_t now);

/*
 * True if stacks may still add something: not to what rings told long ago, and still tell. Its
 * bundle has those of the time when it was said.
 */
bool agent_wants_stacks(const struct agent *agent, int64_t now);

/*
 * Copies of rings are mostly zeros that nobody has touched, as long as each is mapped anew: from
 * the heap they would be cleared, and be memory of ours for the rest of the job. Call it first.
 */
void agent_keep_copies_sparse(void);

/* From one sample of /proc to the next, ns. */
int64_t agent_sample_interval(const struct agent *agent, int64_t now);

/* Until the next look is due, ns. */
int64_t agent_look_interval(const struct agent *agent, int64_t now);

#endif
