/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_RECEIPT_LOOK_H
#define EVIDENCE_RECEIPT_LOOK_H

/* The receipt's bounded looks at folders and at git. */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define LOOK_FILES_CAP 20000
#define LOOK_TREE_MS   300
#define LOOK_GIT_MS    1000

/* The tree below a folder. */
struct look_tree {
	bool exists;
	bool complete; /* false: a bound was met, and there is more */
	int64_t files;
	int64_t bytes;
};

/* Follows no symbolic link; stops after LOOK_FILES_CAP files or LOOK_TREE_MS. */
struct look_tree look_at_tree(const char *path);

/* A git work tree. Release both strings. */
struct look_git {
	struct str revision; /* "" where it is none, or has no commit */
	struct str branch;   /* "" detached */
	int dirty;	     /* -1: not known */
};

/*
 * Reads .git itself for the revision. Only git knows whether tracked files were changed: it is run
 * with a deadline of LOOK_GIT_MS, told to take no lock, and its absence is no error.
 */
void look_at_git(const char *cwd, struct look_git *ret) __attribute__((nonnull));

/* What the driver's files in /proc tell of the GPUs of this host. Release both strings. */
struct look_gpus {
	bool known;	   /* false: there is no driver that tells */
	struct str models; /* a line each */
	struct str driver; /* its version; "" not known */
};

void look_at_gpus(struct look_gpus *ret) __attribute__((nonnull));

/* Appends the name of the image that this container was made of; nothing where it is not said. */
void look_at_image(struct str *into) __attribute__((nonnull));

#endif
