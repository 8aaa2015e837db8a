/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_CACHE_PLACES_H
#define EVIDENCE_CACHE_PLACES_H

/*
 * Where a process in this environment keeps its compile caches: the places that it names, else the
 * default ones of Inductor, Triton and the CUDA driver.
 */

#include <json.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* One place. The caller releases the path. */
struct cache_place {
	const char *variable; /* the variable that may name it; a literal */
	bool given;	      /* true if that variable is set */
	struct str path;
};

/*
 * Fills in the i-th place, from 0 on. Returns false behind the last. A place that cannot be told,
 * for lack of a home folder, has an empty path.
 */
bool caches_at(char *const *envp, size_t i, struct cache_place *ret) __attribute__((nonnull));

/*
 * Adds the list "caches": for each cache its variable, its path, and how many files and bytes it
 * has now. Each walk is bounded.
 */
void caches_put(struct json_object *object, char *const *envp) __attribute__((nonnull));

#endif
