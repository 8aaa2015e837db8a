/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_CACHE_PLACES_H
#define EVIDENCE_CACHE_PLACES_H

/*
 * The compile caches that a process in this environment uses: those that it names, else the places
 * where Inductor, Triton and the CUDA driver put them by themselves.
 */

#include <json.h>

/* The value of a variable; NULL where it is not set. Borrowed from envp, which is NULL-ended. */
const char *caches_env(char *const *envp, const char *name) __attribute__((nonnull));

/* Adds the list "caches": of each the variable, path, files and bytes now. Each walk is bounded. */
void caches_put(struct json_object *object, char *const *envp) __attribute__((nonnull));

#endif
