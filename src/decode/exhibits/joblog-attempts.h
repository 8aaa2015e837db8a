/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_ATTEMPTS_H
#define DECODE_JOBLOG_ATTEMPTS_H

/*
 * Tells where attempts and runs end in a log. A log goes through all attempts of a job that
 * torchrun begins again, and nothing but this line of each agent says where one of them ends
 * (PyTorch 2.15, elastic/multiprocessing/api.py):
 *
 *	E1126 07:45:31.02 15584 torch/.../api.py:1002] failed (exitcode: 1) local_rank: 1 (pid: 9)
 *
 * torchrun's report ("Root Cause (first observed failure)") is of the last attempt; without a
 * report, the lines after the last such line are.
 *
 * A log also goes through all runs of a script that starts one after the other. A rank that ended
 * twice, as another process, is of two runs; so are two ends that mpirun tells of, since it tells
 * of one. Where srun -l puts ranks' numbers before lines, a rank that has ended and begins again is
 * of the next run: its very first words come once more. (Other words behind its end may have been
 * on their way.) So it is where mpirun has told an end, by which it ends all: with the very first
 * words of a rank or of the log, or with any words of the rank that it told of.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "decode/exhibits/joblog-ends.h"

/* At most so many agents are told apart. */
#define JOBLOG_AGENTS 64
#define JOBLOG_ENDED  1024 /* ranks whose end is kept, to see another one */

/* What the lines so far tell. Zero it first. */
struct joblog_attempts {
	struct joblog_agent {
		int64_t pid; /* 0 not told */
		int failed;  /* number of attempts */
		int64_t last, before; /* the last two lines that say so; 0 none */
	} agents[JOBLOG_AGENTS];
	int nr;
	bool reported, followed; /* a report, or lines, came since the last such line */
	/* Ends in the run that is read: */
	ARRAY(struct joblog_ended {
		int rank;
		int64_t pid;
		int64_t line;
		uint64_t host;
	}) ended;
	/* Speakers by rank, where lines are numbered: */
	struct joblog_speaker {
		uint64_t first; /* hash of its first words; 0 nothing yet */
		bool ended;     /* it or srun has said so */
	} *speakers, /* JOBLOG_ENDED of them; NULL: none yet */
		nobody; /* of lines that do not say whose they are */
	int in_traceback;     /* 1 + the rank whose traceback PyTorch's hook prints; 0 none */
	bool all_ended;       /* Slurm has said that it ends all */
	int64_t last_task;    /* line of the last such end; 0 none */
	bool torchrun;	      /* torchrun tells of ranks, and srun of its agents */
	bool alone;	      /* mpirun has told of an end */
	bool at_root;	      /* the next end is the one that torchrun saw first */
	uint64_t root_host;   /* the host of the last such one; 0 none */
	int root_base;	      /* rank less local rank; differs between agents of a job */
	int64_t last_end;     /* line of the last end; 0 none */
	int64_t ruler;	      /* the first ruler behind it, which ends a report; 0 none */
	int64_t boundary;     /* the last ruler behind which a report has begun; 0 none */
	int64_t run_past;     /* the last line of earlier runs */
	int runs;	      /* number of earlier runs */
};

/* Takes the next line. */
void joblog_attempts_take(struct joblog_attempts *attempts, const char *line, int64_t number)
	__attribute__((nonnull));

/* Takes an end that a line tells of. */
void joblog_attempts_end(struct joblog_attempts *attempts, const struct joblog_end *end,
	int64_t number) __attribute__((nonnull));

/*
 * Takes a line that a rank may have written. It begins the next run if torchrun has reported the
 * rank's end, or if an ended rank begins again. `numbered`: srun -l has put ranks before lines.
 */
void joblog_attempts_speaks(struct joblog_attempts *attempts, const char *line, bool numbered,
	int64_t number) __attribute__((nonnull));

/* Takes that a rank has ended; JOB_NONE: Slurm has ended all. */
void joblog_attempts_dies(struct joblog_attempts *attempts, int64_t rank, int64_t number)
	__attribute__((nonnull));

/* Returns the last line of earlier attempts and runs, 0 none, and how many of them there are. */
int64_t joblog_attempts_past(const struct joblog_attempts *attempts, int *ret_restarts)
	__attribute__((nonnull));

void joblog_attempts_release(struct joblog_attempts *attempts) __attribute__((nonnull));

#endif
