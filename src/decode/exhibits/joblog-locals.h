/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_LOCALS_H
#define DECODE_JOBLOG_LOCALS_H

/*
 * Which rank of the job a local rank is, in a log whose lines torchrun marks with that
 * ("[default1]:"). Its report says so of the ranks of one node, and PyTorch's own mark behind it of
 * the line's: "[default1]:[rank9]: ". In a log of several nodes each has such a local rank: then
 * the mark of torchrun's tells nobody. Where srun -l starts an agent of torchrun's on each node,
 * its number is that of a node: "1: [rank9]: ".
 */

#include <stdbool.h>
#include <stdint.h>

#define JOBLOG_LOCALS 1024 /* local ranks that a log may name */

/* What the lines so far tell. Zero it first. */
struct joblog_locals {
	int ranks[JOBLOG_LOCALS]; /* 1 + rank of the job; 0 not told */
	bool several;		  /* the log is of several nodes */
	bool agents;		  /* numbers before lines, and of tasks, are those of nodes */
	uint64_t host;		  /* hash of a name that NCCL has told; 0 none */
	uint64_t source;	  /* of one that a collector has, of a line so marked; 0 none */
};

/* Takes that a local rank is that rank of the job. */
void joblog_locals_add(struct joblog_locals *locals, int64_t local, int rank)
	__attribute__((nonnull));

/* Takes that a rank is on that host, whose name ends at a colon. */
void joblog_locals_add_host(struct joblog_locals *locals, const char *host)
	__attribute__((nonnull));

/* Takes what the marks of a line tell, of which a collector may say who has written it. */
void joblog_locals_take(struct joblog_locals *locals, const char *line, uint64_t source,
	bool numbered) __attribute__((nonnull));

/*
 * Returns whose line a launcher says it is: that of an agent of torchrun's, where srun has started
 * one on each node; 0 nobody's.
 */
uint64_t joblog_locals_agent(const char *line) __attribute__((nonnull));

/* Returns the rank; JOB_NONE not known. */
int joblog_locals_rank(const struct joblog_locals *locals, int64_t local)
	__attribute__((nonnull));

#endif
