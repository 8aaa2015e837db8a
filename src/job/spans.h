/* SPDX-License-Identifier: Apache-2.0 */
/* spans.h: the phases of one rank: which are open, and what belongs to it. */
#ifndef JOB_SPANS_H
#define JOB_SPANS_H

#include <stddef.h>

#include "job/job.h"

/* A run of one array of the job: the facts of one rank. */
struct spans_range {
	size_t from;
	size_t to;
};

/*
 * Returns the range of a rank's own among n facts in the order of their ranks: `size` is that of
 * one fact, rank_at where its rank stands in it.
 */
struct spans_range spans_range_of(
	const void *facts, size_t n, size_t size, size_t rank_at, struct rank_index rank);

#define SPANS_RANGE(job, plural, of)                                                               \
	spans_range_of((job)->plural, (job)->n##plural, sizeof(*(job)->plural),                    \
		offsetof(__typeof__(*(job)->plural), rank), (of))

/* The spans, processes-wide threads, shards, steps, notes, logs and caches of a rank. */
#define spans_of(job, of)   SPANS_RANGE(job, spans, of)
#define threads_of(job, of) SPANS_RANGE(job, threads, of)
#define calls_of(job, of)   SPANS_RANGE(job, calls, of)
#define shards_of(job, of)  SPANS_RANGE(job, shards, of)
#define steps_of(job, of)   SPANS_RANGE(job, steps, of)
#define notes_of(job, of)   SPANS_RANGE(job, notes, of)
#define traits_of(job, of)  SPANS_RANGE(job, traits, of)
#define logs_of(job, of)    SPANS_RANGE(job, logs, of)
#define caches_of(job, of)  SPANS_RANGE(job, caches, of)

/*
 * True if a span is open and counts for its rank: it is of the rank's own process, or of a living
 * child that compiles.
 */
bool spans_counts(const struct job *job, const struct job_span *span);

/*
 * Returns the innermost open span of that kind; NULL where there is none. Spans of the rank's own
 * process count, and compile spans of its living children: a loader's wait is not its rank's.
 */
const struct job_span *spans_open(
	const struct job *job, struct rank_index rank, enum job_span_kind kind);

#endif
