/* SPDX-License-Identifier: Apache-2.0 */
#include "job/spans.h"

/*
 * The facts of one rank in an array sorted by rank: [first of rank, first beyond). A rank may have
 * millions, so its end is searched as its begin is.
 */
#define FIRST_WHERE(plural, condition, from)                                                       \
	size_t low = (from), high = job->n##plural;                                                \
                                                                                                   \
	while (low < high) {                                                                       \
		size_t at = low + (high - low) / 2;                                                \
                                                                                                   \
		if (condition)                                                                     \
			high = at;                                                                 \
		else                                                                               \
			low = at + 1;                                                              \
	}                                                                                          \
	return low

#define RANGE_OF(plural, function)                                                                 \
	static size_t function##_begin(const struct job *job, struct rank_index rank)              \
	{                                                                                          \
		FIRST_WHERE(plural, job->plural[at].rank.i >= rank.i, 0);                          \
	}                                                                                          \
                                                                                                   \
	static size_t function##_end(const struct job *job, struct rank_index rank, size_t begin)  \
	{                                                                                          \
		FIRST_WHERE(plural, job->plural[at].rank.i > rank.i, begin);                       \
	}                                                                                          \
                                                                                                   \
	struct spans_range function(const struct job *job, struct rank_index rank)                 \
	{                                                                                          \
		size_t begin = function##_begin(job, rank);                                        \
                                                                                                   \
		return (struct spans_range){begin, function##_end(job, rank, begin)};              \
	}

RANGE_OF(spans, spans_of)
RANGE_OF(threads, threads_of)
RANGE_OF(calls, calls_of)
RANGE_OF(shards, shards_of)
RANGE_OF(steps, steps_of)
RANGE_OF(notes, notes_of)
RANGE_OF(traits, traits_of)
RANGE_OF(logs, logs_of)
RANGE_OF(caches, caches_of)

bool spans_counts(const struct job *job, const struct job_span *span)
{
	const struct job_process *process;

	if (!span->open)
		return false;
	if (span->process == job_rank(job, span->rank)->process || span->process == JOB_NONE)
		return true;
	process = &job->processes[span->process];
	return span->kind == JOB_SPAN_COMPILE &&
	       (process->end == JOB_ALIVE || process->end == JOB_END_UNKNOWN);
}

const struct job_span *spans_open(
	const struct job *job, struct rank_index rank, enum job_span_kind kind)
{
	struct spans_range range = spans_of(job, rank);
	const struct job_span *found = NULL;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];

		if (span->kind == kind && spans_counts(job, span))
			found = span;
	}
	return found;
}
