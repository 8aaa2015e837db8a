/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other agents of one job on this host, where each rank, or some of them, was started under an
 * `inquest run' of its own (evidence/agent/fellows.h defines them). They send each other nothing:
 * each lists the folders beside its own now and then, and so knows the speaker, which is the first
 * launched agent that is at work. The speaker judges over all their folders, tells what stands, and
 * keeps the bundle; the others write what they see into their own folders, and look at no ring.
 * When the speaker is gone, the next one takes its place, and repeats nothing that was told.
 *
 * Nothing is written into a fellow's folder. An agent that was started alone, or finds nobody, is
 * its own speaker.
 */
#ifndef CMD_AGENT_FELLOWS_H
#define CMD_AGENT_FELLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/str.h"
#include "evidence/agent/fellow.h"
#include "evidence/agent/jobs.h"
#include "evidence/format/exhibit.h"

struct agent;
struct live_options;

/* Another agent's folder. */
struct agent_fellow {
	const char *folder; /* borrowed from the list */
	int census;	    /* descriptor; -1 it cannot be opened */
};

struct agent_fellows {
	struct fellow own;  /* what our launcher says of us, for the manifest */
	struct jobs jobs;   /* the folders here, as listed last */
	ARRAY(struct agent_fellow) all; /* the others of our job */
	ARRAY(const char *) folders; /* ours, and behind it theirs */
	bool speaks; /* true if we are the speaker */
	bool unsure;	    /* true if others here may be fellows, which is not known */
	bool said_unsure; /* that was told */
	bool no_logs;	    /* true if one of them must not read what the job wrote */
	struct proc_id speaker; /* the agent that is the speaker, if it is another one */
	struct evidence unprobed; /* ranks of theirs that have no probe */
	int64_t due;	    /* when the next list is due, CLOCK_MONOTONIC ns */
	int64_t cost;	    /* how much CPU time the last one took, ns */
	int64_t stepped_back; /* when another agent became the speaker; 0 never */
	struct str keys;    /* keys of what we have told and still stands, for the manifest */
	char *verdict, *bundle; /* of the speaker, if it is another one; NULL none */
	char *status;	    /* of the job, as the speaker has it; NULL: as we have it */
	char *pointed;	    /* path of the bundle that we have pointed to; NULL none yet */
};

/* Notes what the launch tells of us. `wrapper` is the pid of `inquest run'. */
void agent_fellows_begin(struct agent *agent, uint32_t wrapper);

/*
 * Lists anew when that is due. Returns true if our entry in the manifest has changed. If another
 * agent is the speaker, one line points to its bundle, once it has told something.
 */
bool agent_fellows_turn(struct agent *agent, int64_t now);

/*
 * Lists at once. Returns true if we are to tell the standing verdicts, and no other agent has told
 * them. Also says so where it is not known whether others are fellows.
 */
bool agent_fellows_may_say(struct agent *agent);

/* Lists at once, before the command's end is handled. */
void agent_fellows_list(struct agent *agent);

/* Sets what a gathering of the whole job takes in beside our own folder. */
void agent_fellows_options(const struct agent *agent, struct live_options *options);

/*
 * Waits for the speaker's look before we pass on a signal that ends the job. The signal came at
 * `since` (realtime ns); the wait ends at `until` (CLOCK_MONOTONIC ns) at the latest.
 */
void agent_fellows_await_look(const struct agent *agent, int64_t since, int64_t until);

/* Lists at once. Returns true if all others are over, and ended well. */
bool agent_fellows_are_over(struct agent *agent);

/* True if one of the others, as they were listed last, has or had the agent of that pid. */
bool agent_fellows_had(const struct agent *agent, uint32_t pid);

/* Removes the others' folders. Only called if agent_fellows_are_over(). */
void agent_fellows_remove(const struct agent *agent);

/* Returns the keys of what we have told and stands, as they are now; NULL none. */
const char *agent_fellows_keys(struct agent *agent);

/* Frees what was kept of the others. */
void agent_fellows_release(struct agent *agent);

#endif
