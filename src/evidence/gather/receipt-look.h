/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_RECEIPT_LOOK_H
#define EVIDENCE_RECEIPT_LOOK_H

/* The receipt's looks at folders, at git, at GPUs and at the container. Each is bounded. */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define LOOK_FILES_CAP 20000 /* files in one tree */
#define LOOK_TREE_MS   300 /* ms for one tree */
#define LOOK_GIT_MS    1000 /* ms that git may take */

/* What was found in the tree below a folder. */
struct look_tree {
	bool exists;
	bool complete; /* false if a bound was met, so that there is more */
	int64_t files;
	int64_t bytes;
};

/*
 * Counts the files below a folder and their bytes. Follows no symbolic link; stops after
 * LOOK_FILES_CAP files or LOOK_TREE_MS.
 */
struct look_tree look_at_tree(const char *path);

/* What is known of a git work tree. The caller releases both strings. */
struct look_git {
	struct str revision; /* "" where there is none, or no commit */
	struct str branch;   /* the full name of its ref; "" where HEAD is detached */
	int dirty;	     /* 1 tracked files were changed, 0 none was, -1 not known */
};

/*
 * Looks at the work tree that cwd is in. Reads .git itself for the revision. Only git knows whether
 * tracked files were changed: it is run with a deadline of LOOK_GIT_MS and told to take no lock;
 * where it is missing, that is not known.
 */
void look_at_git(const char *cwd, struct look_git *ret) __attribute__((nonnull));

/*
 * What the driver's files in /proc tell of the GPUs of this host. The caller releases both strings.
 */
struct look_gpus {
	bool known;	   /* false where there is no driver that tells */
	struct str models; /* a line for each GPU */
	struct str driver; /* its version; "" not known */
};

/* Fills in what is known of the GPUs. */
void look_at_gpus(struct look_gpus *ret) __attribute__((nonnull));

/* Appends the name of the image that this container was made of; nothing where nobody says it. */
void look_at_image(struct str *into) __attribute__((nonnull));

#endif
