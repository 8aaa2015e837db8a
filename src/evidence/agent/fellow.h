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

/* What a launcher told. The texts are "" where it told nothing. */
struct fellow {
	char run[160];	  /* what the launcher calls the job: torchrun's id, PMIx' namespace */
	char slurm[32];	  /* the Slurm job */
	char step[64];	  /* the Slurm step, "8841.0" */
	char master[160]; /* "ADDRESS:PORT" of rank 0 */
	int rank;	  /* the number that the launcher gave to this command; -1 not told */
	int world_size;	  /* -1 not told */
	bool task;	  /* true if `rank` numbers a task or a node, inside of which several
			   * ranks may run */
	uint32_t starter; /* pid of the launcher above, else of the parent; 0 not known */
	uint64_t starter_start;
	uint64_t program; /* a hash of the interpreter and the script that it runs; 0 not known */
};

/*
 * Fills in what a launch tells by its command line, its environment and its ancestors. `pid` is the
 * process whose ancestors are looked at for the launcher.
 */
void fellow_of_launch(struct fellow *ret, char *const *argv, char *const *envp, uint32_t pid)
	__attribute__((nonnull(1)));

/*
 * Takes over the run id and the master where they were unknown so far. Returns true if one is new.
 */
bool fellow_learn(struct fellow *fellow, const char *run, const char *master)
	__attribute__((nonnull(1)));

/* Adds "identity" to a manifest. An unknown value gets no field. */
void fellow_put(struct json_object *manifest, const struct fellow *fellow)
	__attribute__((nonnull));

/* Reads "identity" of a manifest. A field that is missing, or of the wrong type, is unknown. */
void fellow_get(struct fellow *ret, struct json_object *manifest) __attribute__((nonnull(1)));

#endif
