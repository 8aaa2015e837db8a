/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census.h: this process's line in the job's process table (src/ring/census.h has the format).
 *
 * The constructor joins; a forked child joins at its first own act. After that no descriptor is
 * kept: a job has thousands of processes that are no ranks, and many look at what they have open.
 * Only a rank, and who lives in another pid namespace than the agent, keeps the slot's first byte
 * locked for life, by a high descriptor, out of the program's way, which is never used without a
 * look whether it still is the census. Without a census everything else still works.
 */
#ifndef PROBES_CENSUS_H
#define PROBES_CENSUS_H

#include <stdint.h>

#include "ring/census.h"

/* This process, as far as the kernel and the environment say. */
struct census_self {
	uint32_t pid;
	uint32_t ppid;
	uint64_t start_time; /* 0 without /proc */
	uint64_t pid_ns;
	int32_t rank, local_rank, world_size, restart; /* -1 unknown; restart 0 */
	const char *rank_source; /* the variable that told the rank; NULL: none did */
	uint32_t number; /* what kind of number `rank` is: of CENSUS_F_NUMBER */
	int told; /* a framework said it, whatever variables say */
	int32_t local_size; /* ranks on this node, 0 unknown */
	uint64_t run, slurm, master; /* of which run it is, as struct ring_header has it */
};

/* Fills what the kernel knows; safe anywhere. */
void census_self_look(struct census_self *self);

/*
 * Fills what the environment says about ranks, and leaves what it does not: a framework may have
 * told it. Not in a signal handler.
 */
void census_self_read(struct census_self *self);

/*
 * A framework says which rank this process is, in its world. It counts more than the number of a
 * task or a node, which children inherit, and than one of a smaller world. 1 if the rank is news.
 */
int census_self_tell(struct census_self *self, int32_t rank, int32_t world_size);

/* The kernel's boot id, zeros where it does not say. */
void census_boot(uint8_t id[16]);

/* Opens or makes the census. Once, in the constructor. */
void census_open_job(void);

/*
 * Claims the slot of `self`; a slot that this very process had before exec is taken over.
 * `forked` says that we are the child of one that had the census open. Safe in a signal handler.
 */
void census_join(const struct census_self *self, int forked);

/* Locks our slot until the process ends, if it has one. Once; safe in a signal handler. */
void census_hold(void);

/* Our slot, for reading and for adding to; NULL without one. */
struct census_slot *census_mine(void);

/* The job's header; NULL without a census. */
struct census_header *census_job(void);

/* Writes the identity again, since it may have become known. */
void census_rename(const struct census_self *self);

/* CENSUS_RANK, once promoted; the identity is written again, since it may have become known. */
void census_promote(const struct census_self *self);

/* Bits of CENSUS_F_*. */
void census_add_flags(uint32_t flags);

/* The process is about to end by exit: its slot is freed, or keeps the status. */
void census_leave(int status);

/*
 * The process goes on and tells nothing more, not how it ends either: its slot is freed. That of a
 * rank whose only word it is, too: it has not ended, and who looks for it finds it in /proc.
 */
void census_vanish(void);

/*
 * A child of ours, or of our parent's where we are its vfork child, was killed by this signal, as
 * somebody who waited for it learned. Safe in a signal handler; errno stays.
 */
void census_child_killed(uint32_t pid, int signo);

/* 1 if the slot was taken over from before an exec. */
int census_was_execed(void);

#endif
