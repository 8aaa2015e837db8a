/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVENESS_H
#define EVIDENCE_LIVENESS_H

/*
 * Tells whether the owner of a census slot is alive. It holds a lock on its slot for life, but
 * closefrom() and exec drop that lock in a living process: so it is dead only if the lock is free
 * AND its pid with its start time is gone or a zombie.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proc/ns.h"
#include "ring/census.h"

enum liveness_lock { LIVENESS_LOCK_UNKNOWN, LIVENESS_LOCK_FREE, LIVENESS_LOCK_HELD };

/* What was found out about a process. */
struct liveness {
	enum liveness_lock lock;
	uint32_t here; /* its pid as we see it; 0: we see no such process */
	bool there;    /* true if the process with that pid has its start time */
	/* not there, but /proc does not show who has that pid: nobody knows whether it lives */
	bool unseen;
	char state;    /* of its main thread, as /proc/PID/stat has it; 0 where it is not there */
};

/*
 * Looks for the owner of slot i of the census behind the descriptor. Changes nothing. One `seen`
 * serves all slots that are looked for: which namespaces they are in is told by the job.
 */
struct liveness liveness_of_slot(struct proc_ns_seen *seen, int census_fd, uint32_t i,
	const struct census_slot *slot) __attribute__((nonnull));

/* A copy of a census; and of each slot that names a process, whether that lives. */
struct liveness_census {
	void *bytes;
	size_t size;
	struct liveness *of; /* by slot; nothing is set for slots that name no process */
};

/*
 * Copies the census behind the descriptor, and looks who lives. A process that ends in between
 * tells how in its slot, and that is what is copied: it is not taken for one that is gone without a
 * word. Returns 0, and the caller frees the two memories; or a negative errno, and nothing is set.
 */
int liveness_take_census(struct proc_ns_seen *seen, int census_fd, struct liveness_census *ret)
	__attribute__((nonnull));

/* Looks for a process without a slot, by the pid that it has here. */
struct liveness liveness_of_process(uint32_t pid, uint64_t start_time);

/* True if two visible processes run one program, as far as we may know. */
bool liveness_same_program(uint32_t one, uint32_t other);

/*
 * Concludes whether a process lives. A pid with its start time does, unless it is a zombie. A
 * process that we cannot see (in another pid namespace) lives only if it holds its lock; an unknown
 * lock is no sign of life. One that /proc does not show is taken for alive.
 */
bool liveness_is_alive(const struct liveness *liveness);

#endif
