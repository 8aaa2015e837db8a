/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/looks/looks-ends.h"

#include "job/waitfor/waitfor.h"
#include "verdict/profiles/profile.h"

/* True if the rank had written a dump when it ended, and nobody knows when that was. */
static bool came_after_dump(const struct inquiry *q, struct rank_index rank)
{
	return q->profiles[rank.i].fault == JOB_UNKNOWN &&
	       waits_are_by_dump(job_rank(q->job, rank));
}

bool ends_was_late(const struct inquiry *q, struct rank_index rank)
{
	enum death death = q->profiles[rank.i].death;

	return (death == DEATH_ECHO || death == DEATH_END) && came_after_dump(q, rank) &&
	       q->wanted[rank.i] && inquiry_look_alive(q, rank) == LOOKED_SINCE;
}

bool ends_gave_up(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->death != DEATH_UNSURE || !came_after_dump(q, rank) ||
		(p->cause != VERDICT_BY_ABORT && !profile_tells_of_others(p)))
		return false;
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];
		int group = wait->member == JOB_NONE ? JOB_NONE
						     : q->job->members[wait->member].group;

		if (group != JOB_NONE && wait->sure &&
			(wait->age_unknown || wait->age > q->threshold[group]))
			return true;
	}
	return false;
}
