/* SPDX-License-Identifier: Apache-2.0 */
#include "job/shapes.h"

#include <string.h>

/* The world rank of who sits there; negative where that is not known. */
static int64_t who_sits(const struct job *job, const struct job_group *g, uint32_t seat)
{
	struct rank_index rank = job->members[g->first_member + (int)seat].rank;

	return is_rank(rank) ? job_rank(job, rank)->world_rank.n : -1;
}

bool shapes_alike(const struct job *job, int a, int b)
{
	const struct job_group *one = &job->groups[a], *other = &job->groups[b];

	if (one->size != other->size || one->size < 2 || strcmp(one->maker, other->maker) != 0)
		return false;
	for (uint32_t seat = 0; seat < one->size; seat++) {
		int64_t here = who_sits(job, one, seat), there = who_sits(job, other, seat);

		if (here < 0 || there < 0 ||
			here - there != who_sits(job, one, 0) - who_sits(job, other, 0))
			return false;
	}
	return true;
}
