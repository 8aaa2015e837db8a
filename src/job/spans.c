/* SPDX-License-Identifier: Apache-2.0 */
#include "job/spans.h"

#include "base/bisect.h"

/* Facts in the order of their ranks; those of no rank stand behind all others. */
struct ranked {
	const char *ranks; /* where the rank of the first stands */
	size_t n;
	size_t size;
};

/* True if the fact number `at` is of a rank before that one. */
static bool is_before(const struct ranked *facts, size_t at, struct rank_index rank)
{
	const void *its = facts->ranks + at * facts->size;

	return (unsigned)((const struct rank_index *)its)->i < (unsigned)rank.i;
}

/* Returns the first fact not before that rank, where `at` is before it; in steps that double. */
static size_t first_behind(const struct ranked *facts, size_t at, struct rank_index rank)
{
	size_t step = 1;

	while (step < facts->n - at && is_before(facts, at + step, rank)) {
		at += step;
		step *= 2;
	}
	return bisect(at + 1, step < facts->n - at ? at + step : facts->n, i,
		is_before(facts, i, rank));
}

/* Returns the same, where `at` is not before it, or is the end. */
static size_t first_up_to(const struct ranked *facts, size_t at, struct rank_index rank)
{
	size_t step = 1;

	while (step <= at && !is_before(facts, at - step, rank)) {
		at -= step;
		step *= 2;
	}
	return bisect(step <= at ? at - step + 1 : 0, at, i, is_before(facts, i, rank));
}

/* Returns the first fact not before that rank, or n; `near` is where the search begins. */
static size_t first_near(const struct ranked *facts, size_t near, struct rank_index rank)
{
	return near < facts->n && is_before(facts, near, rank)
		? first_behind(facts, near, rank)
		: first_up_to(facts, near, rank);
}

/* Returns where the rank's facts begin if each rank has as many as the others, as in most jobs. */
static size_t guess_of(const struct ranked *facts, struct rank_index rank)
{
	const void *last = facts->ranks + (facts->n - 1) * facts->size;
	uint64_t nranks = (uint64_t)(unsigned)((const struct rank_index *)last)->i + 1;
	uint64_t at = (uint64_t)(unsigned)rank.i * facts->n / nranks;

	return at < facts->n ? (size_t)at : facts->n;
}

/*
 * The search begins where the facts are likely to be, since bisecting all of them waits for memory
 * at each step. A rank may have millions: their end is searched as their begin is.
 */
struct spans_range spans_range_of(
	const void *facts, size_t n, size_t size, size_t rank_at, struct rank_index rank)
{
	const struct ranked all = {(const char *)facts + rank_at, n, size};
	size_t from;

	if (!n || !is_rank(rank))
		return (struct spans_range){0, 0};
	from = first_near(&all, guess_of(&all, rank), rank);
	return (struct spans_range){from, first_near(&all, from, rank_index(rank.i + 1))};
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
