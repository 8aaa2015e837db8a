/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FOLDER_H
#define EVIDENCE_FOLDER_H

/*
 * A job's folder, opened once and trusted (see evidence/agent/jobs.h), and the files inside it.
 * What is opened by its descriptor cannot be exchanged meanwhile.
 */

#include <sys/types.h>

#include "base/complaint.h"
#include "base/str.h"

struct folder {
	int fd;	   /* -1: closed */
	uid_t uid; /* owner of the folder and of all its files */
	char *path;
};

#define FOLDER_ANY_UID ((uid_t)-1) /* stands for whoever owns it */

/*
 * Opens the folder. Its owner must be `uid`, or may be anybody for FOLDER_ANY_UID. Returns 0 or
 * negative with words. The caller calls folder_close().
 */
int folder_open(struct folder *folder, const char *path, uid_t uid, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Opens a file inside, read-only. It must be a regular file of the same owner. Returns a
 * descriptor, or -errno with words.
 */
int folder_open_file(const struct folder *folder, const char *name, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Appends a file's content; more than `cap` bytes is an error. Returns 0, or -errno with words
 * (-ENOENT: there is none).
 */
int folder_read(const struct folder *folder, const char *name, size_t cap, struct str *into,
	struct complaint *why) __attribute__((nonnull(1, 2, 4)));

/* Closes it and frees its path. Takes NULL and a closed one. */
void folder_close(struct folder *folder);

#endif
