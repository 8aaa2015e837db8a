/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that watches over a job while it runs, one per `inquest run`. If a job has several on
 * a node, one of them judges for all (agent-fellows.h); if it has several nodes, one of those does
 * (agent-rally.h). The agent peeks, never disturbs, and nothing in the job depends on it: killed,
 * it only stops looking.
 *
 * It keeps the folder's files (manifest, receipt, history, exits), looks at the job now and then,
 * and when a verdict stands says it on stderr and keeps a bundle on durable storage.
 */
#ifndef CMD_AGENT_H
#define CMD_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "cmd/agent/agent-fellows.h"
#include "cmd/agent/agent-packages.h"
#include "cmd/agent/agent-quiet.h"
#include "cmd/agent/agent-rally.h"
#include "cmd/agent/agent-stacks.h"
#include "cmd/agent/agent-unprobed.h"
#include "cmd/look.h"
#include "cmd/run/exits.h"
#include "cmd/run/jobdir.h"
#include "cmd/run/saver.h"
#include "cmd/run/announce.h"
#include "evidence/agent/history.h"
#include "evidence/agent/pulse.h"
#include "evidence/agent/serve.h"

/* What the agent was told. Texts and arrays are borrowed. */
struct agent_options {
	const char *output; /* folder of bundles, receipts and manifest.jsonl */
	const char *name; /* of the job; NULL none given */
	char *const *argv;
	char *const *envp;
	int64_t hang_after; /* how long a wait must stand before it is told, ns */
	uint64_t max_memory; /* bytes that what agents of other hosts have found may take */
	bool raw_stacks;    /* true to put whole copies of stacks into bundles */
	bool no_logs;	    /* true to put nothing that the job wrote into bundles */
};

/* When each periodic task of the agent is due, CLOCK_MONOTONIC ns. */
struct agent_dues {
	int64_t scan;     /* reading the census, for new processes */
	int64_t sample;   /* taking a sample of /proc */
	int64_t look;     /* gathering and judging */
	int64_t manifest; /* writing into the manifest that it still polls */
	int64_t past;	  /* looking at rings of processes that came and went */
	int64_t receipt;  /* writing into the receipt that the job was seen */
};

/* The agent. */
struct agent {
	struct agent_options options;
	struct jobdir *dir;
	struct exits exits;
	/* of the processes that it watches */
	struct history *history;
	struct agent_dues due;
	unsigned ranks;      /* how many ranks are in the census now: present, past and possible
			      * ones */
	unsigned living;     /* how many processes of the job have outlived its command */
	int64_t eager_until; /* a rank died, so the agent looks often until then */
	int64_t said;	     /* when a verdict was told last, CLOCK_MONOTONIC ns; 0 never */
	int64_t quiet_until; /* the job was told to end, so a death until then proves nothing */
	const char *status;  /* as in the manifest */
	struct announce announce; /* which verdicts stand */
	struct serve serve; /* serves stacks to those who may not look themselves */
	int64_t last_turn;  /* when the last turn ended */
	int64_t look_cost;  /* how much CPU time the last look took, ns */
	int64_t sample_cost; /* the same of the last sample of /proc */
	int64_t looked;	    /* when it ended, CLOCK_MONOTONIC ns; 0 never */
	int64_t looked_at;  /* when it began, realtime ns */
	int attempt;	    /* of which it told; 0: there was no look */
	bool well;	    /* its result: nobody waits, or not for long */
	struct pulse pulse; /* the pulse since that look, or since looking was put off last */
	int64_t bundled;    /* when the bundle was written last, CLOCK_MONOTONIC ns */
	char *headline;     /* of the last verdict that was told; NULL none */
	char *answer;	    /* the same with its next step, in one line; NULL none */
	char *last_words;   /* of a command that failed before any rank was there; NULL none */
	struct str bundle;  /* path of the last bundle; empty: none */
	struct saver saver; /* the helper that writes bundles and all else on durable storage */
	bool saved_is_news; /* the bundle that it writes now was not there when its verdict was
			     * told */
	struct str kept;    /* path of the last bundle that the log names and that the job moved
			     * on from */
	unsigned moved_on;  /* how often the job moved on from a hang */
	struct evidence stacks; /* stacks that were taken when a verdict was told last, or while
				 * all was quiet */
	struct agent_held held;
	struct agent_quiet quiet;
	struct agent_unprobed unprobed;
	struct agent_packages packages;
	struct agent_fellows fellows;
	struct agent_rally rally;
	int64_t ending; /* when a signal came that ends the job, realtime ns; 0 never */
	int64_t told; /* when it had looked before such a signal, realtime ns; 0 never */
	bool by_stacks; /* the last finding came from stacks of a quiet job */
	bool said_by_stacks; /* so did what was said last: only such stacks tell that it is over */
	bool bundle_wanted; /* a hang or death stood, or the log names the bundle, so it is kept
			     * after a good end, too */
	bool storage_failed; /* a failure was told, and no bundle has been written since */
	bool noting; /* a line or the receipt is being written, of which no failure is told */
	struct str measured; /* the receipt of the last look, as JSON; empty: there was no look */
	const char *noted;   /* the status that the receipt on storage has; NULL none */
	bool ended; /* the command is over */
	int exit_status; /* as a shell gives it */
	bool deaths; /* ranks ended badly, whatever the exit status is */
};

/* Begins to watch over the job in this folder, which is the caller's and outlives the agent. */
void agent_begin(struct agent *agent, const struct agent_options *options, struct jobdir *dir);

/* Does all tasks that are due. Returns for how many ms none will be, at most 1000. */
int agent_turn(struct agent *agent);

/*
 * Looks at the job and tells what it finds, before this signal tells the job to end. The caller
 * sends the signal out at `until`, CLOCK_MONOTONIC ns, in any case; a rank that dies from then on
 * dies of that.
 */
void agent_before_signal(struct agent *agent, int signo, int64_t until);

/*
 * Judges after the command's end, keeps all that must be kept, and adds the job's line to
 * manifest.jsonl.
 */
void agent_end(struct agent *agent, struct proc_id child, int wait_status, int shell_status);

/* Adds the line of a command that could not be run. */
void agent_never_began(struct agent *agent, int shell_status);

/* True if nothing of the job is left that anybody would want to look at. */
bool agent_may_remove(struct agent *agent);

/* Gathers the evidence of now, and judges it. Returns 0, or -1 if the folder cannot be read. */
int agent_gather(struct agent *agent, struct look *look);

/* Adds the last stacks to a look, or takes new ones if there are none, and judges again. */
void agent_add_stacks(struct agent *agent, struct look *look);

/* Writes the verdict into the log, and keeps it as the answer that the last line repeats. */
void agent_say(struct agent *agent, const struct look *look);

/*
 * Frees what the agent holds and stops watching. The folder stays, with its files. Before it is
 * used again the agent must be begun by agent_begin().
 */
void agent_release(struct agent *agent);

#endif
