/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h: what the routes may know about the process, beside probe.h: whether it is still
 * itself, which ring it writes, and how it ends.
 */
#ifndef PROBES_PROCESS_H
#define PROBES_PROCESS_H

#include "probes/census.h"
#include "probes/probe.h"

/* True if the code runs in the process that the state is about. */
enum process_view {
	PROCESS_SELF,    /* yes */
	PROCESS_FORKED,  /* in a forked child that has done nothing yet: no state here is its own */
	PROCESS_VFORKED, /* in a vfork child: all state here is its parent's, touch nothing */
	PROCESS_UNBORN,  /* before the constructor, or switched off */
};

/*
 * Asks the kernel for the pid, to tell a vfork child from its parent. Signal-safe; also before the
 * constructor and in any child.
 */
enum process_view process_view(void);

/* True if our constructor has run, or runs; also if the probe is inert. */
int process_has_begun(void);

/*
 * Makes the ring that the caller needs. Safe in signal handlers, except with PROBE_NEED_RANK and
 * PROBE_NEED_WITNESS, which read the environment. Returns 1 if there is now a ring to write. A
 * forked child becomes a process of its own here.
 */
int process_ready(enum probe_need need);

/* Gives a forked child its place in the census, without a ring. Returns 1 if it has one now. */
int process_reborn(void);

/*
 * Returns the ring that new records go to; NULL if there is none. Valid for life once it was seen.
 */
struct ring_writer *process_ring(void);

/* Returns the candidate's ring if a rank's ring has replaced it, else NULL. */
struct ring_writer *process_old_ring(void);

/*
 * Takes a framework's word for which rank this is (at its process group's init), unless the
 * environment has said so: -1 is not known. `source` is a literal, kept as the trait "rank-source".
 * Before promotion or after it; any thread but no signal handler.
 */
void process_identify(int32_t rank, int32_t world_size, const char *source);

/* Returns this process' identity, as the census has it. */
const struct census_self *process_self(void);

/* Notes a milestone of the process, pinned in the ring if there is one. */
void process_milestone(enum ring_milestone what, uint64_t value);

/*
 * Notes that the process ends itself now, as a milestone and in the census, and removes a
 * non-rank's files if all was well.
 */
void process_end(enum ring_milestone how, int status);

/*
 * Keeps bytes that were written to descriptor 2: in the ring, or in the process until there is a
 * ring, so that a candidate's last words are not lost.
 */
void process_stderr(const char *bytes, uint64_t len);

/*
 * Leaves the process, which may make no call of ours from now on: signals are its own again, and
 * nothing is recorded any more. Returns 1; or 0 if there is nothing to leave, and in a vfork child.
 */
int process_leave(void);

/* Undoes process_leave(): the process may call us after all. */
void process_return(void);

/* Called in the child of a fork, where the kernel cannot wipe the epoch. */
void process_forked(void);

#endif
