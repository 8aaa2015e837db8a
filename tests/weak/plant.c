/* SPDX-License-Identifier: Apache-2.0 */
#include "plant.h"

const char *const plant_names[PLANTS] = {[PLANT_NONE] = "none",
	[PLANT_SIZE] = "size",
	[PLANT_ABSENT] = "absent",
	[PLANT_WELL] = "well",
	[PLANT_DEAD] = "dead",
	[PLANT_LEFT] = "left",
	[PLANT_STUCK] = "stuck",
	[PLANT_LATE] = "late",
	[PLANT_SOON] = "soon"};

/* What those say of who is awaited where it is too early to say anything. */
static const struct verdict blames[PLANTS] = {
	[PLANT_DEAD] = {.class = VERDICT_RANK_DEATH, .confidence = VERDICT_ESTABLISHED},
	[PLANT_LEFT] = {.class = VERDICT_EARLY_EXIT, .confidence = VERDICT_ESTABLISHED},
	[PLANT_STUCK] = {.class = VERDICT_COMPILE_STUCK, .confidence = VERDICT_ESTABLISHED},
	[PLANT_LATE] = {.class = VERDICT_HOST_STALL, .confidence = VERDICT_ESTABLISHED},
	[PLANT_SOON] = {.class = VERDICT_HOST_STALL, .confidence = VERDICT_SUPPORTED},
};

/* Seats of which nothing was seen are no seats: the group is as large as was seen. */
static void shrink_groups(struct job *job)
{
	struct job_member *members = (struct job_member *)job->members;
	struct job_group *groups = (struct job_group *)job->groups;

	for (size_t g = 0; g < job->ngroups; g++) {
		struct job_member *seats = members + groups[g].first_member;
		uint32_t seen = 0;

		for (uint32_t i = 0; i < groups[g].size; i++) {
			if (seats[i].state == JOB_MEMBER_UNSEEN)
				continue;
			seats[seen] = seats[i];
			seats[seen].seat = group_rank(seen);
			seen++;
		}
		groups[g].size = seen ? seen : groups[g].size;
	}
	job->world_size = (int)job->nranks;
}

/* The first rank that is in an init: JOB_NONE, none is. */
static int first_in_init(const struct job *job)
{
	int first = JOB_NONE;

	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *member = &job->members[i];

		if (member->state == JOB_MEMBER_IN_INIT && is_rank(member->rank) &&
			(first == JOB_NONE || member->rank.i < first))
			first = member->rank.i;
	}
	return first;
}

/*
 * That it stands in an init was not seen (its call was not hooked, nobody asked its stack): so it
 * never came to it.
 */
static void never_came(struct job *job)
{
	struct job_member *members = (struct job_member *)job->members;
	struct job_thread *threads = (struct job_thread *)job->threads;
	int rank = first_in_init(job);

	if (rank == JOB_NONE)
		return;
	((struct job_rank *)job->ranks)[rank].candidate_only = true;
	for (size_t i = 0; i < job->nmembers; i++)
		if (members[i].rank.i == rank)
			members[i].state = JOB_MEMBER_UNSEEN;
	for (size_t i = 0; i < job->nthreads; i++)
		if (threads[i].rank.i == rank)
			threads[i].state = JOB_THREAD_OUTSIDE;
}

void plant_into_job(enum plant plant, struct job *job)
{
	if (plant == PLANT_SIZE)
		shrink_groups(job);
	else if (plant == PLANT_ABSENT)
		never_came(job);
}

/* It is too early, and it is said who is awaited: he is blamed. */
static void blame_awaited(enum plant plant, struct verdicts *verdicts)
{
	static struct verdict blamed;

	if (!verdicts->n || verdicts->at[0].class != VERDICT_TOO_EARLY ||
		!verdicts->at[0].op_index || !verdicts->early.awaited.n)
		return;
	blamed = verdicts->at[0];
	blamed.class = blames[plant].class;
	blamed.confidence = blames[plant].confidence;
	blamed.outlook = VERDICT_KILL;
	blamed.culprits = verdicts->early.awaited;
	verdicts->at = &blamed;
	verdicts->n = 1;
}

static void call_well(struct verdicts *verdicts)
{
	static const struct verdict healthy = {.class = VERDICT_HEALTHY,
		.confidence = VERDICT_ESTABLISHED,
		.group = JOB_NONE,
		.waiting = JOB_UNKNOWN,
		.watchdog_left = JOB_UNKNOWN,
		.watchdog_cite = "",
		.headline = {.kind = FACT_NONE, .text = "", .text2 = "", .cite = "planted"}};

	if (verdicts->n && verdicts->at[0].class != VERDICT_INCONCLUSIVE &&
		verdicts->at[0].class != VERDICT_HEALTHY)
		return;
	verdicts->at = &healthy;
	verdicts->n = 1;
}

void plant_into_verdicts(enum plant plant, struct verdicts *verdicts)
{
	if (plant == PLANT_WELL)
		call_well(verdicts);
	else if (plant >= PLANT_DEAD)
		blame_awaited(plant, verdicts);
}
