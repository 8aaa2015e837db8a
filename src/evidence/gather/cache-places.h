/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_CACHE_PLACES_H
#define EVIDENCE_CACHE_PLACES_H

/*
 * The compile caches of a process in this environment: those that it names, else the default places
 * of Inductor, Triton and the CUDA driver.
 */

#include <json.h>

/* The value of a variable; NULL where it is not set. Borrowed from envp, which is NULL-ended. */
const char *caches_env(char *const *envp, const char *name) __attribute__((nonnull));

/*
 * Adds the list "caches": for each cache its variable, path, files and bytes now. Each walk is
 * bounded.
 */
void caches_put(struct json_object *object, char *const *envp) __attribute__((nonnull));

#endif
