/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent.h: what watches over a job while it runs, one per `inquest run`; where a job has several
 * on a node, one of them judges for all (agent-fellows.h), and where it has several nodes, one of
 * those (agent-rally.h). It peeks, never disturbs, and nothing in
 * the job depends on it: killed, it only stops looking.
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

struct agent_options {
	const char *output; /* folder of bundles and of manifest.jsonl */
	const char *name;
	char *const *argv;
	char *const *envp;
	int64_t hang_after; /* ns that a wait must stand before it is said */
	uint64_t max_memory; /* bytes, for what agents of other hosts have found */
	bool raw_stacks;    /* bundles have whole copies of stacks */
	bool no_logs;	    /* bundles have nothing that the job wrote */
};

/* Things that the agent does from time to time: when each is due, CLOCK_MONOTONIC ns. */
struct agent_dues {
	int64_t scan;     /* the census, for new processes */
	int64_t sample;   /* /proc */
	int64_t look;     /* gather and judge */
	int64_t manifest; /* that it still polls */
	int64_t past;	  /* rings of those who came and went */
};

struct agent {
	struct agent_options options;
	struct jobdir *dir;
	struct exits exits;
	struct history *history;
	struct agent_dues due;
	unsigned ranks;      /* in the census now: such as are, were or may become one */
	unsigned living;     /* processes of the job that outlived its command */
	int64_t eager_until; /* somebody died: look often until then */
	int64_t said;	     /* when a verdict was said last, CLOCK_MONOTONIC ns; 0 never */
	int64_t quiet_until; /* the job was told to end: what dies now says nothing */
	const char *status;  /* as in the manifest */
	struct announce announce;
	struct serve serve; /* stacks, for who may not look himself */
	int64_t last_turn;  /* when the last turn ended */
	int64_t look_cost;  /* ns that the last look took */
	int64_t looked;	    /* when, CLOCK_MONOTONIC ns; 0 never */
	int64_t looked_at;  /* the same when it began, realtime ns */
	bool well;	    /* what it found: nobody waits */
	struct pulse pulse; /* since then, or since looking was put off last */
	int64_t bundled;    /* when the bundle was written last, CLOCK_MONOTONIC ns */
	char *headline;     /* of the last verdict that was said */
	char *answer;	    /* of the same, with its next step, in one line */
	char *last_words;   /* of a command that failed before any rank; NULL none */
	struct str bundle;  /* path of the last bundle */
	struct saver saver; /* writes it, and all else that goes to durable storage */
	bool saved_is_news; /* what it writes now was not there when the verdict was said */
	struct str kept;    /* path of the last bundle that the log names and the job left behind */
	unsigned moved_on;  /* how often it did */
	struct evidence stacks; /* taken when a verdict was said last, or while all was quiet */
	struct agent_quiet quiet;
	struct agent_unprobed unprobed;
	struct agent_fellows fellows;
	struct agent_rally rally;
	int64_t told; /* when it had looked before a signal to end, realtime ns; 0 never */
	bool by_stacks; /* what was found last was found by those of a quiet job */
	bool bundle_wanted; /* a hang or a death stood, or the log names the bundle: it outlives a
			       good end */
	bool storage_failed;
	bool launching; /* the line of the launch is being written */
	bool ended;
	int exit_status; /* as a shell gives it */
};

/* Begins to watch over the job in this folder. The folder is the caller's and outlives the agent.
 */
void agent_begin(struct agent *agent, const struct agent_options *options, struct jobdir *dir);

/* Does what is due. Returns for how many ms nothing will be, at most 1000. */
int agent_turn(struct agent *agent);

/*
 * The job is about to be told to end by this signal: looks at what is there now and says it. At
 * `until`, CLOCK_MONOTONIC ns, the signal goes out, whatever is still to be done; what dies from
 * then on dies of that.
 */
void agent_before_signal(struct agent *agent, int signo, int64_t until);

/* The command is over: judges and keeps what must be, and adds its line to manifest.jsonl. */
void agent_end(struct agent *agent, struct proc_id child, int wait_status, int shell_status);

/* The command could not be run: adds its line. */
void agent_never_began(struct agent *agent, int shell_status);

/* Is nothing of the job left that anybody would want to look at? */
bool agent_may_remove(struct agent *agent);

/* Gathers what there is now, and judges it. 0, or -1: the folder cannot be read. */
int agent_gather(struct agent *agent, struct look *look);

/* Adds the stacks that were taken last to a look, or takes some, and judges again. */
void agent_add_stacks(struct agent *agent, struct look *look);

/* Puts what was judged into the log, and keeps it as the answer that the last line repeats. */
void agent_say(struct agent *agent, const struct look *look);

/*
 * Frees what the agent holds and stops watching; the folder stays, with its files. Not to be used
 * again without agent_begin().
 */
void agent_release(struct agent *agent);

#endif
