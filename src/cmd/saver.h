/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saver.h: whatever is written to a file system of the user's, by a helper process. That file
 * system may be full, slow, or on a server that does not answer: then the helper waits, and nobody
 * else. It holds none of the job's descriptors, its stderr neither.
 */
#ifndef CMD_SAVER_H
#define CMD_SAVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/complaint.h"
#include "base/str.h"

struct saver {
	pid_t helper;  /* 0: none is at work */
	int fd;        /* of what it says in the end */
	int64_t begun; /* CLOCK_MONOTONIC ns */
};

enum saver_news {
	SAVER_IDLE, /* nothing had been begun */
	SAVER_BUSY, /* not yet, or never */
	SAVER_DONE,
	SAVER_FAILED,
};

/*
 * What the helper does, in a copy of all memory: 0 with something to say, or negative with words;
 * either is cut behind 4000 bytes.
 */
typedef int (*saver_act)(const void *what, struct str *said, struct complaint *why);

/* Begins it. False where one is at work already, or none can be started, with words. */
bool saver_begin(struct saver *saver, saver_act act, const void *what, struct complaint *why);

/* Waits so many ms at most for what was begun. Appends what was said. */
enum saver_news saver_wait(struct saver *saver, int ms, struct str *said, struct complaint *why);

/* Leaves the helper to itself: what it has begun it may still end. */
void saver_release(struct saver *saver);

#endif
