/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVE_H
#define EVIDENCE_LIVE_H

/*
 * Gathering from the machine, by peeking only: rings, census and the agent's files from the job's
 * folder; /proc of every rank and its descendants; control groups; the tail of stderr where it is a
 * regular file. Cheap and safe files come first. A read that may block has a deadline; one that
 * does not come back is a gap.
 *
 * T0 (exhibit "gather") is taken once, before the first ring: a board that is newer moved on.
 */

#include <stdbool.h>

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/stacks-gather.h"

struct live_options {
	/*
	 * CPU use needs two samples of /proc. The history of a living agent has them already; else
	 * this is how long we wait between two samples of our own. 0: one sample.
	 */
	int sample_pause_ms;
	int read_ms; /* deadline of each read that may block, in ms */
	/*
	 * Stacks of ranks and of their children; `samples` 0: none. They are taken late, since they
	 * are expensive: only the second sample of /proc follows them.
	 */
	struct stacks_options stacks;
	const uint32_t *stacks_of; /* stacks only of these pids, as they know themselves; NULL
				    * all */
	size_t nstacks_of;
	/*
	 * True to ask each process first for something harmless that takes the same lock, within
	 * read_ms. A process that does not answer is not tried for stacks, so that many of them
	 * cost little time.
	 */
	bool wary;
	/* True if no stacks are wanted at all; their absence is noted. `samples` is 0 then. */
	bool no_stacks;
	/*
	 * True to leave out what the job wrote (stderr, error files), and the texts of its errors.
	 */
	bool no_logs;
	/*
	 * Ranks without a working probe, as unprobed_find() gives them; borrowed, NULL none. They
	 * are added to the evidence like all others.
	 */
	const struct evidence *unprobed;
	/*
	 * The `nfellows` other folders of the same job (evidence/agent/fellows.h); borrowed. Their
	 * evidence is added as if all were one folder. A folder that is gone, or cannot be trusted,
	 * is a gap.
	 */
	const char *const *fellows;
	size_t nfellows;
	const struct evidence *unprobed_of_fellows; /* as `unprobed`; NULL none */
	/*
	 * True to ask their agents for stacks where we may not look into their ranks. Takes
	 * seconds.
	 */
	bool ask_fellows;
};

#define LIVE_OPTIONS_DEFAULT {.sample_pause_ms = 20, .read_ms = 250}
/* The default, with stacks. */
#define LIVE_OPTIONS_STACKS                                                                        \
	{.sample_pause_ms = 20, .read_ms = 250, .stacks = STACKS_OPTIONS_DEFAULT}

/*
 * Adds all evidence of the job in this folder. Returns 0, or negative with words if the folder
 * holds no job or may not be trusted. NULL options are the default.
 */
int live_gather(const char *folder, const struct live_options *options, struct evidence *into,
	struct complaint *why) __attribute__((nonnull(1, 3)));

/*
 * Adds only the stacks of that job, as the options ask for them. Returns 0, or negative with words
 * as above; a missing stack is a gap.
 */
int live_gather_stacks(const char *folder, const struct live_options *options,
	struct evidence *into, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

#endif
