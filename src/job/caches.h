/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caches.h: the compile cache of a rank as it was when the rank came to it, and what that means
 * beside the others': cold (nothing in it), warm, or partial (less than half of what another rank
 * found). The count that the process itself made when it first compiled goes before its launcher's.
 */
#ifndef JOB_CACHES_H
#define JOB_CACHES_H

#include "job/job.h"

enum cache_state { CACHE_UNKNOWN, CACHE_COLD, CACHE_PARTIAL, CACHE_WARM };

/* A compile cache as a rank found it. */
struct cache_found {
	const char *path; /* NULL: nothing is known */
	int64_t files; /* JOB_UNKNOWN: it was not counted */
	int64_t bytes; /* JOB_UNKNOWN */
	bool cut;      /* there may be more: the count was cut short */
	const char *cite;
};

/*
 * Returns the cache that the rank found; of several that only its launcher counted, the one with
 * most files. It points into the job.
 */
struct cache_found caches_found(const struct job *job, struct rank_index rank);

/*
 * Finds the least and the most files that any rank but this one found (NO_RANK: of all);
 * JOB_UNKNOWN where none tells.
 */
void caches_of_others(
	const struct job *job, struct rank_index rank, int64_t *ret_least, int64_t *ret_most);

/* The most files that any rank found; JOB_UNKNOWN. */
int64_t caches_most(const struct job *job);

/*
 * Judges a cache by the most files that any rank found. A count that was cut short can only be warm
 * or unknown.
 */
enum cache_state caches_state(const struct cache_found *found, int64_t most);

/* Returns "cold", "partial" or "warm"; NULL for CACHE_UNKNOWN. */
const char *caches_state_name(enum cache_state state);

#endif
