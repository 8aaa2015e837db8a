/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_NS_H
#define PROC_NS_H

/*
 * Translates pids of other namespaces. A process in a container knows itself by another pid than we
 * do; the NSpid line of its status lists all of its pids, ours first, its own last. Its start time
 * is the same everywhere.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "proc/read.h"

/* A process that we see; `inner` is the pid by which it knows itself, once that was asked for. */
struct proc_ns_one {
	uint32_t pid, inner;
	uint64_t start_time;
	bool asked;
};

/*
 * All processes that we see, for a caller who asks for many. They are listed once, when the first
 * one of another namespace is asked for. {0} is the empty list; release it soon, as it ages.
 */
struct proc_ns_seen {
	ARRAY(struct proc_ns_one) all; /* sorted by start time */
	uint64_t own; /* inode of our own pid namespace; 0 not asked yet */
	bool listed;
};

/* Returns the inode of our own pid namespace; 0 if /proc does not tell. */
uint64_t proc_ns_own(void);

/*
 * Returns the innermost pid in a status text, by which the process knows itself; 0 if the text does
 * not say.
 */
uint32_t proc_ns_innermost(const char *status) __attribute__((nonnull));

/*
 * Returns our pid of the process that calls itself inner.pid in the pid namespace `ns`; inner.pid
 * itself if `ns` is ours or 0; 0 if we see no such process. Containers that are started at once
 * have processes of the same pid and start time: of those the one in `ns` is meant.
 */
uint32_t proc_ns_find(struct proc_ns_seen *seen, struct proc_id inner, uint64_t ns)
	__attribute__((nonnull));

/* Frees the list and leaves the empty one. */
void proc_ns_seen_release(struct proc_ns_seen *seen) __attribute__((nonnull));

#endif
