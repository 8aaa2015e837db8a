/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_ROSTER_H
#define DECODE_ROSTER_H

/*
 * Who is who, as texts say: which rank a pid is, or a local rank, or a folder of torchrun's
 * ("none_x1/attempt_0/5"). What two texts say otherwise nobody knows.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct roster_entry {
	int rank;
	int local;          /* JOB_NONE not told */
	int64_t pid;        /* 0 not told */
	const char *folder; /* NULL not told */
};

/* What somebody is known by. */
enum roster_by { ROSTER_PID, ROSTER_LOCAL, ROSTER_FOLDER };

struct roster_key {
	enum roster_by by;
	int64_t number;     /* PID, LOCAL */
	const char *folder; /* FOLDER; else NULL */
};

/* Zero it first. */
struct roster {
	ARRAY(struct roster_known {
		struct roster_key key;
		int rank; /* JOB_NONE: texts differ */
	}) known;
	size_t *index; /* by hash: 1 + its place in `known`; 0 free */
	size_t index_size;
};

/* The text must live as long as the roster. */
void roster_add(struct roster *roster, const struct roster_entry *entry) __attribute__((nonnull));

/* The one rank of that; JOB_NONE: none, or several. */
int roster_of_pid(const struct roster *roster, int64_t pid) __attribute__((nonnull));
int roster_of_local(const struct roster *roster, int local) __attribute__((nonnull));
int roster_of_folder(const struct roster *roster, const char *folder) __attribute__((nonnull));

/* How many bytes of a path are a folder of torchrun's for one worker; 0 it is in none. */
size_t roster_folder(const char *path) __attribute__((nonnull));

/* The local rank that such a folder is called by. */
int roster_local(const char *path, size_t len) __attribute__((nonnull));

/* The rank that a file is called by: "stacks-rank3.txt", "x_rank_3_y.log"; JOB_NONE none. */
int roster_rank_of_name(const char *label) __attribute__((nonnull));

void roster_release(struct roster *roster) __attribute__((nonnull));

#endif
