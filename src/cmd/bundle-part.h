/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_BUNDLE_PART_H
#define CMD_BUNDLE_PART_H

/* What one bundle says of the job that it is of (cmd/bundle-groups.h). */

#include "base/array.h"
#include "evidence/format/exhibit.h"

/* The rank that a process is said to be. */
struct bundle_claim {
	int rank; /* -1: of no rank */
	uint32_t pid;
	uint64_t start_time;
	const char *host; /* the exhibit's */
};

/* When a host was booted, as one gathering there says. Each host counts from its own boot. */
struct bundle_boot {
	const char *host; /* the exhibit's */
	int64_t when, booted; /* realtime ns */
	int64_t tick; /* of start times; ns */
};

#define BUNDLE_MASTERS 4
#define BUNDLE_SEVERAL UINT64_MAX

/*
 * The run of its ranks, hashed as in struct ring_header, by their rings or else their environment;
 * 0 where none tells it, BUNDLE_SEVERAL where not all tell the same. One rank's wrong address does
 * not make its job unknown.
 */
struct bundle_run {
	uint64_t run, slurm;
	uint64_t step;		   /* of Slurm: of "8841.0", as `slurm` is of "8841" */
	int64_t world_size, tasks; /* the largest that is told: of ranks, and of tasks with ranks */
	uint64_t masters[BUNDLE_MASTERS];
	size_t nmasters; /* more than there is room for: unknown */
};

/* A communicator of NCCL in which all ranks of the job have met. */
struct bundle_world {
	uint64_t key;
	uint64_t alias; /* 0 not known */
};

/* One bundle. */
struct bundle_part {
	char *path;
	struct evidence evidence;
	char *id, *name;  /* of its job; "" not known, or none was given */
	int64_t launched; /* else its first rank's birth, or the first reading; realtime ns */
	int64_t last;     /* reading */
	int64_t owner;    /* the user whose job it is, as who gathered it saw; -1 not known */
	struct bundle_run run;
	int64_t slurm_job; /* Slurm's number of it; 0 none is told, -1 several are */
	ARRAY(struct bundle_boot) boots;
	ARRAY(struct bundle_claim) claims; /* by process */
	ARRAY(int) ranks;                /* ascending */
	ARRAY(uint64_t) groups;          /* ring keys, only where needed */
	ARRAY(struct bundle_world) worlds;
	size_t job; /* the first part of the same job */
};

/*
 * Reads what a bundle says of its job. Takes the evidence over, and leaves it empty.
 * bundle_part_release() it.
 */
struct bundle_part bundle_part_of(const char *path, struct evidence *evidence)
	__attribute__((nonnull));

/* Of two processes, by host, pid and start time; 0: the same one, whatever its rank. */
int bundle_claim_order(const struct bundle_claim *a, const struct bundle_claim *b)
	__attribute__((nonnull));

void bundle_part_release(struct bundle_part *part) __attribute__((nonnull));

#endif
