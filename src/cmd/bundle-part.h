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
	const char *host; /* as its exhibit has it */
};

/*
 * When a host was booted, as one gathering there tells. Start times count from each host's own
 * boot.
 */
struct bundle_boot {
	const char *host; /* as the exhibit has it */
	int64_t when, booted; /* when: of the gathering; realtime ns */
	int64_t tick; /* ns per unit of start times */
};

#define BUNDLE_MASTERS 4 /* addresses of rank 0 */
#define BUNDLE_SEVERAL UINT64_MAX /* stands for: not all tell the same */

/*
 * The run of a part's ranks, hashed as in struct ring_header, by their rings or else their
 * environment; 0 where none tells it, BUNDLE_SEVERAL where not all tell the same. One rank's wrong
 * address does not make its job unknown.
 */
struct bundle_run {
	uint64_t run, slurm;
	uint64_t step;		   /* of Slurm: hash of "8841.0", as `slurm` is of "8841" */
	int64_t world_size, tasks; /* the largest that is told: of ranks, and of tasks that have
				    * ranks */
	uint64_t masters[BUNDLE_MASTERS];
	size_t nmasters; /* more than BUNDLE_MASTERS: where rank 0 is counts as unknown */
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
	char *id, *name;  /* of its job; "" not known, or no name was given */
	int64_t launched; /* realtime ns: the launch, else the birth of the first rank, else the
			   * first reading; INT64_MIN not known */
	int64_t last;     /* the last reading, realtime ns; INT64_MIN not known */
	int64_t owner;    /* the user whose job it is, as whoever gathered it saw; -1 not known */
	struct bundle_run run;
	int64_t slurm_job; /* Slurm's number of the job; 0 not told, -1 several are told */
	ARRAY(struct bundle_boot) boots;
	ARRAY(struct bundle_claim) claims; /* ordered by process */
	ARRAY(int) ranks;                /* ascending */
	ARRAY(uint64_t) groups;          /* keys of communicators in rings, only where they are
					  * needed */
	ARRAY(struct bundle_world) worlds;
	size_t job; /* index of the first part of the same job */
};

/*
 * Reads what a bundle says of its job. Takes the evidence over, and leaves it empty. The caller
 * calls bundle_part_release().
 */
struct bundle_part bundle_part_of(const char *path, struct evidence *evidence)
	__attribute__((nonnull));

/* Orders processes by host, pid and start time. 0: they are the same, whatever their ranks. */
int bundle_claim_order(const struct bundle_claim *a, const struct bundle_claim *b)
	__attribute__((nonnull));

/* Frees what the part has, with its evidence. */
void bundle_part_release(struct bundle_part *part) __attribute__((nonnull));

#endif
