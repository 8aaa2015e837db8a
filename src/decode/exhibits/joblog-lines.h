/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_LINES_H
#define DECODE_JOBLOG_LINES_H

/*
 * Reads what libraries write into a job's log, a line each:
 *
 *	PyTorch  "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580,
 *		OpType=ALLREDUCE, ..., Timeout(ms)=600000) ran for 600060 milliseconds ..."
 *	NCCL	 "m3:4711:4790 [1] NCCL INFO ncclCommInitRank comm 0x7f.. rank 1 nranks 16 cudaDev 1
 *		... - Init START", the same with "Init COMPLETE"
 *	NCCL	 "m3:4711:4790 [1] transport/net.cc:788 NCCL WARN words"
 *
 * (PyTorch ProcessGroupNCCL.cpp, since 1.13; NCCL init.cc and debug.cc, since 2.4.)
 *
 * In "[Rank 0]" stands the rank in that group of its process whose watchdog spoke first: no rank of
 * the world. That one stands in the mark before the line, "[rank5]:", which c10 writes since 2.2.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* An operation on which PyTorch's watchdog gave up. */
struct joblog_watch {
	const char *op; /* "AllReduce", a literal; "an operation" */
	int64_t number;
	int64_t ran_ms;
};

/* True if the line says that the watchdog gave up; numbers that are not told are -1. */
bool joblog_lines_watchdog(const char *line, struct joblog_watch *ret) __attribute__((nonnull));

/*
 * Returns the list of ranks that gloo's monitored barrier missed, "[Rank 0]: Ranks 2, 5 failed to
 * pass monitoredBarrier in 6000 ms" (ProcessGroupGloo.cpp), and its length; NULL if the line says
 * no such thing.
 */
const char *joblog_lines_missed(const char *line, size_t *ret_len) __attribute__((nonnull));

/*
 * Returns what stands behind the number, and its tab, that the sieve puts before a line; the line
 * itself, and no number, if none stands there or no file has so many.
 */
const char *joblog_lines_unnumbered(const char *at, int64_t *ret_number)
	__attribute__((nonnull(1)));

/* True if a plain number stands in front of every line, as srun -l puts it. */
bool joblog_lines_numbered(const char *text) __attribute__((nonnull));

/*
 * Appends a line to those of a rank; if they would be more than so many bytes, their older half
 * goes.
 */
void joblog_lines_keep(struct str *into, const char *line, size_t most) __attribute__((nonnull));

/* A line that NCCL wrote. */
struct joblog_library {
	int64_t pid;
	const char *host;    /* a part of the line, up to the colon before the pid; NULL not told */
	int rank, nranks;    /* -1 not told */
	bool begins, ends;   /* whether an init begins, or ends */
	const char *warning; /* a part of the line; NULL if it is no warning */
};

/* True if NCCL wrote the line. */
bool joblog_lines_library(const char *line, struct joblog_library *ret) __attribute__((nonnull));

#endif
