/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVENESS_H
#define EVIDENCE_LIVENESS_H

/*
 * Whether the owner of a census slot is alive. It holds a lock on its slot for life, but
 * closefrom() and exec drop that lock in a living process: so it is dead only if the lock is free
 * AND its pid with its start time is gone or a zombie.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proc/ns.h"
#include "ring/census.h"

enum liveness_lock { LIVENESS_LOCK_UNKNOWN, LIVENESS_LOCK_FREE, LIVENESS_LOCK_HELD };

struct liveness {
	enum liveness_lock lock;
	uint32_t here; /* its pid as we see it; 0: it is none that we see */
	bool there;    /* the process with that pid has its start time */
	char state;    /* of its main thread; 0 where not there */
};

/*
 * Looks for the owner of slot i of the census behind fd. Changes nothing. `seen` is one for all
 * slots that are looked for: in which namespace they are is the job's word.
 */
struct liveness liveness_of_slot(struct proc_ns_seen *seen, int census_fd, uint32_t i,
	const struct census_slot *slot) __attribute__((nonnull));

/* A copy of a census, and of each of its slots that names a process whether that lives. */
struct liveness_census {
	void *bytes;
	size_t size;
	struct liveness *of; /* by slot; of others nothing is set */
};

/*
 * Copies the census behind fd, and looks who lives. Who ends in between has told how, and that is
 * copied: it is not taken for one that is gone without a word. 0, and the two memories are the
 * caller's to free(); or a negative errno and nothing is set.
 */
int liveness_take_census(struct proc_ns_seen *seen, int census_fd, struct liveness_census *ret)
	__attribute__((nonnull));

/* The same for a process without a slot, by the pid that it has here. */
struct liveness liveness_of_process(uint32_t pid, uint64_t start_time);

/* True if two visible processes run one program, as far as we may know. */
bool liveness_same_program(uint32_t one, uint32_t other);

/*
 * The conclusion: a pid with its start time lives unless it is a zombie. A process that we cannot
 * see (in another pid namespace) lives only if it holds its lock; an unknown lock is no sign of
 * life.
 */
bool liveness_is_alive(const struct liveness *liveness);

#endif
