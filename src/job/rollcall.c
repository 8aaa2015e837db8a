/* SPDX-License-Identifier: Apache-2.0 */
#include "job/rollcall.h"

#include "base/bisect.h"
#include "job/backends.h"

bool rollcall_speaks(const struct job *job, const struct job_member *member)
{
	return is_rank(member->rank) && member->head_known && !member->saw_capture &&
	       (job_rank(job, member->rank)->knows & JOB_KNOWS_BOARDS);
}

enum roll rollcall_of(const struct job *job, const struct job_member *member, uint64_t index)
{
	uint64_t head = member->head;

	if (!member->head_known && member->nops)
		head = member->ops[member->nops - 1].index;
	else if (!member->head_known)
		return ROLL_UNKNOWN;
	if (head > index)
		return ROLL_PAST;
	if (head == index)
		return ROLL_HERE;
	return rollcall_speaks(job, member) ? ROLL_ABSENT : ROLL_UNKNOWN;
}

const struct job_op *rollcall_op(const struct job_member *member, uint64_t index)
{
	size_t place = bisect(0, member->nops, i, member->ops[i].index < index);

	return place < member->nops && member->ops[place].index == index ? &member->ops[place]
									 : NULL;
}

bool rollcall_lists_all(const struct job_group *group)
{
	return group->sized == JOB_SIZE_SAID && !group->made_as;
}

/* True if the rank's own ring shows all groups that it is in. */
static bool lists_its_groups(const struct job_rank *rank)
{
	return (rank->knows & JOB_KNOWS_RING) && rank->lost_records <= 0;
}

/* Returns how many ranks would be known to be in any group that they are in. */
static size_t known_by_their_groups(const struct job *job)
{
	size_t n = 0;

	job_for_each_rank(job, rank)
		n += lists_its_groups(job_rank(job, rank));
	return n;
}

/* Returns how many of the group's seats are of ranks without such a ring, or of unknown ones. */
static size_t seated_otherwise(const struct job *job, const struct job_group *group)
{
	size_t n = 0;

	for (uint32_t seat = 0; seat < group->size; seat++) {
		struct rank_index rank = job->members[group->first_member + (int)seat].rank;

		n += !is_rank(rank) || !lists_its_groups(job_rank(job, rank));
	}
	return n;
}

size_t rollcall_unseen(const struct job *job, const struct job_group *group)
{
	size_t known, may, seated;

	if (group->sized)
		return 0;
	if (job->world_size < 0 || job->world_at_least)
		return ROLLCALL_ANY_NUMBER;
	known = known_by_their_groups(job);
	may = (size_t)job->world_size > known ? (size_t)job->world_size - known : 0;
	seated = seated_otherwise(job, group);
	return may > seated ? may - seated : 0;
}

struct rollcall rollcall_take(const struct job *job, int group, uint64_t index)
{
	const struct job_group *g = &job->groups[group];
	struct rollcall call = {.rear = UINT64_MAX};

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &job->members[g->first_member + (int)seat];
		enum roll roll = rollcall_of(job, member, index);

		call.absent += roll == ROLL_ABSENT;
		call.here += roll == ROLL_HERE;
		call.past += roll == ROLL_PAST;
		call.unknown += roll == ROLL_UNKNOWN;
		if (rollcall_speaks(job, member) && member->head < call.rear)
			call.rear = member->head;
		if (member->head_known && member->head > call.front)
			call.front = member->head;
	}
	return call;
}

/*
 * A seat that nobody took may be a seat whose group did not fit into its rank's ring: where that
 * ring lost groups, nothing follows. Ranks that never made a communicator have no group at all, nor
 * have ranks that the census does not know.
 */
bool rollcall_never_came(const struct job *job, const struct job_member *member)
{
	const struct job_rank *rank;

	if (member->state != JOB_MEMBER_UNSEEN || !is_rank(member->rank))
		return false;
	rank = job_rank(job, member->rank);
	if (rank->process == JOB_NONE)
		return job->census_whole;
	if (rank->candidate_only)
		return rank->knows & (JOB_KNOWS_CENSUS | JOB_KNOWS_RING);
	return (rank->knows & JOB_KNOWS_RING) && rank->lost_records <= 0;
}

bool rollcall_is_bootstrap(const struct job_group *group)
{
	return backend_has(group->maker, BACKEND_NO_OPS);
}

bool rollcall_left_before(const struct job *job, const struct job_member *other,
	const struct job_member *late)
{
	if (late->state != JOB_MEMBER_IN_INIT || other->state <= JOB_MEMBER_IN_INIT ||
		!is_rank(late->rank) || !is_rank(other->rank) || late->init_since == JOB_UNKNOWN ||
		other->ready_at == JOB_UNKNOWN)
		return false;
	return job_rank(job, late->rank)->host == job_rank(job, other->rank)->host &&
	       other->ready_at < late->init_since;
}
