/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_NS_H
#define PROC_NS_H

/*
 * Pids of other namespaces. A process in a container knows itself by another pid than we do; the
 * NSpid line of its status lists all of its pids, ours first, its own last. Its start time is the
 * same everywhere.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "proc/read.h"

/* A process that we see, and the pid by which it knows itself once somebody has asked for that. */
struct proc_ns_one {
	uint32_t pid, inner;
	uint64_t start_time;
	bool asked;
};

/*
 * All that we see, for who asks for many: listed once, when the first of another namespace is asked
 * for. {0} is the empty one, of now; proc_ns_seen_release() it soon.
 */
struct proc_ns_seen {
	ARRAY(struct proc_ns_one) all; /* by start time */
	uint64_t own;
	bool listed;
};

/* The inode of our own pid namespace; 0 where /proc does not tell. */
uint64_t proc_ns_own(void);

/* The innermost pid in a status text: the one the process knows; 0 if the text does not say. */
uint32_t proc_ns_innermost(const char *status) __attribute__((nonnull));

/*
 * Our pid of the process that calls itself inner.pid in the pid namespace ns; inner.pid itself if
 * ns is ours or 0; 0 if no process that we see is it. Containers that are started at once have
 * processes of one pid and start time: of those the one in ns is meant.
 */
uint32_t proc_ns_find(struct proc_ns_seen *seen, struct proc_id inner, uint64_t ns)
	__attribute__((nonnull));

/* Frees it and leaves the empty one. */
void proc_ns_seen_release(struct proc_ns_seen *seen) __attribute__((nonnull));

#endif
