/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_PULSE_H
#define EVIDENCE_PULSE_H

/*
 * Whether anything goes on in a job, told from a few KiB of each ring: the heads and boards of its
 * threads, what devices have completed, and the census. Every recorded call moves a head. It tells
 * neither what has changed, nor anything about processes without a ring.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct pulse_ring {
	uint64_t name; /* of its file, as a number */
	uint64_t told;
};

/* {0} to begin with; pulse_release() it. */
struct pulse {
	uint64_t census;
	ARRAY(struct pulse_ring) rings; /* by name */
};

struct pulse_news {
	size_t moved; /* rings that were there before and differ now */
	size_t still; /* rings that are as before */
	bool others;  /* another ring is there, or is gone, or the census has changed */
};

/*
 * Reads the pulse of a job in these nr folders again, and compares. A folder that cannot be opened
 * has no rings.
 */
struct pulse_news pulse_take(struct pulse *pulse, const char *const *folders, size_t nr)
	__attribute__((nonnull));

/* Leaves the empty pulse. */
void pulse_release(struct pulse *pulse) __attribute__((nonnull));

#endif
