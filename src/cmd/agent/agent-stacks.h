/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_AGENT_STACKS_H
#define CMD_AGENT_STACKS_H

/*
 * Stacks in what the agent tells and keeps. They are taken once for a verdict, when it is told;
 * until another is told, or the job moves, bundles hold the same ones, each of which says when it
 * was taken. Whether a verdict stands is decided without them, as looks are many and stacks are
 * dear.
 *
 * A death is not explained by what the others were doing, and its verdict does not wait for that.
 */

#include <stdbool.h>

#include "cmd/agent/agent-quiet.h"
#include "cmd/look.h"
#include "evidence/format/exhibit.h"

/* How much time the stacks may take. */
enum agent_stacks_haste {
	AGENT_STACKS_CALM, /* three samples: the job hangs, and nobody waits for us */
	AGENT_STACKS_BRIEF, /* one sample: a signal is to be passed on */
};

/*
 * Replaces the stacks in `kept` by new ones, if any can be taken, adds them to the look and judges
 * it again. In brief, and with many ranks, only the blamed ranks and their children are looked at.
 * A verdict that blamed a rank, and would not with the stacks, stays as it was.
 */
void agent_stacks_take(struct evidence *kept, const struct agent_quiet_job *of, struct look *look,
	enum agent_stacks_haste haste);

/* Adds the stacks that were kept to a look, likewise. Does nothing where there are none. */
void agent_stacks_add(const struct evidence *kept, struct look *look);

/*
 * The last look at a job of which only stacks tell: where a signal strikes all of its processes at
 * once, what they did before is in no ring that outlives them. {0} to begin with.
 */
struct agent_held {
	struct evidence evidence;
	int64_t at; /* when it was taken, CLOCK_MONOTONIC ns */
};

/*
 * Takes the evidence out of a judged look, for later; if it is not `worth` that, gives up what it
 * holds. A look in which a rank has died changes nothing.
 */
void agent_held_take(struct agent_held *held, struct look *look, bool worth, int64_t now);

/*
 * Returns true if a rank has died in the look, and what is held is new enough: the look then has
 * that as its evidence, and is judged by it.
 */
bool agent_held_put(struct agent_held *held, struct look *look, int64_t now);

/* Frees what is held. */
void agent_held_release(struct agent_held *held);

/* True if stacks can add to this look's verdict. */
bool agent_stacks_are_wanted(const struct look *look);

#endif
