/* SPDX-License-Identifier: Apache-2.0 */
#include "job/ranks.h"

#include <stdlib.h>

#include "base/bisect.h"

struct rank_index ranks_find(const struct job *job, struct world_rank world_rank)
{
	size_t place = bisect(0, job->nranks, i, job->ranks[i].world_rank.n < world_rank.n);

	return place < job->nranks && same_world_rank(job->ranks[place].world_rank, world_rank)
		? rank_index(place)
		: NO_RANK;
}

bool ranks_next(const char **text, unsigned long *ret_from, unsigned long *ret_to)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*ret_from = *ret_to = strtoul(*text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*ret_to = strtoul(end + 1, &end, 10);
	*text = *end == ',' ? end + 1 : end;
	return *ret_from <= *ret_to;
}
