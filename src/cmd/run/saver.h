/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saver.h: whatever is written to a file system of the user's, by a helper (proc/helper.h). That
 * file system may be full, slow, or on a server that does not answer: then the helper waits, and
 * nobody else.
 *
 * A helper on storage that never answers outlives its job, since nothing ends it. So that they do
 * not pile up with the jobs, SAVER_MOST at a time work for a folder; who finds that many at work
 * waits for his turn, and gives up after SAVER_TURN_MS.
 */
#ifndef CMD_SAVER_H
#define CMD_SAVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"
#include "proc/helper.h"

#define SAVER_MOST    8
#define SAVER_TURN_MS 5000

/* One helper at a time. saver_make() or {0} at first; saver_release() it. */
struct saver {
	char *turns;	  /* path of a file that all jobs of this user share; NULL: no bound */
	const char *work; /* for this folder; borrowed */
	struct helper helper; /* says in the end how it went; it may outlive us */
	int64_t spare;	  /* of the time that saver_wait() may take beyond what it is given */
	int64_t until;	  /* CLOCK_MONOTONIC ns: then nobody waits any more; 0 not told */
};

/* What has become of the last work. */
enum saver_news {
	SAVER_IDLE, /* nothing had been begun */
	SAVER_BUSY, /* not yet, or never */
	SAVER_DONE, /* it may have something to say */
	SAVER_FAILED, /* it has said why */
};

/*
 * The helper's work, in a copy of all memory: returns 0 with something to say, or negative with
 * words; either is cut behind 4000 bytes.
 */
typedef int (*saver_act)(const void *what, struct str *said, struct complaint *why);

/*
 * Begins with no work; {0} does where nothing is known of others. `turns` is the saver's from then
 * on.
 */
void saver_make(struct saver *saver, char *turns, const char *folder);

/* Begins work. False where some is under way already, or no helper can be started, with words. */
bool saver_begin(struct saver *saver, saver_act act, const void *what, struct complaint *why);

/*
 * Waits so many ms at most for what was begun, and appends what was said. Time counts that the
 * helper waits for its storage; that it, or we, wait for a processor does not, within bounds.
 */
enum saver_news saver_wait(struct saver *saver, int ms, struct str *said, struct complaint *why);

/* Sets when waiting ends: from then on, CLOCK_MONOTONIC ns, saver_wait() waits no more. */
void saver_hurry(struct saver *saver, int64_t until);

/* Leaves the helper to itself: what it has begun it may still end. */
void saver_release(struct saver *saver);

#endif
