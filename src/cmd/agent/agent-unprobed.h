/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-unprobed.h: the agent's knowledge of ranks without a working probe
 * (evidence/gather/unprobed.h). A helper looks for them at growing intervals; one that was found is
 * remembered after its death, until another process has that rank.
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
	ARRAY(struct unprobed_rank) ranks; /* what these exhibits say, in the same order */
	struct gatherer gatherer;
	int64_t due;   /* 0: nobody has looked yet */
	int64_t pause;
	bool said;
};

/*
 * Takes what the helper found, or starts one when due. True if the ranks differ from before. Says
 * so in one line, once, when all of them are there or no more come.
 */
bool agent_unprobed_turn(struct agent_unprobed *unprobed, const char *folder, int64_t now);

/* Ends the helper and forgets them. */
void agent_unprobed_release(struct agent_unprobed *unprobed);

#endif
