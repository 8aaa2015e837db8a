/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_WHOLE_H
#define WEAK_WHOLE_H

/* All the evidence of one job, with what it says: what every weakening of it is held against. */

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "heap.h"
#include "verdict/verdict.h"

struct whole {
	const char *path;
	struct evidence evidence;
	struct job *job;
	struct verdicts *verdicts;
	int64_t first; /* of its records, realtime; JOB_UNKNOWN: it has no ring */
	int *involved; /* world ranks that have a part in it by its truth.json */
	size_t ninvolved;
	bool is_well; /* nothing is wrong with it by its truth.json */
};

/*
 * Reads and judges a bundle, a folder of bundles, or one of the Flight Recorder's dumps.
 * NAME.truth.json beside it, or in `truths` (NULL none), as the demo's scenarios have it, is read
 * too. 0, or negative with words. whole_release() it in any case.
 */
int whole_read(struct whole *whole, const char *path, const char *truths, struct complaint *why);
void whole_release(struct whole *whole);

/* Returns the world rank of whose process, or whose child, an exhibit is; -1: of none. */
int whole_rank_of(const struct whole *whole, const struct exhibit *exhibit);
/* Does the same for a process. */
int whole_rank_of_process(
	const struct whole *whole, const char *host, uint32_t pid, uint64_t start_time);
/* Returns the process; NULL: unknown. With `host` NULL it may be on any host. */
const struct job_process *whole_process(
	const struct whole *whole, const char *host, uint32_t pid, uint64_t start_time);

/* True if that process is a rank at the end, and of the attempt that runs then. */
bool whole_is_rank(const struct whole *whole, uint32_t pid, uint64_t start_time);

struct ring_view;
/* Adds the gathering that a ring was read in to its anchors: few have two of their own. */
void whole_date(const struct whole *whole, const struct exhibit *ring, struct ring_view *view);

/* True if some verdict of the whole names this world rank, or its truth does. */
bool whole_names(const struct whole *whole, int world_rank);

#endif
