/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_TWINS_H
#define EVIDENCE_TWINS_H

/*
 * Processes of several pid namespaces in one census that know themselves by the same pid and start
 * time, as containers do that a launcher has started at once. What is said of such a process would
 * be said of all of them. So each that is in another namespace than ours gets the pid that it has
 * here, in the copy of the census and in the labels of all that is gathered of it.
 */

#include "base/array.h"
#include "evidence/gather/liveness.h"

/* Such a process: the pid by which it knows itself, and the one that we see. */
struct twin {
	uint32_t pid, here;
	uint64_t start_time, ns;
};

/* All of them; {0} knows of none. */
struct twins {
	ARRAY(struct twin) all;
};

/*
 * Finds the twins of this census, and renames them in the copy. Those that are gone keep their pid.
 */
void twins_tell_apart(struct twins *twins, struct liveness_census *census)
	__attribute__((nonnull));

/*
 * Returns the pid that a ring's process goes by, which knows itself by `pid` and `start_time`. A
 * NULL `ring` could not be read.
 */
uint32_t twins_pid(const struct twins *twins, const void *ring, size_t size, uint32_t pid,
	uint64_t start_time) __attribute__((nonnull(1)));

#endif
