/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_STANDIN_RANKS_H
#define TESTS_STANDIN_RANKS_H

/*
 * Ranks as processes, for tests of the stand-in. A test starts a crew of them, watches how far
 * each has come through words that all share, lets them pass gates, and ends them. A rank reports
 * what it finds wrong on stderr and ends with status 1.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "nccl.h"

enum { RANKS_MAX = 64, RANKS_DEADLINE_S = 60 };

struct crew {
	int size;
	ncclUniqueId id;
	void *arg;
	pid_t pids[RANKS_MAX];
	atomic_int at[RANKS_MAX];	/* how far the rank says it has come */
	atomic_int gate;		/* how far ranks may go */
	atomic_int value[RANKS_MAX];	/* what it wants to tell besides */
};

/* Inside a rank: ends the process with words if the condition does not hold. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1); \
		} \
	} while (0)
/* The same for calls that return 0 when well. */
#define WELL(call) \
	do { \
		int result_ = (int)(call); \
\
		if (result_) { \
			fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, \
				result_); \
			_exit(1); \
		} \
	} while (0)

/* Starts `size` processes that run fn and end with its return value. Fails the test if it can't. */
struct crew *crew_start(int size, void (*fn)(struct crew *crew, int rank), void *arg);
/* Waits until all have ended; how many did not end with 0 (those out of time are killed). */
int crew_finish(struct crew *crew);
/* Kills who is left and frees the crew; takes NULL. */
void crew_end(struct crew *crew);
/* Starts and finishes; 0 when all went well. */
int crew_run(int size, void (*fn)(struct crew *crew, int rank), void *arg);

/* From the test: waits until the rank has come to a point; false when out of time. */
bool crew_wait_at(struct crew *crew, int rank, int point);
/* Gives a rank ample time to come to a point that it must not reach; true if it stayed. */
bool crew_stays_before(struct crew *crew, int rank, int point);
/* Opens the gate up to a number. */
void crew_open(struct crew *crew, int gate);

/* From a rank: says how far it has come; waits at a gate. */
void rank_at(struct crew *crew, int rank, int point);
void rank_wait(struct crew *crew, int gate);
/* From a rank: joins the crew's group on device rank % 8, on a stream of its own. */
ncclComm_t rank_join(struct crew *crew, int rank, cudaStream_t *ret_stream);

#endif
