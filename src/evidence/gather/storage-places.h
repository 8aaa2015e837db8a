/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STORAGE_PLACES_H
#define EVIDENCE_STORAGE_PLACES_H

/* Where a job's data, checkpoints and caches lie, as its environment says, and on what. */

#include <json.h>
#include <stddef.h>

/* What a path is for. */
enum storage_role {
	STORAGE_FOR_DATA,
	STORAGE_FOR_CHECKPOINT,
	STORAGE_FOR_CACHE,
	STORAGE_FOR_WORK, /* the folder that the command was started in */
	STORAGE_ROLES
};

/* A variable by which programs are told where such things lie. */
struct storage_variable {
	const char *name;
	enum storage_role role;
};

extern const struct storage_variable storage_variables[];
extern const size_t storage_nr_variables;

/* "data", "checkpoint", "cache", "work"; a literal. */
const char *storage_role_name(enum storage_role role);

/*
 * Adds the list "storage": of each path that the environment names, and of cwd, from where paths
 * begin that do not begin at the root, its role, the path and the type of the file system that it
 * lies on, by the names in this process's mountinfo. Links are followed where nobody waits for a
 * dead server by that (proc/mounts.h). `envp` is NULL-ended.
 */
void storage_put(struct json_object *object, char *const *envp, const char *cwd)
	__attribute__((nonnull));

#endif
