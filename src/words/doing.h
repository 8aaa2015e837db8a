/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank was doing when it was looked at, in one word and from facts alone. */
#ifndef WORDS_DOING_H
#define WORDS_DOING_H

#include "base/str.h"
#include "job/by-rank.h"
#include "job/job.h"
#include "verdict/activities/activities.h"

/* The word for a rank that waits for others. */
#define DOING_WAITS "waiting"

struct doing {
	struct str name; /* the word: "compiling", "waiting", "SIGKILL", "exit 1", "not seen",
			  * ... */
	struct str op;   /* in what: "AllReduce #1", "inductor codegen"; empty: not known */
	bool outside;    /* true if it lives, and is outside of every recorded call and span */
	bool waits;      /* true if it waits for a stream, an event or the device */
	bool told;       /* true if only its stack tells so: it may have been so before anybody
			  * looked */
	int64_t since;   /* for how long it has been so, in ns; JOB_UNKNOWN */
	int64_t ended;   /* when it ended, realtime ns; JOB_UNKNOWN */
};

/*
 * Fills an empty one in. `seats` are the job's members, by rank. `posture` is asked where nothing
 * else tells; NULL: not known. The caller calls doing_release().
 */
void doing_of(struct doing *doing, const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct posture *posture);

/* Frees both texts; the rest keeps its values. */
void doing_release(struct doing *doing);

#endif
