/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Too early to tell: somebody waits, but not for so long that it would be a hang. Such a job is not
 * called well, for every hang begins like that; nor is anybody blamed.
 */
#include "job/rollcall.h"
#include "verdict/judge.h"

/* True if a living rank waits for others, for a known time that is no hang. */
static bool is_young(const struct inquiry *q, const struct wait *wait)
{
	return !q->profiles[wait->rank.i].ended && wait->kind <= WAIT_STORE &&
	       (wait->sure || wait->held) && !wait->age_unknown && wait->age != JOB_UNKNOWN &&
	       !waitfor_stands(q->job, wait, &q->given);
}

static int64_t time_left(const struct inquiry *q, const struct wait *wait)
{
	return waitfor_threshold(q->job, wait, &q->given) - wait->age;
}

/* Returns the wait that would become a hang first; NULL where nobody waits. */
static const struct wait *nearest(const struct inquiry *q)
{
	const struct wait *found = NULL;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (is_young(q, wait) && (!found || time_left(q, wait) < time_left(q, found)))
			found = wait;
	}
	return found;
}

/* Adds who is known not to have come to where that one waits. */
static void find_awaited(const struct inquiry *q, const struct wait *wait, struct rank_list *into)
{
	const struct job_group *group;

	if (wait->kind == WAIT_P2P && !wait->peer_unknown)
		rank_list_add(into, q->job->members[wait->peer].rank);
	if (wait->kind != WAIT_COLLECTIVE && wait->kind != WAIT_INIT)
		return;
	group = &q->job->groups[q->job->members[wait->member].group];
	for (uint32_t seat = 0; seat < group->size; seat++) {
		const struct job_member *member = &q->job->members[group->first_member + (int)seat];

		if (seat && rollcall_is_bootstrap(group))
			break; /* only the first gives the id */
		if (wait->kind == WAIT_INIT
				? rollcall_never_came(q->job, member)
				: rollcall_of(q->job, member, wait->index) == ROLL_ABSENT)
			rank_list_add(into, member->rank);
	}
}

void judge_early(struct inquiry *q)
{
	const struct wait *wait = nearest(q);
	struct rank_list awaited = {0};
	struct draft *draft;

	if (!wait)
		return;
	draft = inquiry_draft(q, VERDICT_TOO_EARLY);
	for (size_t i = 0; i < q->waits->n; i++)
		if (is_young(q, &q->waits->at[i]))
			rank_list_add(&draft->victims, q->waits->at[i].rank);
	rank_list_settle(&draft->victims);
	find_awaited(q, wait, &awaited);
	rank_list_settle(&awaited);
	draft->verdict.waiting = wait->age;
	if (wait->member != JOB_NONE) {
		draft->verdict.group = q->job->members[wait->member].group;
		draft->verdict.op_index = wait->kind == WAIT_COLLECTIVE ? wait->index : 0;
		if (wait->op)
			draft->verdict.op = wait->op->sig;
	}
	q->early = (struct verdict_early){.ranks = rank_list_seal(q, &draft->victims),
		.awaited = rank_list_seal(q, &awaited),
		.age = wait->age,
		.threshold = waitfor_threshold(q->job, wait, &q->given)};
	array_release(&awaited.list);
}
