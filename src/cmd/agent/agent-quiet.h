/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-quiet.h: a job of which rings tell nothing new: it has not started yet, or what it calls
 * goes past the probe, or it hangs. Nothing in its rings tells these apart, so stacks are taken:
 * once it has been quiet for long, and again and again while it is. Samples must lie seconds apart
 * to prove that somebody stands, and the agent has signals to pass on: a helper takes them.
 */
#ifndef CMD_AGENT_QUIET_H
#define CMD_AGENT_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/run/gatherer.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/live.h"
#include "job/job.h"

/* {0} to begin with. All times are CLOCK_MONOTONIC ns. */
struct agent_quiet {
	uint64_t told;	 /* what rings told at the last look, as a number */
	int64_t latest;  /* and the latest time that they told, realtime ns */
	int64_t since;	 /* when that was new; 0: nothing was seen yet */
	int64_t due;	 /* stacks are taken next */
	int64_t pause;	 /* until those after them */
	int64_t soonest; /* not before, by what the last ones cost */
	struct gatherer gatherer; /* that takes some now */
};

/* The job: its folder, and what each gathering of it takes in. */
struct agent_quiet_job {
	const char *folder;
	struct live_options options;
};

/* How the stacks of that job are taken: with care, and briefly asking what may block. */
struct live_options agent_quiet_options(const struct agent_quiet_job *of);

/*
 * Takes in one look at the job. Returns whether its rings told something new: what stacks told
 * before is of the past then. `hang_after`: ns after which somebody who stands is to be named.
 */
bool agent_quiet_see(
	struct agent_quiet *quiet, const struct job *job, int64_t now, int64_t hang_after);

/* Begins to take stacks, if the job has been quiet for long and they are due. */
void agent_quiet_turn(struct agent_quiet *quiet, const struct agent_quiet_job *of, int64_t now);

/* True if stacks have come: then they are in *into, in place of what was there. */
bool agent_quiet_fetch(struct agent_quiet *quiet, struct evidence *into);

/* Says when the next ones are due, by whether these were of worth. */
void agent_quiet_next(
	struct agent_quiet *quiet, bool telling, int64_t now, int64_t hang_after);

/* Ends the helper, if there is one. */
void agent_quiet_release(struct agent_quiet *quiet);

#endif
