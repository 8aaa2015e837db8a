/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-unprobed.h: the agent's knowledge of ranks in whom the probe does not work
 * (evidence/gather/unprobed.h). A helper looks for them, seldom and ever more seldom; who was found
 * once is remembered when dead, until another has that rank.
 */
#ifndef CMD_AGENT_UNPROBED_H
#define CMD_AGENT_UNPROBED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "cmd/run/gatherer.h"
#include "evidence/gather/unprobed.h"

/* {0} to begin with. Times are CLOCK_MONOTONIC ns. */
struct agent_unprobed {
	struct evidence found; /* their exhibits, */
	ARRAY(struct unprobed_rank) ranks; /* what these say, in the same order */
	struct gatherer gatherer;
	int64_t due;   /* 0: nobody has looked yet */
	int64_t pause;
	bool said;
};

/*
 * Takes what the helper found, or begins one when it is due. True: there are others than before.
 * Once they are all there, or no more of them come, that is said: one time, in one line.
 */
bool agent_unprobed_turn(struct agent_unprobed *unprobed, const char *folder, int64_t now);

/* Ends the helper and forgets them. */
void agent_unprobed_release(struct agent_unprobed *unprobed);

#endif
