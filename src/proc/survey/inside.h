/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_INSIDE_H
#define PROC_INSIDE_H

/*
 * Finds what a process knows of its rank that its files in /proc do not show: variables that it has
 * set itself since it was started (a worker of Ray, a function that torch.multiprocessing.spawn
 * calls); which of spawn's processes it is, by an argument on its Python stack; and which process
 * of a JAX job, by what jax.distributed.initialize() keeps. This reads its memory without stopping
 * it, which takes its mmap lock and may block for ever: call it in a helper (proc/helper.h).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "proc/symbols/image.h"

#define INSIDE_NONE (-1)

struct inside {
	/* its variables of now, in the form of /proc/PID/environ; empty: not known */
	struct str environ;
	int place; /* its number among those that spawn started, from 0; INSIDE_NONE */
	int places; /* of a process that spawns: how many it was told to start; INSIDE_NONE */
	/* JAX's number of the process, of how many; both are known, or both INSIDE_NONE */
	int process_id;
	int num_processes;
	struct str coordinator; /* where they meet, "ADDRESS:PORT"; empty: not known */
};

/*
 * Reads all that; with only_jax, nothing of a process that has not mapped JAX's library, and of any
 * other only JAX's words. Returns 0, or -errno if nothing of the process can be read;
 * inside_release() in any case. Files that it has mapped are opened once for all who share
 * `images`.
 */
int inside_read(struct images *images, uint32_t pid, bool only_jax, struct inside *ret)
	__attribute__((nonnull));

/* Leaves the empty one. Takes NULL. */
void inside_release(struct inside *inside);

#endif
