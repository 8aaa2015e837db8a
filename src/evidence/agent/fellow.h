/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FELLOW_H
#define EVIDENCE_FELLOW_H

/*
 * The job that a command under `inquest run' is a part of, as far as its launcher says so: the
 * manifest's "identity" (inquest-bundle(5)). Where each rank has an `inquest run' of its own, that
 * tells which of them are fellows (evidence/agent/fellows.h).
 */

#include <stdbool.h>
#include <stdint.h>

struct json_object;

struct fellow {
	char run[160];	  /* what the launcher calls the job: torchrun's id, PMIx' namespace */
	char slurm[32];	  /* the Slurm job */
	char step[64];	  /* the Slurm step, "8841.0" */
	char master[160]; /* "ADDRESS:PORT" of rank 0; "" in all these: not told */
	int rank;	  /* -1 not told */
	int world_size;	  /* -1 not told */
	bool task;	  /* rank is the number of a task, or of a node, in which others may run */
	uint32_t starter; /* the launcher above, else the parent; 0 not known */
	uint64_t starter_start;
	uint64_t program; /* a hash of what it runs; 0 not known */
};

/* Reads what a launch tells: the command line, the environment, and who is above that process. */
void fellow_of_launch(struct fellow *ret, char *const *argv, char *const *envp, uint32_t pid)
	__attribute__((nonnull(1)));

/* Takes over run and master where they were unknown so far. True if one of them is new. */
bool fellow_learn(struct fellow *fellow, const char *run, const char *master)
	__attribute__((nonnull(1)));

/* Adds "identity" to a manifest; an unknown value has no field. */
void fellow_put(struct json_object *manifest, const struct fellow *fellow)
	__attribute__((nonnull));

/* Reads it; a field that is missing, or of the wrong type, is unknown. */
void fellow_get(struct fellow *ret, struct json_object *manifest) __attribute__((nonnull(1)));

#endif
