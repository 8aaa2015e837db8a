/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STORAGE_PLACES_H
#define EVIDENCE_STORAGE_PLACES_H

/*
 * Where a job's data, checkpoints and caches lie, as its environment says, and on which file
 * systems.
 */

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

/* Ended by its number of entries, storage_nr_variables. */
extern const struct storage_variable storage_variables[];
extern const size_t storage_nr_variables;

/* Returns "data", "checkpoint", "cache" or "work"; a literal. */
const char *storage_role_name(enum storage_role role);

/*
 * Adds the list "storage": for each path that the environment names, and for cwd, its role, the
 * path and the type of the file system that it lies on, by the names in this process's mountinfo.
 * Paths that do not begin at the root begin at cwd. Links are followed where nobody has to wait for
 * a dead server (proc/mounts.h). `envp` is NULL-ended.
 */
void storage_put(struct json_object *object, char *const *envp, const char *cwd)
	__attribute__((nonnull));

#endif
