/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobdir.h: the folder of a job that `inquest run` starts: made safely, with the census in it, and
 * taken away in the end. Old ones of jobs that are over go as well.
 *
 * It lies in INQUEST_DIR, or in /dev/shm/inquest-UID, or, where shared memory is refused or full,
 * in /tmp/inquest-UID. Where somebody else has taken that name, it gets a tail by chance, and that
 * is said. Nobody else may enter it, so nobody else can plant a link or a file in it.
 */
#ifndef CMD_JOBDIR_H
#define CMD_JOBDIR_H

#include <stdint.h>
#include <sys/types.h>

#include "base/complaint.h"
#include "base/str.h"
#include "ring/census.h"

/* Our stderr at launch, and where in it the job's words begin; {0}: it is no plain file. */
struct jobdir_log {
	uint64_t dev, ino, from;
};

/* The folder of one job. {.census_fd = -1}: there is none. */
struct jobdir {
	struct str path; /* absolute */
	const char *id;  /* its last part */
	int64_t launched; /* realtime ns */
	uint32_t agent_pid;
	uint64_t agent_start_time;
	struct jobdir_log log;
	struct census_header *census; /* mapped; NULL where there is no job folder */
	int census_fd;
};

/*
 * Makes folder and census, within three seconds. 0, or negative with words and nothing made, or
 * what a place that does not answer now makes of it later.
 */
int jobdir_make(struct jobdir *dir, const char *name, struct complaint *why);

/* Says that the agent lives: called on each of its turns. */
void jobdir_beat(const struct jobdir *dir);

/* Removes folders of jobs of ours that are over, but for the newest two; and wrecks (sweep.h). */
void jobdir_sweep(const struct jobdir *dir);

/* Removes the folder and what is in it. Call it only when no process of the job lives. */
void jobdir_remove(struct jobdir *dir);

/* Removes the folder of a fellow that is over. */
void jobdir_remove_folder(const char *path);

/* Unmaps the census; the folder stays. */
void jobdir_release(struct jobdir *dir);

#endif
