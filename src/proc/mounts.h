/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MOUNTS_H
#define PROC_MOUNTS_H

/*
 * Tells what a path lies on, by the text of a mountinfo file (proc(5)) and by names alone: only
 * mounts_follow() asks a file system.
 */

#include <stdbool.h>

#include "base/str.h"

/* Where a file system keeps its files. */
enum storage_class {
	STORAGE_UNKNOWN,
	STORAGE_LOCAL, /* on a disk of this host */
	STORAGE_MEMORY,	 /* in memory: gone with the machine */
	STORAGE_SHARED,	 /* a network or parallel file system */
	STORAGE_BUCKET,	 /* objects behind FUSE */
};

/* Returns the class of a type as mountinfo has it: "ext4", "fuse.gcsfuse". */
enum storage_class mounts_class_of(const char *type) __attribute__((nonnull));

/* Returns words for a class, a literal: "local", "a bucket". */
const char *mounts_class_name(enum storage_class class);

/*
 * Finds the mount that holds an absolute path, by the text of a mountinfo file. Its type and its
 * mount point are copied, cut to the two rooms. Returns false if none holds it.
 */
bool mounts_of(const char *mountinfo, const char *path, char type[static 64],
	char mount[static 256]) __attribute__((nonnull));

/*
 * Puts into ret, which is empty, where an absolute path leads. Links are followed as far as they
 * lie on a disk or in memory of this host. Another file system is not asked, since its server may
 * not answer: from there on the path is taken by its names.
 */
void mounts_follow(const char *mountinfo, const char *path, struct str *ret)
	__attribute__((nonnull));

#endif
