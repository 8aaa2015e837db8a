/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job whose rings tell nothing new: it has not started yet, or its calls bypass the probe, or it
 * hangs. The rings do not tell these apart, so stacks are taken: once the job has been quiet for
 * long, and repeatedly while it stays so. Samples must lie seconds apart to prove that a rank
 * stands, and meanwhile the agent must answer the wrapper, before each signal that it passes on: so
 * a helper takes them.
 */
#ifndef CMD_AGENT_QUIET_H
#define CMD_AGENT_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/run/gatherer.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/live/live.h"
#include "job/job.h"

/*
 * What is known of the quiet. {0} to begin with. All times are CLOCK_MONOTONIC ns, if nothing else
 * is said.
 */
struct agent_quiet {
	uint64_t told;	 /* hash of what the rings told at the last look */
	uint64_t step;	 /* the latest step that any log has told of */
	int64_t latest;  /* the latest time that rings told of, realtime ns */
	int64_t since;	 /* since when they tell that; 0: nothing was seen yet */
	int64_t due;	 /* when stacks are taken next */
	int64_t pause;	 /* from then to the time after, ns */
	int64_t soonest; /* not before this time, by what the last stacks cost */
	struct gatherer gatherer; /* takes stacks now, if it runs */
};

/* The job: its folder, and the options of each gathering. */
struct agent_quiet_job {
	const char *folder;
	struct live_options options;
};

/* Returns how stacks of that job are taken: with care, and asking first what may block. */
struct live_options agent_quiet_options(const struct agent_quiet_job *of);

/*
 * Takes in one look at the job. Returns true if its rings told something new: earlier stacks are
 * then outdated. `hang_after` is after how many ns a standing rank is to be named.
 */
bool agent_quiet_see(
	struct agent_quiet *quiet, const struct job *job, int64_t now, int64_t hang_after);

/* Begins to take stacks, if the job has been quiet for long and they are due. */
void agent_quiet_turn(struct agent_quiet *quiet, const struct agent_quiet_job *of, int64_t now);

/* Returns true if stacks have come: *into then has them in place of its former ones. */
bool agent_quiet_fetch(struct agent_quiet *quiet, struct evidence *into);

/*
 * Sets when the next stacks are due: by whether these told something (`telling`), and soon after
 * what they tell of has stood for hang_after. `waited` is for how many ns it has stood;
 * JOB_UNKNOWN.
 */
void agent_quiet_next(struct agent_quiet *quiet, bool telling, int64_t waited, int64_t now,
	int64_t hang_after);

/* Ends the helper, if there is one. */
void agent_quiet_release(struct agent_quiet *quiet);

#endif
