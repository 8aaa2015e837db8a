/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_CACHE_PLACES_H
#define EVIDENCE_CACHE_PLACES_H

/*
 * The compile caches of a process in this environment: those that it names, else the default places
 * of Inductor, Triton and the CUDA driver.
 */

#include <json.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* One place. Release the path. */
struct cache_place {
	const char *variable; /* the one that names it; a literal */
	bool given;	      /* that variable is set */
	struct str path;
};

/* The value of a variable; NULL where it is not set. Borrowed from envp, which is NULL-ended. */
const char *caches_env(char *const *envp, const char *name) __attribute__((nonnull));

/*
 * The i-th place, of the first on; false behind the last. One whose place cannot be told, since a
 * home folder lacks, has an empty path.
 */
bool caches_at(char *const *envp, size_t i, struct cache_place *ret) __attribute__((nonnull));

/*
 * Adds the list "caches": for each cache its variable, path, files and bytes now. Each walk is
 * bounded.
 */
void caches_put(struct json_object *object, char *const *envp) __attribute__((nonnull));

#endif
