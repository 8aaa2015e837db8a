/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent in a process of its own, as the wrapper sees it. A process that passes signals to a job
 * must never wait for a disk, for a terminal that nobody reads, or for a process that cannot be
 * read: so the agent does all waiting, and the wrapper waits for the agent only for a limited time.
 * Should the agent fail, the job goes on unwatched.
 *
 * The agent dies with the wrapper, and like the witness it has all signals blocked. `ps' shows it
 * as inquest-agent.
 */
#ifndef CMD_AGENT_PROCESS_H
#define CMD_AGENT_PROCESS_H

#include "base/complaint.h"
#include "cmd/agent/agent.h"

struct agent_process {
	pid_t pid;      /* 0: none */
	int fd;         /* socket to it; -1 none */
	unsigned asked; /* how many questions it was asked so far */
};

/*
 * Starts the agent for the job in this folder, which the agent then owns, and waits a moment until
 * it has begun. Returns 0, or negative with words: then the folder is still the caller's.
 */
int agent_process_start(struct agent_process *process, const struct agent_options *options,
	struct jobdir *dir, struct complaint *why);

/*
 * Gives the agent time, 0.3 s at most, to look at the job and to tell what it finds, before the job
 * gets a signal that may end it.
 */
void agent_process_before_signal(struct agent_process *process, int signo);

/*
 * Tells the agent how the command ended; with child.pid 0 it never ran. Returns once the agent has
 * told and kept all that it must, and is gone; after 15 s it is killed.
 */
void agent_process_end(
	struct agent_process *process, struct proc_id child, int wait_status, int shell_status);

/* Returns true, once, if the agent has ended before its time. */
bool agent_process_failed(struct agent_process *process);

#endif
