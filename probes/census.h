/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census.h: this process's line in the job's process table (src/ring/census.h has the format).
 *
 * The constructor joins; a forked child joins at its first own act. After that no descriptor is
 * kept: a job has thousands of processes that are no ranks, and many inspect their open files. Only
 * a rank, or a process in another pid namespace than the agent, keeps the slot's first byte locked
 * for life. Its descriptor has a high number, out of the program's way, and is checked to be the
 * census before each use. Without a census everything else still works.
 */
#ifndef PROBES_CENSUS_H
#define PROBES_CENSUS_H

#include <stdint.h>

#include "ring/census.h"

/* This process, as far as the kernel and the environment say. */
struct census_self {
	uint32_t pid;
	uint32_t ppid;
	uint64_t start_time; /* field 22 of /proc/self/stat; 0 without /proc */
	uint64_t pid_ns;
	int32_t rank, local_rank, world_size, restart; /* -1 unknown; restart: 0 unknown */
	const char *rank_source; /* the variable that told the rank; NULL: none did */
	uint32_t number; /* what kind of number `rank` is: bits of CENSUS_F_NUMBER */
	int told; /* a framework told the rank, so no variable counts */
	int32_t local_size; /* ranks on this node, 0 unknown */
	uint64_t run, slurm, master; /* hashes of its run's names, as in struct ring_header */
};

/* Fills in what the kernel knows; safe anywhere. */
void census_self_look(struct census_self *self);

/*
 * Fills in what the environment says about ranks, and leaves the rest, which a framework may have
 * told. Not in a signal handler.
 */
void census_self_read(struct census_self *self);

/*
 * Takes a framework's word for which rank of its world this process is. It overrides the number of
 * a task or a node, which children inherit, and a rank of a smaller world. Returns 1 if the rank is
 * news.
 */
int census_self_tell(struct census_self *self, int32_t rank, int32_t world_size);

/* Reads the kernel's boot id; zeros where there is none. */
void census_boot(uint8_t id[16]);

/*
 * Opens or makes the census, for the process that census_self_look() has seen. Call it once, in the
 * constructor.
 */
void census_open_job(const struct census_self *self);

/*
 * Claims the slot of `self`; a slot that this very process had before exec is taken over. `forked`:
 * we are the child of a process that had the census open. Safe in a signal handler.
 */
void census_join(const struct census_self *self, int forked);

/*
 * Locks our slot, if we have one, until the process ends. Call it once; safe in a signal handler.
 */
void census_hold(void);

/* Returns our slot, for reading and for adding to; NULL without one. */
struct census_slot *census_mine(void);

/* Returns the job's header; NULL without a census. */
struct census_header *census_job(void);

/* True if this process is in another pid namespace than the agent, as far as both are known. */
int census_is_elsewhere(void);

/* Writes the identity again, since it may have become known. */
void census_rename(const struct census_self *self);

/* Makes the slot CENSUS_RANK, and writes the identity again, since it may have become known. */
void census_promote(const struct census_self *self);

/* Sets bits of CENSUS_F_* in our slot. */
void census_add_flags(uint32_t flags);

/* Frees the slot of a process that is about to end by exit, or keeps the status in it. */
void census_leave(int status);

/*
 * Frees the slot of a process that goes on but tells nothing more, not even its end. A rank's slot
 * is freed as well, even if nothing else speaks for it: the rank has not ended, and is found in
 * /proc.
 */
void census_vanish(void);

/*
 * Notes that a child was killed by this signal, as a wait for it has told: a child of ours, or of
 * our parent where we are its vfork child. Safe in a signal handler; errno stays.
 */
void census_child_killed(uint32_t pid, int signo);

/* Returns 1 if our slot was taken over from before an exec. */
int census_was_execed(void);

#endif
