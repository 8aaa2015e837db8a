/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_AGENTFILES_H
#define EVIDENCE_AGENTFILES_H

/*
 * The JSON documents that the agent writes into the job's folder, each replaced atomically; their
 * fields are listed in inquest-bundle(5). They are exhibits like any other: the gatherer takes the
 * files whole.
 *
 *	manifest	who the job is and how it stands, on every change and poll
 *	receipt		the facts at launch (evidence/gather/receipt-gather.h)
 *	history		samples of /proc over time (evidence/agent/history.h)
 *	exits		how processes ended, as far as the agent saw it
 *
 * In all of them times are realtime nanoseconds.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"

struct fellow;
struct unprobed_rank;

#define AGENT_MANIFEST_FILE "manifest"
#define AGENT_RECEIPT_FILE  "receipt"
#define AGENT_HISTORY_FILE  "history"
#define AGENT_EXITS_FILE    "exits"
#define AGENT_FILE_CAP	    (8 * 1024 * 1024)

/* What a manifest is written from. Texts are borrowed; NULL leaves their field out. */
struct agent_manifest {
	const char *job;
	const char *name;
	const char *host;
	const char *status;    /* launched, running, hung, ok, error */
	char *const *argv;     /* NULL-ended; NULL: leave out */
	uint32_t agent_pid; /* of `inquest run`, to tell it from a later process of that pid */
	uint64_t agent_start_time;
	int64_t launched;
	int64_t polled;	       /* when the agent last looked */
	bool ended;	       /* true if the launched command is over; only then exit_status
			        * counts */
	int exit_status;       /* as a shell would give it: 128 + signal for a killed one */
	const char *bundle;    /* path of the last bundle; NULL none */
	const char *verdict;   /* the headline of the last verdict; NULL none */
	const struct fellow *fellow; /* the job that it is a part of; NULL: leave out */
	const char *said;      /* keys of verdicts that stand, a line each; NULL none */
	unsigned hangs;	       /* bundles of hangs that the job left behind */
	int64_t ending;	       /* when a signal came that ends the job; 0 never */
	int64_t told;	       /* when the agent had last looked before a signal to end; 0 never */
	bool no_logs;	       /* the agent was told to read nothing that the job wrote */
	const char *last_words; /* of a command that failed before any rank was there; NULL none */
	const struct unprobed_rank *unprobed; /* ranks without a probe at work */
	size_t nunprobed;
};

/* Writes the manifest into the folder. Returns 0, or -errno and says why. */
int agent_manifest_write(const char *folder, const struct agent_manifest *manifest,
	struct complaint *why) __attribute__((nonnull(1, 2)));

/* Appends the same document to `into`, as one line without the newline. */
void agent_manifest_format(const struct agent_manifest *manifest, struct str *into)
	__attribute__((nonnull));

/* One end of a process, as `exits` tells it. */
struct agent_exit {
	uint32_t pid;
	uint64_t start_time;
	int64_t when;	  /* when the agent noticed it */
	bool waited;	  /* true if wait() told us: only then is wait_status set */
	int wait_status;  /* see WIFEXITED(); 0 where only the process' absence was seen */
};

/* Writes all ends so far into the folder. Returns 0, or -errno and says why. */
int agent_exits_write(const char *folder, const struct agent_exit *exits, size_t nr,
	struct complaint *why) __attribute__((nonnull(1)));

#endif
