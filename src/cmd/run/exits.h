/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exits.h: how the processes of a job end, as far as somebody who is not their parent can know:
 * from the zombie's stat while it is there, from its pidfd on kernels that keep the status in it
 * (6.15 and later), else only that it is gone.
 */
#ifndef CMD_EXITS_H
#define CMD_EXITS_H

#include <poll.h>
#include <stdbool.h>

#include "base/array.h"
#include "evidence/agent/agentfiles.h"
#include "proc/watch.h"

/* One process that is watched. */
struct exits_watched {
	struct proc_watch watch;
	uint32_t inner_pid; /* as it knows itself, in the census */
	bool ended;
	bool settled; /* its status is known, or will not be known any more */
	int64_t when; /* its end was noticed, realtime ns */
	bool goodbye; /* it said that it ends, with status 0 */
	bool listed; /* in the census, as of the last scan */
	bool was_listed; /* ever: a non-rank that ends well is taken out of it */
	bool taken;   /* by exits_take_unclean() */
	bool lives;   /* as of the last exits_look() */
};

/* All who are watched. {0} at first; exits_release() it. */
struct exits {
	ARRAY(struct exits_watched) watched;
	ARRAY(struct agent_exit) ends; /* those that are known, in the order in which they were
				        * noticed */
};

/* Watches a process that is not watched yet. One that is gone already is noted as such. */
void exits_watch(struct exits *exits, struct proc_id id, uint32_t inner_pid);

/* Adds the end of our own child, from wait(). */
void exits_add_waited(struct exits *exits, struct proc_id id, int wait_status);

/* Looks at all; returns how many new ends, or statuses of ends, there are. */
int exits_look(struct exits *exits);

/* Begins a scan of the census; exits_note_listed() tells who is found there. */
void exits_unlist(struct exits *exits);
/* Notes one who is listed there, by the pid that he has in his namespace. */
void exits_note_listed(struct exits *exits, uint32_t inner_pid, uint64_t start_time);

/* Notes that this one said goodbye before it ended, as the census has it. */
void exits_note_goodbye(struct exits *exits, uint32_t inner_pid, uint64_t start_time);

/* True if anybody has ended without that since the last time. */
bool exits_take_unclean(struct exits *exits);

/* Forgets who ended and is out of the census: nobody asks for them any more. */
void exits_forget(struct exits *exits);

/* True if it is one of those who are watched, or whose end is kept, by a struct exits. */
bool exits_has(const void *exits, struct proc_id id);

/*
 * Appends one pollfd for each pidfd that may become readable, and returns how many, at most `room`.
 * *ret_look is true if a process must be looked at without a pidfd, or asked again for its status.
 */
size_t exits_poll_set(
	const struct exits *exits, struct pollfd *set, size_t room, bool *ret_look);

/* True if any watched process lives. */
bool exits_any_alive(const struct exits *exits);

/* Closes all pidfds and forgets everybody; the empty exits may be used again. */
void exits_release(struct exits *exits);

#endif
