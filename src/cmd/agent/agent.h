/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent.h: the process that watches over a job while it runs, one per `inquest run`. Where a job
 * has several on a node, one of them judges for all (agent-fellows.h); where it has several nodes,
 * one of those does (agent-rally.h). It peeks, never disturbs, and nothing in the job depends on
 * it: killed, it only stops looking.
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

/* When each periodic task of the agent is due, CLOCK_MONOTONIC ns. */
struct agent_dues {
	int64_t scan;     /* the census, for new processes */
	int64_t sample;   /* /proc */
	int64_t look;     /* gather and judge */
	int64_t manifest; /* that it still polls */
	int64_t past;	  /* rings of those who came and went */
	int64_t receipt;  /* that it was seen */
};

struct agent {
	struct agent_options options;
	struct jobdir *dir;
	struct exits exits;
	struct history *history;
	struct agent_dues due;
	unsigned ranks;      /* ranks in the census now: present, past and possible ones */
	unsigned living;     /* processes of the job that outlived its command */
	int64_t eager_until; /* a rank died: look often until then */
	int64_t said;	     /* when a verdict was said last, CLOCK_MONOTONIC ns; 0 never */
	int64_t quiet_until; /* the job was told to end: a death now proves nothing */
	const char *status;  /* as in the manifest */
	struct announce announce;
	struct serve serve; /* serves stacks to those who may not look themselves */
	int64_t last_turn;  /* when the last turn ended */
	int64_t look_cost;  /* ns of CPU that the last look took */
	int64_t looked;	    /* when, CLOCK_MONOTONIC ns; 0 never */
	int64_t looked_at;  /* the same when it began, realtime ns */
	bool well;	    /* its result: nobody waits, or not for long */
	struct pulse pulse; /* since then, or since looking was put off last */
	int64_t bundled;    /* when the bundle was written last, CLOCK_MONOTONIC ns */
	char *headline;     /* of the last verdict that was said */
	char *answer;	    /* of the same, with its next step, in one line */
	char *last_words;   /* of a command that failed before any rank; NULL none */
	struct str bundle;  /* path of the last bundle */
	struct saver saver; /* the saver: writes bundles and all else on durable storage */
	bool saved_is_news; /* the bundle it writes now was not there when its verdict was said */
	struct str kept;    /* path of the last bundle that the log names and the job left behind */
	unsigned moved_on;  /* how often it did */
	struct evidence stacks; /* taken when a verdict was said last, or while all was quiet */
	struct agent_held held;
	struct agent_quiet quiet;
	struct agent_unprobed unprobed;
	struct agent_packages packages;
	struct agent_fellows fellows;
	struct agent_rally rally;
	int64_t ending; /* a signal that ends the job came, realtime ns; 0 never */
	int64_t told; /* when it had looked before a signal to end, realtime ns; 0 never */
	bool by_stacks; /* the last finding came from stacks of a quiet job */
	bool bundle_wanted; /* a hang or death stood, or the log names the bundle: keep it after a
			       good end */
	bool storage_failed;
	bool noting; /* a line or the receipt is being written: who asks is not told of a failure */
	struct str measured; /* the receipt of the last look, as JSON; empty: nobody has looked */
	const char *noted;   /* the status that the receipt on storage has; NULL none */
	bool ended;
	int exit_status; /* as a shell gives it */
	bool deaths; /* ranks ended badly, whatever that is */
};

/* Begins to watch over the job in this folder, which is the caller's and outlives the agent.
 */
void agent_begin(struct agent *agent, const struct agent_options *options, struct jobdir *dir);

/* Does all tasks that are due. Returns for how many ms none will be, at most 1000. */
int agent_turn(struct agent *agent);

/*
 * Looks at the job and says what it finds, before this signal tells the job to end. The signal goes
 * out at `until`, CLOCK_MONOTONIC ns, in any case; a rank that dies from then on dies of that.
 */
void agent_before_signal(struct agent *agent, int signo, int64_t until);

/* Judges and keeps all it must after the command's end, and adds its line to manifest.jsonl. */
void agent_end(struct agent *agent, struct proc_id child, int wait_status, int shell_status);

/* Adds the line of a command that could not be run. */
void agent_never_began(struct agent *agent, int shell_status);

/* True if nothing of the job is left that anybody would want to look at. */
bool agent_may_remove(struct agent *agent);

/* Gathers the evidence of now, and judges it. 0, or -1: the folder cannot be read. */
int agent_gather(struct agent *agent, struct look *look);

/* Adds the last stacks to a look, or takes new ones, and judges again. */
void agent_add_stacks(struct agent *agent, struct look *look);

/* Writes the verdict into the log, and keeps it as the answer that the last line repeats. */
void agent_say(struct agent *agent, const struct look *look);

/*
 * Frees what the agent holds and stops watching; the folder stays, with its files. Not to be used
 * again without agent_begin().
 */
void agent_release(struct agent *agent);

#endif
