/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVENESS_H
#define EVIDENCE_LIVENESS_H

/*
 * Is the owner of a census slot alive? It holds a lock on its slot for life; but closefrom() and
 * exec drop the lock of the living, so it is dead only if the lock is free AND its pid with its
 * start time is gone or a zombie.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ring/census.h"

enum liveness_lock { LIVENESS_LOCK_UNKNOWN, LIVENESS_LOCK_FREE, LIVENESS_LOCK_HELD };

struct liveness {
	enum liveness_lock lock;
	uint32_t here; /* its pid as we see it; 0: no process that we see is it */
	bool there;    /* that pid has its start time */
	char state;    /* of its main thread; 0 where not there */
};

/* Asks about the owner of slot i of the census behind fd. Looks only. */
struct liveness liveness_of_slot(int census_fd, uint32_t i, const struct census_slot *slot);

/* The same for a process without a slot. */
struct liveness liveness_of_process(uint32_t pid, uint64_t start_time, uint64_t pid_ns);

/* True if two processes that we see run one program, as far as we may know. */
bool liveness_same_program(uint32_t one, uint32_t other);

/*
 * The conclusion: a pid with its start time lives unless it is a zombie. One that we cannot see (of
 * another pid namespace) lives only if it holds its lock; not known is no sign of life.
 */
bool liveness_is_alive(const struct liveness *liveness);

#endif
