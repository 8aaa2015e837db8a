/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "job/rollcall.h"
#include "job/spans.h"
#include "job/step-told.h"
#include "verdict/judge.h"

/*
 * Collectives that a job may do before its first step: hand out parameters, compare configurations.
 */
#define START_OPS 8

/* True if most ranks leave: a single one that leaves while the others go on is no teardown. */
static bool most_leave(const struct inquiry *q)
{
	size_t leaving = 0;

	job_for_each_rank(q->job, rank)
		leaving += q->profiles[rank.i].leaving || q->profiles[rank.i].death == DEATH_CLEAN;
	return leaving > q->job->nranks / 2;
}

/* True if some group, other than an exchange of an id, has come together at some member. */
static bool somebody_is_ready(const struct inquiry *q)
{
	for (size_t i = 0; i < q->job->nmembers; i++) {
		const struct job_member *m = &q->job->members[i];

		if (m->state >= JOB_MEMBER_READY &&
			!rollcall_is_bootstrap(&q->job->groups[m->group]))
			return true;
	}
	return false;
}

/* True if the rank compiles, and compiled nothing before: that is the first forward. */
static bool compiles_first(const struct job *job, struct rank_index rank)
{
	struct spans_range range = spans_of(job, rank);
	bool open = false;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];

		if (span->kind != JOB_SPAN_COMPILE || span->process != job_rank(job, rank)->process)
			continue;
		if (!span->open)
			return false;
		open = true;
	}
	return open;
}

/* True if the job's largest group is beyond the few collectives with which a job begins. */
static bool is_beyond_start(const struct inquiry *q)
{
	for (size_t i = 0; i < q->job->ngroups; i++) {
		uint64_t rear;

		if (q->job->groups[i].size < q->job->groups[0].size)
			break;
		rear = rollcall_take(q->job, (int)i, 0).rear;
		if (rear != UINT64_MAX && rear > START_OPS)
			return true;
	}
	return false;
}

static bool marks_a_step(const struct inquiry *q)
{
	for (size_t i = 0; i < q->job->nsteps; i++)
		if (q->job->steps[i].n)
			return true;
	return false;
}

/*
 * Returns the stage of a job whose ranks have groups. Steps are counted where they are marked.
 * Without marks many collectives may be one forward of a model in many parts, or many steps: then
 * nobody knows, unless some rank compiles for the first time.
 */
static enum verdict_stage stage_of_ready(const struct inquiry *q)
{
	if (marks_a_step(q))
		return VERDICT_STEADY;
	if (q->job->nsteps || !is_beyond_start(q))
		return VERDICT_FIRST_FORWARD;
	job_for_each_rank(q->job, rank)
		if (compiles_first(q->job, rank))
			return VERDICT_FIRST_FORWARD;
	return VERDICT_STAGE_UNKNOWN;
}

/* Returns the stage where no rings are: only waits in init tell how far a job has come. */
static enum verdict_stage stage_by_stacks(const struct inquiry *q)
{
	bool starts = false;

	job_for_each_rank(q->job, rank) {
		enum activity activity = q->profiles[rank.i].posture.activity;

		if (activity == ACTIVITY_COLLECTIVE || activity == ACTIVITY_P2P)
			return VERDICT_STAGE_UNKNOWN;
		starts |= activity == ACTIVITY_INIT || activity == ACTIVITY_STORE;
	}
	return starts ? VERDICT_BOOTSTRAP : VERDICT_STAGE_UNKNOWN;
}

static bool has_rings(const struct job *job)
{
	if (job->ngroups || job->has_census)
		return true;
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->knows & JOB_KNOWS_RING)
			return true;
	/* Where texts alone tell of a job, and name no rank, nobody knows. */
	return !job->nranks && !(job->nsayings && !job->nprocesses);
}

/* True if marks or logs say that some step was done. */
static bool says_a_step(const struct inquiry *q)
{
	for (size_t i = 0; i < q->job->nlogs; i++)
		if (step_told(q->job->logs[i].last_line))
			return true;
	return marks_a_step(q);
}

/*
 * True if all ranks that name their framework compute by something that makes no groups that are
 * recorded.
 */
static bool makes_no_groups(const struct job *job)
{
	bool other = false;

	for (size_t i = 0; i < job->ntraits; i++) {
		if (strcmp(job->traits[i].key, "framework") != 0)
			continue;
		if (!strncmp(job->traits[i].text, "torch", strlen("torch")))
			return false;
		other = true;
	}
	return other;
}

/*
 * Returns the stage of a job without groups: before the first group there is only the start; but
 * not every program makes one.
 */
static enum verdict_stage stage_without_groups(const struct inquiry *q)
{
	enum verdict_stage by_stacks = stage_by_stacks(q);

	if (!q->job->ngroups && makes_no_groups(q->job) && marks_a_step(q))
		return VERDICT_STEADY;
	if (q->job->ngroups || (q->waits->n && !q->waits->only_told) ||
		by_stacks == VERDICT_BOOTSTRAP)
		return VERDICT_BOOTSTRAP;
	if (says_a_step(q))
		return VERDICT_STEADY;
	return makes_no_groups(q->job) ? by_stacks : VERDICT_BOOTSTRAP;
}

enum verdict_stage judge_stage(const struct inquiry *q)
{
	if (most_leave(q))
		return VERDICT_TEARDOWN;
	if (!has_rings(q->job))
		return stage_by_stacks(q);
	if (!somebody_is_ready(q))
		return stage_without_groups(q);
	return stage_of_ready(q);
}
