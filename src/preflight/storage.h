/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_STORAGE_H
#define PREFLIGHT_STORAGE_H

/* Where data, checkpoints and caches lie: told by the user, or found in the job's environment. */

#include "base/array.h"
#include "preflight/preflight.h"

/* What a file system is made of. */
enum storage_class {
	STORAGE_UNKNOWN,
	STORAGE_LOCAL,
	STORAGE_MEMORY,	 /* gone with the machine */
	STORAGE_SHARED,	 /* a network or parallel file system */
	STORAGE_BUCKET,	 /* objects behind FUSE */
};

/* Each path once; the texts are owned. */
struct storage_paths {
	ARRAY(struct preflight_path) list;
};

/* The paths that the launch will use, each once. */
void storage_find_paths(const struct preflight_wish *wish, struct storage_paths *ret)
	__attribute__((nonnull));
/* Frees the list. */
void storage_release_paths(struct storage_paths *paths) __attribute__((nonnull));

/* Of a type as mountinfo has it: "ext4", "fuse.gcsfuse". */
enum storage_class storage_class_of(const char *type) __attribute__((nonnull));

/*
 * The mount that holds an absolute path, out of the text of a mountinfo file: its type and its
 * mount point go to the two rooms, cut. False where none holds it.
 */
bool storage_mount_of(const char *mountinfo, const char *path, char type[static 64],
	char mount[static 256]) __attribute__((nonnull));

#endif
