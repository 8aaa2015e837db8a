/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_ATTEMPTS_H
#define DECODE_JOBLOG_ATTEMPTS_H

/*
 * A log goes through all attempts of a job that torchrun begins again, and nothing but this says
 * where one of them ends, a line of each agent (PyTorch 2.15, elastic/multiprocessing/api.py):
 *
 *	E1126 07:45:31.02 15584 torch/.../api.py:1002] failed (exitcode: 1) local_rank: 1 (pid: 9)
 *
 * The last attempt is that which torchrun's report is of ("Root Cause (first observed failure)");
 * where lines follow, and no report, it is what follows.
 *
 * And it goes through all runs of a script that starts one after the other. A rank that ended
 * twice, as another process, is of two of them, and so are two that mpirun tells of, which tells of
 * one. Where srun -l puts their numbers before the lines, so is a rank that has ended and begins
 * again: its first words of all come once more. (What else comes behind its end may have been on
 * its way.)
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "decode/exhibits/joblog-ends.h"

#define JOBLOG_AGENTS 64
#define JOBLOG_ENDED  1024 /* ranks of which an end is kept, to see another one of it */

struct joblog_attempts {
	struct joblog_agent {
		int64_t pid; /* 0 not told */
		int failed;  /* attempts */
		int64_t last, before; /* lines that say so; 0 none */
	} agents[JOBLOG_AGENTS];
	int nr;
	bool reported, followed; /* since the last such line */
	/* Of the run that is read: */
	ARRAY(struct joblog_ended {
		int rank;
		int64_t pid;
		int64_t line;
		uint64_t host;
	}) ended;
	/* By rank, where lines are numbered: */
	struct joblog_speaker {
		uint64_t first; /* hash of what it began with; 0 nothing yet */
		bool ended;     /* as it or srun has said */
	} *speakers; /* JOBLOG_ENDED of them; NULL: none yet */
	int in_traceback;     /* 1 + whose PyTorch's hook prints; 0 none */
	bool all_ended;       /* Slurm has said so */
	int64_t last_task;    /* line of the last such end; 0 none */
	bool torchrun;	      /* it tells of the ranks, and srun of its agents */
	bool alone;	      /* mpirun has told of an end */
	bool at_root;	      /* the next end is the one that torchrun saw first */
	uint64_t root_host;   /* on which the last such one was; 0 none */
	int root_base;	      /* its rank less its local one: agents of one job have others each */
	int64_t last_end;     /* line of the last end; 0 none */
	int64_t ruler;	      /* of the first ruler behind it, which ends a report; 0 none */
	int64_t boundary;     /* of the last ruler behind which a report has begun; 0 none */
	int64_t run_past;     /* up to that line all is of earlier runs */
	int runs;	      /* so many of them */
};

/* Takes the lines one by one. */
void joblog_attempts_take(struct joblog_attempts *attempts, const char *line, int64_t number)
	__attribute__((nonnull));

/* Takes an end that the line tells of. */
void joblog_attempts_end(struct joblog_attempts *attempts, const struct joblog_end *end,
	int64_t number) __attribute__((nonnull));

/*
 * Takes a line that a rank may have written: one whose end torchrun has reported is of the next
 * run, and where lines are `numbered` (srun -l) one that begins again is.
 */
void joblog_attempts_speaks(struct joblog_attempts *attempts, const char *line, bool numbered,
	int64_t number) __attribute__((nonnull));

/* The rank has ended; JOB_NONE: Slurm has ended all. */
void joblog_attempts_dies(struct joblog_attempts *attempts, int64_t rank, int64_t number)
	__attribute__((nonnull));

/* The line up to which all is of earlier attempts and runs, 0 none; how many of them there are. */
int64_t joblog_attempts_past(const struct joblog_attempts *attempts, int *ret_restarts)
	__attribute__((nonnull));

void joblog_attempts_release(struct joblog_attempts *attempts) __attribute__((nonnull));

#endif
