/* SPDX-License-Identifier: Apache-2.0 */
/* spans.h: the phases of one rank: which are open, and what belongs to it. */
#ifndef JOB_SPANS_H
#define JOB_SPANS_H

#include "job/job.h"

/* A run of one array of the job: the facts of one rank. */
struct spans_range {
	size_t from;
	size_t to;
};

/* The spans, processes-wide threads, shards, steps, notes, logs and caches of a rank. */
struct spans_range spans_of(const struct job *job, struct rank_index rank);
struct spans_range threads_of(const struct job *job, struct rank_index rank);
struct spans_range calls_of(const struct job *job, struct rank_index rank);
struct spans_range shards_of(const struct job *job, struct rank_index rank);
struct spans_range steps_of(const struct job *job, struct rank_index rank);
struct spans_range notes_of(const struct job *job, struct rank_index rank);
struct spans_range traits_of(const struct job *job, struct rank_index rank);
struct spans_range logs_of(const struct job *job, struct rank_index rank);
struct spans_range caches_of(const struct job *job, struct rank_index rank);

/*
 * True if a span is open and counts for its rank: it is of the rank's own process, or of a living
 * child that compiles.
 */
bool spans_counts(const struct job *job, const struct job_span *span);

/*
 * The innermost open span of that kind; NULL where there is none. Spans of the rank's own process
 * count, and compile spans of its living children: a loader's wait is not its rank's.
 */
const struct job_span *spans_open(
	const struct job *job, struct rank_index rank, enum job_span_kind kind);

#endif
