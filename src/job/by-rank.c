/* SPDX-License-Identifier: Apache-2.0 */
#include "job/by-rank.h"

#include <stdlib.h>

#include "base/alloc.h"

#define RANK_OF(what, array)                                                                       \
	struct rank_index by_rank_of_##what(const struct job *job, size_t i)                       \
	{                                                                                          \
		return job->array[i].rank;                                                         \
	}

RANK_OF(seat, members)
RANK_OF(signal, signals)
RANK_OF(loss, losses)
RANK_OF(log, logs)
RANK_OF(process, processes)

/* By counting. */
void by_rank_make(struct by_rank *ret, const struct job *job, size_t n, by_rank_fn *rank_of)
{
	size_t *next = alloc_zeroed(job->nranks + 1, sizeof(*next));

	ret->first = alloc_zeroed(job->nranks + 2, sizeof(*ret->first));
	ret->at = alloc_zeroed(n + 1, sizeof(*ret->at));
	for (size_t i = 0; i < n; i++)
		if (is_rank(rank_of(job, i)))
			ret->first[rank_of(job, i).i + 1]++;
	job_for_each_rank (job, rank)
		ret->first[rank.i + 1] += ret->first[rank.i];
	for (size_t i = 0; i < n; i++) {
		struct rank_index rank = rank_of(job, i);

		if (is_rank(rank))
			ret->at[ret->first[rank.i] + next[rank.i]++] = i;
	}
	free(next);
}

void by_rank_release(struct by_rank *index)
{
	free(index->first);
	free(index->at);
	*index = (struct by_rank){0};
}
