/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVE_H
#define EVIDENCE_LIVE_H

/*
 * Gathering from the machine, by peeking only: rings, census and the agent's files from the job's
 * folder, /proc of every rank and its descendants, control groups, the tail of stderr where it is
 * a regular file. Cheap and safe files come first; what may block is a blocking read with a
 * deadline, and what did not come back is a gap.
 *
 * T0 (exhibit "gather") is taken once, before the first ring: a board newer than it moved on.
 */

#include <stdbool.h>

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/stacks-gather.h"

struct live_options {
	/*
	 * CPU use needs two samples of /proc. Where a living agent keeps a history they are there
	 * already; else we wait this long between two of our own. 0: one sample.
	 */
	int sample_pause_ms;
	int read_ms; /* deadline of each read that may block */
	/*
	 * Stacks of ranks and of their children; samples 0: none. They come last, since they are
	 * dear, and the second sample of /proc after them.
	 */
	struct stacks_options stacks;
	/*
	 * Ask each process first for something harmless that takes the same lock, within read_ms:
	 * of those that do not answer no stacks are tried, so that many of them cost little time.
	 */
	bool wary;
	/* No stacks are wanted at all: that there are none is noted. samples is 0. */
	bool no_stacks;
	/* Leaves out what the job wrote (stderr, error files), and what its errors say. */
	bool no_logs;
	/*
	 * Ranks in whom the probe does not work, as unprobed_find() gives them; borrowed, NULL
	 * none. They are evidence like all others.
	 */
	const struct evidence *unprobed;
	/*
	 * Folders of the same job beside that one (evidence/agent/fellows.h), nfellows of them;
	 * borrowed. Their evidence comes along as if all were one. One that is not there any more,
	 * or is not to be trusted, is a gap.
	 */
	const char *const *fellows;
	size_t nfellows;
	const struct evidence *unprobed_of_fellows; /* as `unprobed`; NULL none */
	/* Where we may not look into their ranks, ask their agents for stacks: takes seconds. */
	bool ask_fellows;
};

#define LIVE_OPTIONS_DEFAULT {.sample_pause_ms = 20, .read_ms = 250}
/* The same with stacks, as they are taken where nobody wishes otherwise. */
#define LIVE_OPTIONS_STACKS                                                                        \
	{.sample_pause_ms = 20, .read_ms = 250, .stacks = STACKS_OPTIONS_DEFAULT}

/*
 * Adds all evidence of the job in this folder. 0, or negative with words if the folder holds no
 * job or may not be trusted. options NULL: the default.
 */
int live_gather(const char *folder, const struct live_options *options, struct evidence *into,
	struct complaint *why) __attribute__((nonnull(1, 3)));

/*
 * Adds nothing but the stacks of that job, as the options ask for them. 0, or negative with words
 * as above; what could not be had is a gap.
 */
int live_gather_stacks(const char *folder, const struct live_options *options,
	struct evidence *into, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

#endif
