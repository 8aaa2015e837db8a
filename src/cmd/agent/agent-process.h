/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-process.h: the agent in a process of its own, as the wrapper sees it. A process that passes
 * signals to a job must never wait for a disk, for a terminal that nobody reads, for a process that
 * cannot be looked at: all that waits is over there, and the wrapper waits for it only so long.
 * Should the agent fail, the job goes on and nobody watches.
 *
 * It dies with the wrapper, and like the witness it has all signals blocked. `ps' shows it as
 * inquest-agent.
 */
#ifndef CMD_AGENT_PROCESS_H
#define CMD_AGENT_PROCESS_H

#include "base/complaint.h"
#include "cmd/agent/agent.h"

struct agent_process {
	pid_t pid;      /* 0: none */
	int fd;         /* to it; -1 none */
	unsigned asked; /* questions so far */
};

/*
 * Starts the agent for the job in this folder, which is its from then on, and waits a moment until
 * it has begun. 0, or negative with words: then the folder is still the caller's.
 */
int agent_process_start(struct agent_process *process, const struct agent_options *options,
	struct jobdir *dir, struct complaint *why);

/*
 * Gives it the time to look at the job, and to say what it finds, before it gets a signal that may
 * end it; 0.3 s at most.
 */
void agent_process_before_signal(struct agent_process *process, int signo);

/*
 * The command ended so; with child.pid 0 it never ran. Returns once the agent has said and kept
 * what must be, and is gone; after 15 s it is killed.
 */
void agent_process_end(
	struct agent_process *process, struct proc_id child, int wait_status, int shell_status);

/* Has it gone before its time? True once. */
bool agent_process_failed(struct agent_process *process);

#endif
