/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the agent knows of ranks without a working probe (evidence/gather/unprobed.h). A helper
 * looks for them at growing intervals; one that was found is remembered after its death, until
 * another process has that rank.
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
	struct evidence found; /* their exhibits */
	ARRAY(struct unprobed_rank) ranks; /* what these say, in the same order */
	struct gatherer gatherer;
	int64_t due;   /* when the helper looks next; 0: it never did */
	/* until the time after that, ns */
	int64_t pause;
	/* true once the log tells of them */
	bool said;
};

/*
 * Takes what the helper found, or starts one when that is due. Returns true if the ranks differ
 * from before. Tells of them in one line, once, when all of them are there or no more come.
 */
bool agent_unprobed_turn(struct agent_unprobed *unprobed, const char *folder, int64_t now);

/* Ends the helper and forgets the ranks. */
void agent_unprobed_release(struct agent_unprobed *unprobed);

#endif
