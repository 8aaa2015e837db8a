/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h: one word for what a rank was doing when it was looked at, from facts alone.
 */
#ifndef WORDS_STATE_H
#define WORDS_STATE_H

#include "base/str.h"
#include "job/job.h"
#include "verdict/poses.h"

struct state {
	struct str name; /* "compiling", "waiting", "SIGKILL", "exit 1", "not seen", ... */
	struct str op;   /* "AllReduce #1", "inductor codegen"; empty: nothing known */
	bool outside;    /* lives, and is outside of every recorded call and span */
	bool waits;      /* for a stream, an event or the device */
	int64_t since;   /* ns it has been so, JOB_UNKNOWN */
	int64_t ended;   /* realtime of its end, JOB_UNKNOWN */
};

/*
 * Fills an empty state. `posture` is asked where nothing else tells; NULL: not known. The caller
 * releases.
 */
void state_of(struct state *state, const struct job *job, int rank, const struct posture *posture);

/* Frees both texts; the rest of the state keeps its values. */
void state_release(struct state *state);

#endif
