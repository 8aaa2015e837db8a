/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doing.h: one word for what a rank was doing when it was looked at, from facts alone.
 */
#ifndef WORDS_DOING_H
#define WORDS_DOING_H

#include "base/str.h"
#include "job/by-rank.h"
#include "job/job.h"
#include "verdict/activities.h"

struct doing {
	struct str name; /* "compiling", "waiting", "SIGKILL", "exit 1", "not seen", ... */
	struct str op;   /* "AllReduce #1", "inductor codegen"; empty: nothing known */
	bool outside;    /* lives, and is outside of every recorded call and span */
	bool waits;      /* for a stream, an event or the device */
	bool told;       /* but by its stack: it may have been so before anybody looked */
	int64_t since;   /* ns it has been so, JOB_UNKNOWN */
	int64_t ended;   /* realtime of its end, JOB_UNKNOWN */
};

/*
 * Fills an empty one. `seats` are the job's, by rank. `posture` is asked where nothing else tells;
 * NULL: not known. The caller releases.
 */
void doing_of(struct doing *doing, const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct posture *posture);

/* Frees both texts; the rest keeps its values. */
void doing_release(struct doing *doing);

#endif
