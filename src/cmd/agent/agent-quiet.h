/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-quiet.h: a job whose rings tell nothing new: it has not started yet, or its calls bypass
 * the probe, or it hangs. The rings do not tell these apart, so stacks are taken: once it has been
 * quiet for long, and repeatedly while it stays so. Samples must lie seconds apart to prove that a
 * rank stands, and the agent has signals to pass on: so a helper takes them.
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
	uint64_t told;	 /* a hash of what the rings told at the last look */
	uint64_t step;	 /* the latest step that any log has told */
	int64_t latest;  /* and the latest time that they told, realtime ns */
	int64_t since;	 /* when that was new; 0: nothing was seen yet */
	int64_t due;	 /* stacks are taken next */
	int64_t pause;	 /* until those after them */
	int64_t soonest; /* not before, by what the last ones cost */
	struct gatherer gatherer; /* that takes some now */
};

/* Sets the job: its folder, and the options of each gathering. */
struct agent_quiet_job {
	const char *folder;
	struct live_options options;
};

/* How stacks of that job are taken: with care, and asking first what may block. */
struct live_options agent_quiet_options(const struct agent_quiet_job *of);

/*
 * Takes in one look at the job. True if its rings told something new: earlier stacks are then
 * outdated. `hang_after`: ns after which a standing rank is to be named.
 */
bool agent_quiet_see(
	struct agent_quiet *quiet, const struct job *job, int64_t now, int64_t hang_after);

/* Begins to take stacks, if the job has been quiet for long and they are due. */
void agent_quiet_turn(struct agent_quiet *quiet, const struct agent_quiet_job *of, int64_t now);

/* True if stacks have come: *into then has them instead of its former ones. */
bool agent_quiet_fetch(struct agent_quiet *quiet, struct evidence *into);

/*
 * Sets when the next stacks are due: by whether these were useful, and soon after what they tell of
 * has stood for hang_after. `waited`: ns for which it has; JOB_UNKNOWN.
 */
void agent_quiet_next(struct agent_quiet *quiet, bool telling, int64_t waited, int64_t now,
	int64_t hang_after);

/* Ends the helper, if there is one. */
void agent_quiet_release(struct agent_quiet *quiet);

#endif
