/* SPDX-License-Identifier: Apache-2.0 */
#include "job/spans.h"

/* Returns the first fact at or behind `from` that is of this rank or of a later one. */
static size_t first_since(const char *ranks, size_t n, size_t size, int rank, size_t from)
{
	size_t low = from, high = n;

	while (low < high) {
		size_t at = low + (high - low) / 2;
		const void *its = ranks + at * size;

		if (((const struct rank_index *)its)->i >= rank)
			high = at;
		else
			low = at + 1;
	}
	return low;
}

/* Searches the end as it does the begin, since a rank may have millions of facts. */
struct spans_range spans_range_of(
	const void *facts, size_t n, size_t size, size_t rank_at, struct rank_index rank)
{
	const char *ranks = n ? (const char *)facts + rank_at : NULL;
	size_t from = first_since(ranks, n, size, rank.i, 0);

	return (struct spans_range){from, first_since(ranks, n, size, rank.i + 1, from)};
}

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
