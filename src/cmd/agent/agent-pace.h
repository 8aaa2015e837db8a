/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the agent looks. Its cost follows the changes: where nothing has changed, or all ranks
 * go on, reading the pulse (evidence/agent/pulse.h) replaces most looks.
 */
#ifndef CMD_AGENT_PACE_H
#define CMD_AGENT_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct agent;
struct verdicts;

#define AGENT_LOOK_NS  (2 * CLOCK_NS_PER_S) /* the usual interval */
#define AGENT_EAGER_NS (250 * CLOCK_NS_PER_MS) /* while a rank has just died */

/*
 * True if the last finding came from stacks, or what stands was told by them: no ring then tells
 * that it is over.
 */
bool agent_goes_by_stacks(const struct agent *agent);

/*
 * True if a look that is due would find the same as the last one, by the pulse: an old verdict
 * stands and no ring has changed since; or all is well, and all ranks have gone on. Now and then it
 * is false all the same, since not all evidence is in rings.
 */
bool agent_may_put_off(struct agent *agent, int64_t now);

/*
 * True if nobody waits, or for so short a time that it is no hang by the latest moment of the next
 * look: in most jobs that are well somebody waits at any moment.
 */
bool agent_calls_well(const struct verdicts *verdicts);

/*
 * True if stacks may still add something. They cannot to an old verdict that the rings still show,
 * whose bundle has the stacks of its own time.
 */
bool agent_wants_stacks(const struct agent *agent, int64_t now);

/* Returns the time from one reading of the census to the next, ns. */
int64_t agent_scan_interval(const struct agent *agent, int64_t now);

/*
 * Returns the time from one sample of /proc to the next, ns: the longer the more one costs, while
 * nothing changes.
 */
int64_t agent_sample_interval(const struct agent *agent, int64_t now);

/*
 * Returns the time until the next look is due, ns. `put_off` tells that the one that was due now
 * was put off: a hang may have begun right behind the last sign of life, so such signs are soon
 * looked for again, which costs little.
 */
int64_t agent_look_interval(const struct agent *agent, int64_t now, bool put_off);

#endif
