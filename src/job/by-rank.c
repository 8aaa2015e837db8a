/* SPDX-License-Identifier: Apache-2.0 */
#include "job/by-rank.h"

#include <stdlib.h>

#include "base/alloc.h"

/* Reads a fact's rank at the address where it stands. */
static struct rank_index rank_of(const void *at)
{
	const struct rank_index *rank = at;

	return *rank;
}

/* Sorts by counting: first how many facts each rank has, then each fact to its place. */
void by_rank_index(struct by_rank *ret, const struct job *job, const void *facts, size_t n,
	size_t size, size_t rank_at)
{
	const char *ranks = n ? (const char *)facts + rank_at : NULL;
	size_t *next = alloc_zeroed(job->nranks + 1, sizeof(*next));

	ret->first = alloc_zeroed(job->nranks + 2, sizeof(*ret->first));
	ret->at = alloc_zeroed(n + 1, sizeof(*ret->at));
	for (size_t i = 0; i < n; i++)
		if (is_rank(rank_of(ranks + i * size)))
			ret->first[rank_of(ranks + i * size).i + 1]++;
	job_for_each_rank (job, rank)
		ret->first[rank.i + 1] += ret->first[rank.i];
	for (size_t i = 0; i < n; i++) {
		struct rank_index rank = rank_of(ranks + i * size);

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
