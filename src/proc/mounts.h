/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MOUNTS_H
#define PROC_MOUNTS_H

/*
 * What a path lies on, by the text of a mountinfo file (proc(5)): by names alone, no file system is
 * asked but by mounts_follow().
 */

#include <stdbool.h>

#include "base/str.h"

/* What a file system is made of. */
enum storage_class {
	STORAGE_UNKNOWN,
	STORAGE_LOCAL,
	STORAGE_MEMORY,	 /* gone with the machine */
	STORAGE_SHARED,	 /* a network or parallel file system */
	STORAGE_BUCKET,	 /* objects behind FUSE */
};

/* Of a type as mountinfo has it: "ext4", "fuse.gcsfuse". */
enum storage_class mounts_class_of(const char *type) __attribute__((nonnull));

/* "local", "a bucket"; a literal. */
const char *mounts_class_name(enum storage_class class);

/*
 * The mount that holds an absolute path, out of the text of a mountinfo file: its type and its
 * mount point go to the two rooms, cut. False where none holds it.
 */
bool mounts_of(const char *mountinfo, const char *path, char type[static 64],
	char mount[static 256]) __attribute__((nonnull));

/*
 * Puts into ret, which is empty, where an absolute path leads: links are followed as far as they
 * lie on a disk or in memory of this host. Whatever lies on another file system is not asked, since
 * a server may not answer: from there on the path is taken by its names.
 */
void mounts_follow(const char *mountinfo, const char *path, struct str *ret)
	__attribute__((nonnull));

#endif
