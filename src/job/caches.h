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

struct cache_found {
	const char *path; /* NULL: nothing is known */
	int64_t files;
	int64_t bytes; /* JOB_UNKNOWN */
	bool cut;      /* there may be more: the count was cut short */
	const char *cite;
};

/* Returns what that rank found: the largest of its caches. */
struct cache_found caches_found(const struct job *job, struct rank_index rank);

/* Least and most files that all others but this rank found; JOB_UNKNOWN where none tells. */
void caches_of_others(
	const struct job *job, struct rank_index rank, int64_t *ret_least, int64_t *ret_most);

/* The most files that any rank found; JOB_UNKNOWN. */
int64_t caches_most(const struct job *job);

/*
 * Compares what was found with the most that any rank found; a count that was cut short tells only
 * that it is warm.
 */
enum cache_state caches_state(const struct cache_found *found, int64_t most);

/* "cold", "partial", "warm"; NULL for what is not known. */
const char *caches_state_name(enum cache_state state);

#endif
