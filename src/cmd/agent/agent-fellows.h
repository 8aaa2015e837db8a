/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-fellows.h: the other agents of one job on this host, where each rank, or some of them, was
 * started under an `inquest run' of its own (evidence/agent/fellows.h defines them). They send each
 * other nothing: each lists the folders beside its own now and then, and so knows the speaker, the
 * first launched agent that is at work. The speaker judges over all their folders, says what
 * stands, and keeps the bundle; the others write what they see into their own folders, and look at
 * no ring. When the speaker is gone, the next one takes its place, and repeats nothing that was
 * said.
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

struct agent_fellow {
	const char *folder; /* borrowed from the list */
	int census;	    /* open; -1 it cannot be */
};

struct agent_fellows {
	struct fellow own;  /* what is known of us, for the manifest */
	struct jobs jobs;   /* as listed last */
	ARRAY(struct agent_fellow) all; /* the others, and */
	ARRAY(const char *) folders; /* theirs; behind our own, which is the first */
	bool speaks;
	bool unsure;	    /* others may be fellows, which is unknown */
	bool said_unsure;
	bool no_logs;	    /* one of them may read nothing that the job wrote */
	struct proc_id speaker; /* where it is another one */
	struct evidence unprobed; /* ranks of ours and theirs that have no probe */
	int64_t due;	    /* CLOCK_MONOTONIC ns: the next list */
	int64_t cost;	    /* of the last one, ns */
	int64_t stepped_back; /* when somebody else became the speaker; 0 never */
	struct str keys;    /* of what we have said and still stands, for the manifest */
	char *verdict, *bundle; /* of the speaker, where it is another one; NULL none */
	char *status;	    /* of the job, in its words; NULL as we have it */
	char *pointed;	    /* the bundle that we have pointed to; NULL none yet */
};

/* Notes what its launch says of us; `wrapper` is the process of `inquest run'. */
void agent_fellows_begin(struct agent *agent, uint32_t wrapper);

/*
 * Lists anew when that is due. True if the manifest's entry for us has changed. If another agent is
 * the speaker, one line points to its bundle, once it has said something.
 */
bool agent_fellows_turn(struct agent *agent, int64_t now);

/*
 * Lists at once. True if we are to say the standing verdicts, and no other agent has said them.
 * Also says where it is unknown whether others are fellows.
 */
bool agent_fellows_may_say(struct agent *agent);

/* Lists at once, before the command's end is handled. */
void agent_fellows_list(struct agent *agent);

/* Sets what a gathering of the whole job takes in beside our own folder. */
void agent_fellows_options(const struct agent *agent, struct live_options *options);

/*
 * Waits for the speaker's look before we pass on a signal that ends the job and came at `since`
 * (realtime ns); until `until` (CLOCK_MONOTONIC ns) at most.
 */
void agent_fellows_await_look(const struct agent *agent, int64_t since, int64_t until);

/* Lists at once. True if all others are over, and ended well. */
bool agent_fellows_are_over(struct agent *agent);

/* True if one of them, of this job as it was listed last, has or had the agent of that pid. */
bool agent_fellows_had(const struct agent *agent, uint32_t pid);

/* Removes their folders; only where that is so. */
void agent_fellows_remove(const struct agent *agent);

/* The keys, as they are now. */
const char *agent_fellows_keys(struct agent *agent);

/* Frees what was kept of the others. */
void agent_fellows_release(struct agent *agent);

#endif
