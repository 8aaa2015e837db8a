/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_PULSE_H
#define EVIDENCE_PULSE_H

/*
 * Tells whether anything goes on in a job, from a few KiB of each ring: the heads and boards of its
 * threads, what devices have completed, and the census. Every recorded call moves a head. It tells
 * neither what has changed, nor anything about processes without a ring.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* A ring, and a hash of what it shows. */
struct pulse_ring {
	uint64_t name; /* hash of its file's name */
	uint64_t told; /* hash of its heads and boards */
};

/* What a job's records showed when it was last taken. Begin with {0}; pulse_release() frees it. */
struct pulse {
	uint64_t census; /* hash of the slots of all folders */
	ARRAY(struct pulse_ring) rings; /* ascending by name */
};

/* What differs from the time before. */
struct pulse_news {
	size_t moved; /* rings that were there before and differ now */
	size_t still; /* rings that are as before */
	bool others;  /* another ring is there, or is gone, or the census has changed */
};

/*
 * Reads the pulse of a job that has these `nr` folders, compares it with the one before, and keeps
 * it in place of that. A folder that cannot be opened has no rings.
 */
struct pulse_news pulse_take(struct pulse *pulse, const char *const *folders, size_t nr)
	__attribute__((nonnull));

/* Frees the pulse and leaves an empty one. */
void pulse_release(struct pulse *pulse) __attribute__((nonnull));

#endif
