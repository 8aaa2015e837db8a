/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_INITS_H
#define DECODE_JOBLOG_INITS_H

/*
 * Counts the inits that NCCL logs (joblog-lines.h, joblog_lines_library()): which process begins
 * one as which rank of how many, and which of them has no end here.
 */

#include <stdint.h>

#include "base/array.h"
#include "decode/exhibits/joblog-lines.h"
#include "decode/exhibits/texts.h"

/* The inits of one process as one rank of groups of one size. */
struct joblog_init {
	int64_t pid;
	int rank, nranks;
	int begun, ended;
	int64_t line; /* on which the last one begins */
};

/* Zero it first. */
struct joblog_inits {
	ARRAY(struct joblog_init) all;
};

/* Takes what a line of NCCL's tells, and the line's number. */
void joblog_inits_take(struct joblog_inits *inits, const struct joblog_library *library,
	int64_t line) __attribute__((nonnull));

/*
 * Tells what they tell of who is who: the job has at least so many ranks as the largest group, and
 * where each rank of that has one process here, and no process two, its ranks are the job's.
 */
void joblog_inits_enrol(const struct joblog_inits *inits, struct texts *texts)
	__attribute__((nonnull));

/* True if the init began behind the line `past` and has no end here. */
bool joblog_init_is_open(const struct joblog_init *init, int64_t past) __attribute__((nonnull));

void joblog_inits_release(struct joblog_inits *inits) __attribute__((nonnull));

#endif
