/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FOLDER_H
#define EVIDENCE_FOLDER_H

/* A job's folder, opened once and trusted (see evidence/agent/jobs.h), and the files inside it. */

#include <sys/types.h>

#include "base/complaint.h"
#include "base/str.h"

struct folder {
	int fd;	   /* -1: closed */
	uid_t uid; /* owner of the folder and of all its files */
	char *path;
};

#define FOLDER_ANY_UID ((uid_t)-1)

/* Opens path. Its owner must be `uid`, or anybody for FOLDER_ANY_UID. 0 or negative with words. */
int folder_open(struct folder *folder, const char *path, uid_t uid, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* Opens a file inside, read-only: a regular file of the same owner. An fd, or -errno with words. */
int folder_open_file(const struct folder *folder, const char *name, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* Appends its content; more than cap bytes is an error. 0, or -errno with words (-ENOENT: none). */
int folder_read(const struct folder *folder, const char *name, size_t cap, struct str *into,
	struct complaint *why) __attribute__((nonnull(1, 2, 4)));

/* Takes NULL and {.fd = -1}. */
void folder_close(struct folder *folder);

#endif
